"""The game on the page is real: it is replayed by the rules, in both codecs."""

import asyncio
import itertools
import json
import os
import shutil
import subprocess

import pytest
from tests.support.transcript import block, examples, transcript, without
from websockets.asyncio.server import serve

from palestra_games import get_game
from palestra_protocol.codecs import JSON, MSGPACK

GAME = transcript("game")
WATCH = transcript("watch")
SEATS = {"ana": 0, "ben": 1}


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@pytest.mark.parametrize("line", examples(), ids=lambda line: line.message["type"])
def test_each_message_comes_back_from_each_codec(codec, line):
    decode = codec.decode_client if line.from_client else codec.decode_server
    message = decode(codec.encode(line.message))
    again = codec.encode(message)
    assert decode(again) == message
    said = {**dict.fromkeys(line.message), **json.loads(JSON.encode(message))}
    assert without({key: said[key] for key in line.message}) == without(line.message)


def test_the_page_has_an_example_of_every_message():
    shown = {(line.from_client, line.message["type"]) for line in examples()}
    assert shown == {
        *((True, kind) for kind in ("hello", "ready", "action", "resign", "challenge", "watch", "unwatch")),
        *(
            (False, kind)
            for kind in ("welcome", "match_start", "turn", "played", "match_end", "notice", "error", "event")
        ),
    }


def test_each_player_greets_first_and_the_match_starts_as_the_challenge_asked():
    for who, seat in SEATS.items():
        mine = [line for line in GAME if line.who == who]
        assert [line.message["type"] for line in mine[:2]] == ["hello", "welcome"]
        assert mine[0].message["name"] == mine[1].message["player"] == who
        (start,) = [line.message for line in mine if line.message["type"] == "match_start"]
        assert (start["seat"], start["players"]) == (seat, ["ana", "ben"])
    (challenge,) = [line.message for line in GAME if line.message["type"] == "challenge"]
    assert (challenge["game"], challenge["opponent"], challenge["seat"]) == ("connect4", "ben", 0)


def test_the_game_is_the_one_that_the_rules_make_of_its_actions():
    """Walks through the frames in order with the game at hand; each frame must be the one due."""
    game = get_game("connect4")
    state, ply, last = game.initial_state(), 0, None
    started = set()
    due = []
    for who, from_client, m in GAME:
        kind = m["type"]
        if kind in ("hello", "welcome", "challenge", "match_start"):
            assert ply == 0
        elif kind == "ready":
            started.add(who)
            due = [("ana", "turn")] if len(started) == 2 else []
        elif kind == "error":
            assert (m["code"], m["match"], m["ply"]) == ("not_your_turn", "m-20417", ply)
        elif kind == "action" and SEATS[who] != state.to_move:
            assert m["ply"] == ply, "the early action is meant for the ply in play"
        elif kind == "action":
            assert not due
            assert (m["ply"], m["action"] in state.legal_actions()) == (ply, True)
            seat, other = state.to_move, 1 - state.to_move
            state = state.apply(m["action"])
            last = {"ply": ply, "seat": seat, "action": m["action"], "name": game.action_name(m["action"])}
            ply += 1
            names = {0: "ana", 1: "ben"}
            if state.returns() is None:
                due = [(names[state.to_move], "turn"), (names[1 - state.to_move], "played")]
            else:
                due = [(names[s], kind) for kind in ("played", "match_end") for s in (seat, other)]
        else:
            assert (who, kind) == due.pop(0)
            assert not from_client
            if kind == "turn":
                assert m["state"] == state.to_wire()
                assert m["legal"] == list(state.legal_actions())
                assert (m["ply"], m["seat"], m["remaining_ms"]) == (ply, state.to_move, 2000.0)
                assert (m["last"] and {key: m["last"][key] for key in last}) == last
            elif kind == "played":
                assert m["state"] == state.to_wire()
                assert {key: m[key] for key in last} == last
            else:
                assert (m["ply"], tuple(m["returns"]), m["reason"]) == (ply, state.returns(), "rules")
    assert not due
    assert state.returns() == (1.0, -1.0)
    assert ply == 7


def test_both_players_are_told_the_same_cost_of_each_action():
    costs = {}
    for line in GAME:
        told = line.message["last"] if line.message["type"] == "turn" else line.message
        if told and "charged_ms" in told:
            costs.setdefault(told["ply"], []).append(told["charged_ms"])
    assert {ply: len(seen) for ply, seen in costs.items()} == dict.fromkeys(range(7), 2)
    assert all(len(set(seen)) == 1 for seen in costs.values())


def test_nobody_can_win_connect_four_faster():
    assert all(
        get_game("connect4").from_wire(line.message["state"]).returns() is None
        for line in GAME
        if line.message["type"] == "played" and line.message["ply"] < 6
    )


def test_the_watcher_sees_the_same_match():
    told = {m["ply"]: m for _, _, m in GAME if m["type"] == "played"}
    (end,) = {json.dumps(m): m for _, _, m in GAME if m["type"] == "match_end"}.values()
    events = [line.message for line in WATCH if not line.from_client]
    snapshot, *rest = [message["event"] for message in events]
    assert [message["seq"] for message in events] == list(range(5, 9))
    assert snapshot["ply"] == len(snapshot["actions"]) == len(snapshot["charged_ms"]) == 5
    assert snapshot["state"] == told[4]["state"]
    for ply, (action, name, cost) in enumerate(
        zip(snapshot["actions"], snapshot["names"], snapshot["charged_ms"], strict=True)
    ):
        assert (action, name, cost) == (told[ply]["action"], told[ply]["name"], told[ply]["charged_ms"])
    assert (snapshot["clock"]["seat"], snapshot["result"]) == (1, None)
    said = {m["ply"]: m.get("info") for _, from_client, m in GAME if from_client and m["type"] == "action"}
    assert snapshot["infos"] == [said[ply] for ply in range(5)]
    why = {"code": "won", "winner": "ana", "ply": 7}
    assert rest == [*(told[ply] | {"away_ms": 0.0, "info": said[ply]} for ply in (5, 6)), end | {"why": why}]


def test_the_other_turn_of_the_page_is_true_too():
    shown = [json.loads(text) for text in block("json from server")]
    starts = {m["match"]: m for m in shown if m["type"] == "match_start"}
    (turn,) = [m for m in shown if m["type"] == "turn"]
    start = starts[turn["match"]]
    state = get_game(start["game"]).initial_state()
    for action in start["opening"]:
        state = state.apply(action)
    assert turn["state"] == state.to_wire()
    assert turn["legal"] == list(state.legal_actions())
    assert (turn["ply"], turn["seat"]) == (len(start["opening"]), state.to_move)
    assert turn["seat"] == start["seat"]
    assert turn["remaining_ms"] < start["move_ms"]


def node_with_websockets() -> list[str] | None:
    """The command that runs JavaScript with a WebSocket, if this machine has one."""
    node = shutil.which("node")
    for flags in ([], ["--experimental-websocket"]):
        if node:
            test = [node, *flags, "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]
            if subprocess.run(test, capture_output=True, check=False).returncode == 0:
                return [node, *flags]
    return None


async def test_the_javascript_client_plays_anas_part(tmp_path):
    """A socket that says the server's lines of ana's connection; the client's must be valid and fit to them."""
    node = node_with_websockets()
    if node is None:
        pytest.skip("needs Node 20 or newer")
    mine = [line for line in GAME if line.who == "ana" and line.message["type"] != "challenge"]
    heard = []

    async def handler(socket):
        assert socket.subprotocol == JSON.subprotocol
        for from_client, lines in itertools.groupby(mine, key=lambda line: line.from_client):
            for line in lines:
                if from_client:
                    heard.append((JSON.decode_client((await socket.recv()).encode()), line.message))
                else:
                    await socket.send(JSON.encode(line.message).decode())
        await socket.close(1000)

    script = tmp_path / "client.mjs"
    script.write_text("\n".join(block("js")), encoding="utf-8")
    async with serve(handler, "127.0.0.1", 0, subprotocols=[JSON.subprotocol], compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            *node,
            script,
            f"ws://127.0.0.1:{port}/play",
            "ana",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PALESTRA_TOKEN": "a-token"},
        )
        out, err = await process.communicate()
    lines = out.decode().splitlines()
    assert lines == [
        "I am ana",
        "m-20417: 1,-1 (rules) ana won by the rules after 7 moves.",
        "closed: 1000",
    ], err.decode()
    assert process.returncode == 0
    assert [sent.type for sent, _ in heard] == ["hello", "ready", *["action"] * 4]
    for sent, shown in heard[1:]:
        assert sent.match == shown["match"]
        assert getattr(sent, "ply", None) == shown.get("ply")
    assert (heard[0][0].token, heard[0][0].name) == ("a-token", "ana")
