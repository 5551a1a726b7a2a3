"""What a bot notes beside its moves is for its player and the teacher, and no part of the record."""

import asyncio

from tests.support.played import settle
from tests.support.players import RawPlayer
from tests.support.web import KEY, fault

PATH = "/api/v1/matches/{}/notes"


def play_with_notes(url, tokens):
    """ana and bob note something beside their first moves; ana's second action is not legal, and then bob resigns."""
    with RawPlayer(url, token=tokens["ana"]) as ana, RawPlayer(url, token=tokens["bob"]) as bob:
        ana.challenge("bob")
        match = ana.ready()
        bob.ready()
        for player, ply in ((ana, 0), (bob, 1)):
            turn = player.until("turn")
            player.send(type="action", match=match, ply=ply, action=3, note=f"{player.name} plays the middle")
            # The same action again, as after a lost connection, and one that comes too early: neither counts.
            player.send(type="action", match=match, ply=ply, action=3, note="again")
            player.send(type="action", match=match, ply=ply + 2, action=turn["legal"][0], note="too early")
            player.until("error")  # the opponent's action would make it the right one
        ana.until("turn")
        ana.send(type="action", match=match, ply=2, action=3, note="x" * 81)
        assert "note" in ana.until("error")["message"]
        bob.send(type="resign", match=match)
        ana.until("match_end")
        bob.until("match_end")
        return match


async def test_notes_are_shown_to_their_player_and_the_teacher_only(open_web):
    async with open_web("ana", "bob", "eva", move_ms=60_000) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        match = await asyncio.to_thread(play_with_notes, url, web.tokens)
        own = [
            {"ply": 0, "seat": 0, "note": "ana plays the middle"},
            {"ply": 1, "seat": 1, "note": "bob plays the middle"},
        ]
        seen = {"ana": own[:1], "bob": own[1:], "eva": []}
        for name, notes in seen.items():
            assert (await web.client(web.tokens[name]).get(PATH.format(match))).json() == {"notes": notes}
        assert (await web.client().get(PATH.format(match))).json() == {"notes": []}
        teacher = web.client(KEY)
        assert (await teacher.get(PATH.format(match))).json() == {"notes": own}
        for part in ("", "/record", "/snapshot"):
            assert "plays the middle" not in (await teacher.get(f"/api/v1/matches/{match}{part}")).text
        fault(await teacher.get(PATH.format("nix")), 404, "unknown_match")


async def test_a_note_can_be_read_while_the_match_goes_on(open_web):
    async with open_web("ana", "bob", move_ms=60_000) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"

        def played():
            with RawPlayer(url, token=web.tokens["ana"]) as ana, RawPlayer(url, token=web.tokens["bob"]) as bob:
                ana.challenge("bob")
                match = ana.ready()
                bob.ready()
                ana.until("turn")
                ana.send(type="action", match=match, ply=0, action=3, note="the middle")
                bob.until("turn")
                yield match
                bob.send(type="resign", match=match)
                ana.until("match_end")
                yield match

        steps = played()
        for _ in range(2):  # during the match, and after it
            match = await asyncio.to_thread(next, steps)
            await asyncio.to_thread(settle, web.server.store)  # it is read from the journal
            (note,) = (await web.client(web.tokens["ana"]).get(PATH.format(match))).json()["notes"]
            assert note == {"ply": 0, "seat": 0, "note": "the middle"}
        await asyncio.to_thread(lambda: list(steps))


async def test_a_guests_notes_are_not_for_who_is_on_the_roster_under_that_name_later(open_web):
    async with open_web("bob", guests=True, move_ms=60_000) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"

        def played():
            with RawPlayer(url, "ana") as ana, RawPlayer(url, token=web.tokens["bob"]) as bob:
                ana.challenge("bob")
                match = ana.ready()
                bob.ready()
                ana.until("turn")
                ana.send(type="action", match=match, ply=0, action=3, note="a guest's")
                turn = bob.until("turn")
                bob.send(type="action", match=match, ply=1, action=turn["legal"][0], note="bob's own")
                ana.until("turn")
                ana.send(type="resign", match=match)
                bob.until("match_end")
                return match

        match = await asyncio.to_thread(played)
        token = (await asyncio.to_thread(web.server.roster.enrol, ["ana"]))["ana"]
        seen = {KEY: ["a guest's", "bob's own"], web.tokens["bob"]: ["bob's own"], token: []}
        for key, notes in seen.items():
            told = (await web.client(key).get(PATH.format(match))).json()["notes"]
            assert [note["note"] for note in told] == notes
