"""Matches from match_start to match_end, clocks, and lost connections."""

from __future__ import annotations

from palestra_client.conformance.peer import Peer, need
from palestra_client.conformance.suite import LEISURE_MS, Place, rule

QUICK_MS = 300


@rule("match_start", "both get it, with their own seat, and turn comes once both are ready")
def match_starts(place: Place) -> None:
    first, second = place.join(), place.join()
    first.send(type="challenge", game="connect4", opponent=second.name, seat=1, seat_ms=[LEISURE_MS, LEISURE_MS])
    start = first.expect("match_start", game="connect4", seat=1, players=[second.name, first.name], opening=[], at=None)
    second.expect("match_start", match=start["match"], seat=0, players=[second.name, first.name])
    second.send(type="action", match=start["match"], ply=0, action=0)
    second.refused("not_your_turn")
    second.send(type="ready", match=start["match"])
    first.send(type="ready", match=start["match"])
    second.expect("turn", match=start["match"], ply=0, seat=0, legal=[0, 1, 2, 3, 4, 5, 6], last=None)


@rule("match_start", "an opening is played before the match, and its plies count")
def opening(place: Place) -> None:
    first, _, start = place.match(opening=[3, 3])
    need(start["opening"] == [3, 3], f"match_start.opening is {start['opening']}")
    turn = first.expect("turn", ply=2, last=None)
    need(turn["state"]["cells"][3] == 1 and turn["state"]["cells"][10] == 2, "the opening is not on the board")


@rule("turn", "one frame for each action: turn to who moves next, played to the other")
def turn_or_played(place: Place) -> None:
    first, second, start = place.match()
    for ply in range(4):
        mover, other = (first, second) if ply % 2 == 0 else (second, first)
        turn = mover.expect("turn", ply=ply)
        if ply:
            need(turn["last"]["ply"] == ply - 1, "turn.last is not the action before")
        mover.act(turn, ply % 7)
        played = mover.expect("played", match=start["match"], ply=ply, seat=ply % 2, action=ply % 7)
        need(played["name"] == f"PUT {ply % 7 + 1}", f"the name is {played['name']}")
        need(played["charged_ms"] >= 0, "charged_ms is negative")
    first.expect("turn", ply=4)
    need(other is first, "the seats do not alternate")


@rule("turn", "remaining_ms is the time for a move, or what seat_ms gives")
def budgets(place: Place) -> None:
    first, second, start = place.match(seat_ms=[30_000, 40_000])
    need(start.get("seat_ms") == [30_000, 40_000], f"match_start.seat_ms is {start.get('seat_ms')}")
    turn = first.expect("turn")
    need(turn["remaining_ms"] <= 30_000, f"seat 0 has {turn['remaining_ms']} ms")
    first.act(turn)
    need(30_000 < second.expect("turn")["remaining_ms"] <= 40_000, "seat 1 does not have its own time")


@rule("turn", "a player who moves again gets the next turn, with its own action as last (mancala)")
def moves_again(place: Place) -> None:
    first, second, _ = place.match("mancala")
    first.act(first.expect("turn"), 3)
    again = first.expect("turn", ply=1, seat=0)
    need(again["last"]["seat"] == 0 and again["last"]["name"] == "PIT 4", f"last is {again['last']}")
    second.expect("played", ply=0, seat=0)


@rule("action", "info is taken, and the very same action once more is not answered")
def info_and_again(place: Place) -> None:
    first, second, _ = place.match()
    turn = first.expect("turn")
    first.act(turn, 3, info={"depth": 8, "nodes": 48211, "value": 0.5, "pv": [3, 3, 2], "text": "in the middle"})
    first.act(turn, 3)
    first.expect("played", ply=0)
    second.act(second.expect("turn"), 3)
    first.expect("turn", ply=2)


@rule("conduct", "an action out of turn or for another ply is an error and changes nothing")
def out_of_turn(place: Place) -> None:
    first, second, start = place.match()
    turn = first.expect("turn")
    second.send(type="action", match=start["match"], ply=0, action=0)
    second.refused("not_your_turn", match=start["match"])
    first.send(type="action", match=start["match"], ply=5, action=0)
    first.refused("stale_ply", match=start["match"], ply=0)
    first.act(turn)
    first.expect("played", ply=0)


@rule("conduct", "a match that one is not in, or that does not exist")
def foreign_matches(place: Place) -> None:
    _, _, start = place.match()
    stranger = place.join()
    stranger.send(type="action", match=start["match"], ply=0, action=0)
    stranger.refused("not_in_match")
    stranger.send(type="ready", match="m-of-nobody")
    stranger.refused("unknown_match")


@rule("conduct", "an illegal action is answered with the legal ones, and loses")
def illegal(place: Place) -> None:
    first, second, start = place.match()
    first.act(first.expect("turn"), 77)
    first.refused("illegal_action", match=start["match"], legal=[0, 1, 2, 3, 4, 5, 6])
    for peer in (first, second):
        end = peer.until("match_end", reason="illegal")
        need(end["returns"] == [-1, 1], f"the returns are {end['returns']}")
        need(end["detail"].endswith("."), "match_end.detail is no sentence")


@rule("match_end", "at the end of a game both get played and match_end, with the result by seat")
def by_the_rules(place: Place) -> None:
    first, second, start = place.match()
    for ply in range(7):
        mover = (first, second)[ply % 2]
        mover.act(mover.until("turn", ply=ply), 3 if ply % 2 == 0 else 0)
    for peer in (first, second):
        last = peer.until("played", ply=6)
        need(last["state"]["cells"][24] == 1, "the last action is not on the board")
        end = peer.expect("match_end", match=start["match"], ply=7, reason="rules")
        need(end["returns"] == [1, -1], f"the returns are {end['returns']}")
        receipt = end.get("receipt")
        need(receipt is None or (len(receipt) == 64 and set(receipt) <= set("0123456789abcdef")), "a bad receipt")
    first.send(type="ready", match=start["match"])
    first.refused("unknown_match")


@rule("resign", "at any time, even out of turn")
def resign(place: Place) -> None:
    first, second, start = place.match()
    second.send(type="resign", match=start["match"])
    for peer in (first, second):
        need(peer.until("match_end", reason="resign")["returns"] == [1, -1], "the other did not win")


@rule("time", "a player that does not answer in time loses by timeout")
def timeout(place: Place) -> None:
    first, second, _ = place.match(seat_ms=[QUICK_MS, LEISURE_MS])
    first.expect("turn")
    for peer in (first, second):
        need(peer.until("match_end", reason="timeout")["returns"] == [-1, 1], "the other did not win")


@rule("lost connections", "resume brings back the player, its match and its turn, with the time that is left")
def resume(place: Place) -> None:
    first, _, start = place.match()
    turn = first.expect("turn")
    first.vanish()
    back = _back(place, first, start["match"])
    back.expect("match_start", match=start["match"], seat=0)
    back.send(type="ready", match=start["match"])
    again = back.expect("turn", ply=0)
    need(again["state"] == turn["state"], "the position is another one")
    need(again["remaining_ms"] <= turn["remaining_ms"], "it has more time than before")
    back.act(again)
    back.expect("played", ply=0)


@rule("lost connections", "a match that ended meanwhile: match_start, and match_end at once after it")
def told_later(place: Place) -> None:
    first, second, start = place.match()
    first.expect("turn")
    first.vanish()
    second.send(type="resign", match=start["match"])
    second.until("match_end")
    back = _back(place, first, None)
    back.expect("match_start", match=start["match"])
    back.expect("match_end", match=start["match"], reason="resign")


def _back(place: Place, gone: Peer, match: str | None) -> Peer:
    """Open a new connection that resumes the session of a lost one."""
    peer = place.dial()
    peer.send(type="hello", token="", client="palestra-conformance/1", resume=gone.session)
    welcome = peer.expect("welcome", player=gone.name)
    listed = welcome["matches"]
    need(listed == ([] if match is None else [match]), f"welcome.matches is {listed}")
    return peer
