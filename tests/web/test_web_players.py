"""Players over the API: records, faults, times and ratings, from matches that were really played."""

import asyncio
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from tests.support.played import play_casual, settle
from tests.support.players import RawPlayer
from tests.support.web import KEY, fault

from palestra_referee import MS
from palestra_server.runtime.move_times import MoveTimesOf
from palestra_server.store import NOTHING, Store


def play_three(url, tokens):
    """ana beats bob by his resignation and by an illegal action; then they play one to the end, bob first."""
    with RawPlayer(url, token=tokens["ana"]) as ana, RawPlayer(url, token=tokens["bob"]) as bob:
        ana.challenge("bob")
        match = ana.ready()
        bob.ready()
        ana.act(ana.until("turn"))
        bob.until("turn")
        bob.send(type="resign", match=match)
        ana.until("match_end")
        bob.until("match_end")
        ana.challenge("bob")
        ana.ready()
        bob.ready()
        ana.act(ana.until("turn"))
        bob.act(bob.until("turn"), 99)
        bob.until("match_end")
        ana.until("match_end")
        bob.challenge("ana", "mancala")
        bob.ready()
        ana.ready()
        with ThreadPoolExecutor() as pool:
            list(pool.map(RawPlayer.play, (ana, bob)))


async def test_a_players_page(open_web):
    async with open_web("ana", "bob", "cid", move_ms=60_000) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        await asyncio.to_thread(play_three, url, web.tokens)
        visitor = web.client()
        listed = {one["name"]: one for one in (await visitor.get("/api/v1/players")).json()["players"]}
        assert list(listed) == ["ana", "bob", "cid"]
        assert (listed["ana"]["played"], listed["cid"]["played"]) == (3, 0)
        assert "banned" not in listed["ana"]
        assert "email" not in listed["ana"]
        bob = (await visitor.get("/api/v1/players/bob")).json()
        assert bob["record"]["connect4"] == {"seat0": [0, 0, 0], "seat1": [0, 0, 2]}
        assert sum(bob["record"]["mancala"]["seat0"]) == 1
        assert (bob["crashes"], bob["illegal"], bob["timeouts"], bob["disconnects"]) == (1, 1, 0, 0)
        assert 0 <= bob["median_ms"] <= bob["p99_ms"]
        assert (bob["guest"], bob["reference"], bob["judged"]) == (
            False,
            False,
            {"games": {}, "losses": 0, "causes": {}},
        )
        assert bob["strengths"] == [], "casual matches make nobody stronger"
        await the_scores(visitor)
        fault(await visitor.get("/api/v1/players/nobody"), 404, "unknown_player")

        failures = "/api/v1/players/bob/failures"
        for client in (visitor, web.client(web.tokens["ana"])):
            fault(await client.get(failures), 403, "forbidden")
        for key in (web.tokens["bob"], KEY):
            found = (await web.client(key).get(failures)).json()["failures"]
            assert [one["reason"] for one in found] == ["illegal", "resign"]
            assert [one["why"]["code"] for one in found] == ["illegal", "resigned"]
        teacher = (await web.client(KEY).get("/api/v1/players")).json()["players"]
        assert teacher[0]["banned"] is False


async def the_scores(visitor):
    async def scores(name, **asked):
        return (await visitor.get(f"/api/v1/players/{name}/scores", params=asked)).json()

    connect4 = {"of": "connect4", "title": None, "won": 2, "drawn": 0, "lost": 0}
    found = await scores("ana", by="game", opponent="bob")
    assert [one["of"] for one in found["scores"]] == ["mancala", "connect4"]
    assert (found["scores"][1], found["next"]) == (connect4, None)
    first = await scores("ana", by="game", limit=1)
    assert ([one["of"] for one in first["scores"]], first["next"]) == (["mancala"], 1)
    assert await scores("ana", by="game", limit=1, start=1) == {"scores": [connect4], "next": None}
    for by, of in (("opponent", "ana"), ("tournament", None)):
        (one,) = (await scores("bob", by=by))["scores"]
        assert (one["of"], one["won"] + one["drawn"] + one["lost"]) == (of, 3)
    assert (await scores("ana", by="game", opponent="cid"))["scores"] == []
    for query, number in (("opponent=bob", 3), ("opponent=cid", 0), ("tournament=", 3), ("tournament=cup", 0)):
        assert len((await visitor.get(f"/api/v1/matches?player=ana&{query}")).json()["matches"]) == number
    for asked in ("by=moon", f"by=game&start={2**70}", f"by=game&start={2**53 + 1}", "by=game&start=-1"):
        fault(await visitor.get(f"/api/v1/players/ana/scores?{asked}"), 422, "bad_request")
    assert (await visitor.get(f"/api/v1/players/ana/scores?by=game&start={2**53}")).json()["scores"] == []


def play_versions(url, tokens):
    """ana's version 1 plays the first column and loses, its version 2 the last but one, and bob resigns."""
    with RawPlayer(url, token=tokens["bob"]) as bob:
        for version, column in (("1", 0), ("2", 5)):
            with RawPlayer(url, token=tokens["ana"], version=version) as ana:
                ana.challenge("bob")
                match = ana.ready()
                bob.ready()
                ana.act(ana.until("turn"), column)
                bob.until("turn")
                loser = ana if version == "1" else bob
                loser.send(type="resign", match=match)
                ana.until("match_end")
                bob.until("match_end")


async def test_the_versions_of_a_bot(open_web):
    async with open_web("ana", "bob", move_ms=60_000) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        await asyncio.to_thread(play_versions, url, web.tokens)
        visitor = web.client()
        found = (await visitor.get("/api/v1/players/ana/versions")).json()
        assert [(each["version"], each["matches"], each["score"]) for each in found["versions"]] == [
            ("2", 1, 1.0),
            ("1", 1, 0.0),
        ]
        compared = found["compared"]
        assert (compared["older"], compared["newer"], compared["difference"]) == ("1", "2", 1.0)
        assert (compared["pairs"], compared["paired"]) == (1, False)
        (parting,) = compared["partings"]
        assert (parting["ply"], parting["older"], parting["newer"]) == (0, "PUT 1", "PUT 6")
        listed = (await visitor.get("/api/v1/matches")).json()["matches"]
        assert [each["versions"] for each in listed] == [["2", ""], ["1", ""]]
        back = (await visitor.get("/api/v1/players/ana/versions?older=2&newer=1")).json()["compared"]
        assert (back["older"], back["difference"]) == ("2", -1.0)
        assert (await visitor.get("/api/v1/players/ana/versions?newer=1")).json()["compared"] is None
        assert (await visitor.get("/api/v1/players/bob/versions")).json() == {"versions": [], "compared": None}


async def test_a_damaged_match_is_left_out_where_versions_are_compared(open_web, tmp_path):
    async with open_web("ana", "bob", move_ms=60_000) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        await asyncio.to_thread(play_versions, url, web.tokens)
        with closing(sqlite3.connect(tmp_path / "palestra.sqlite3")) as db, db:
            db.execute("DROP TRIGGER IF EXISTS journal_no_update")
            assert db.execute("UPDATE journal SET records = x'00' WHERE seq = 0").rowcount
        found = (await web.client().get("/api/v1/players/ana/versions")).json()
        assert (len(found["versions"]), found["compared"]["partings"]) == (2, [])


async def test_a_reference_bot_that_is_away_is_no_guest(open_web):
    async with open_web("ana") as web:
        level3 = (await web.client().get("/api/v1/players/level3")).json()
        assert (level3["online"], level3["guest"], level3["reference"]) == (False, False, True)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "", {"name": "Zoe"}),
        ("POST", "/import", {"text": "name\nZoe\n"}),
        ("PATCH", "/ana", {"name": "Zoe"}),
    ],
    ids=["added", "imported", "renamed"],
)
async def test_who_comes_to_the_roster_takes_the_name_from_a_guest(open_web, method, path, body):
    async with open_web("ana", "bob", guests=True) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        guest = await asyncio.to_thread(RawPlayer, url, "zoe")
        try:
            assert guest.name == "zoe"
            answer = await web.client(KEY).request(method, f"/api/v1/roster{path}", json=body)
            assert answer.status_code == 200, answer.text
            told = await asyncio.to_thread(guest.expect, "error")
            assert (told["code"], told["fatal"]) == ("name_taken", True)
            again = await asyncio.to_thread(RawPlayer, url, "zoe")
            # In a thread: the server, which has to answer, runs in this one.
            await asyncio.to_thread(again.close)
            assert again.name == "zoe-2"
        finally:
            await asyncio.to_thread(guest.close)


@pytest.mark.parametrize(
    "change", [{"name": "bob", "banned": True}, {"name": "zoe", "email": "nonsense"}, {"name": "level1", "group": "B"}]
)
async def test_a_change_that_is_refused_changes_nothing(open_web, change):
    async with open_web("ana", "bob") as web, web.client(KEY) as teacher:
        before = (await teacher.get("/api/v1/roster")).json()
        fault(await teacher.patch("/api/v1/roster/ana", json=change), 422, "roster")
        assert (await teacher.get("/api/v1/roster")).json() == before


def times_of(store, move_times):
    return move_times("eva", NOTHING, store.tallies.of_player("eva", NOTHING))


def test_an_answer_that_came_too_late_or_never_is_among_the_slowest(tmp_path):
    with closing(Store(tmp_path)) as store:
        play_casual(store, "late", random.Random(1), slow_ns=2300 * MS)
        settle(store)
        move_times = MoveTimesOf(store)
        times = times_of(store, move_times)
        assert (times.median, times.p99) == (2300, 2300), "its only answer"
        play_casual(store, "silent", random.Random(1), ends="silent", by=1)
        settle(store)
        times = times_of(store, move_times)
        assert (times.median, times.p99) == (5, 2300), "what was kept is read again, since a match has ended"
