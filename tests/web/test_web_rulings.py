"""Rulings over the API: who may make one, and who sees it."""

import re
from contextlib import closing

from tests.support.played import play_tournament
from tests.support.web import KEY, fault

from palestra_server.store import Store
from palestra_tournament import Ended, MatchStarted

CUP = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n'
RULING = {"verdict": "draw", "why": "the network of room 3 was gone"}


async def test_the_teacher_rules_and_everybody_sees_it(open_web):
    async with open_web("ana", "bob") as web, web.client(KEY) as teacher, web.client(web.tokens["ana"]) as player:
        await teacher.post("/api/v1/tournaments", json={"toml": CUP})
        asked = "/api/v1/tournaments/cup/rule"
        fault(await teacher.post(asked, json={"match": "m1", **RULING}), 409, "not_begun")
        await teacher.post("/api/v1/tournaments/cup/start")
        live = await web.server.catalogue.fetch("cup")
        fixture = live.tournament.fixtures[0]
        live.feed(MatchStarted(fixture.id, "m1", 1))
        live.feed(Ended(fixture.id, "m1", (-1.0, 1.0), "timeout", 1, (3,), (2200,), 2))
        ruling = {"match": "m1", **RULING}
        assert (await player.post(asked, json=ruling)).status_code in (401, 403)
        fault(await teacher.post(asked, json=ruling | {"verdict": "win"}), 409, "does_not_fit")
        fault(await teacher.post(asked, json=ruling | {"why": " "}), 409, "does_not_fit")
        fault(await teacher.post(asked, json=ruling | {"verdict": "nonsense"}), 422, "bad_request")
        fault(await teacher.post(asked, json=ruling | {"match": "m2"}), 409, "rule_unknown")
        fault(await teacher.post(asked, json=ruling | {"verdict": "win", "winner": "zoe"}), 409, "rule_winner")
        assert (await teacher.post(asked, json=ruling)).status_code == 200
        (told,) = (await player.get("/api/v1/tournaments/cup")).json()["rulings"]
        assert told["players"] == list(fixture.players)
        assert (told["verdict"], told["why"]) == ("draw", RULING["why"])
        assert (told["returns"], told["reason"]) == ([0, 0], "ruled")
        rows = (await player.get("/api/v1/tournaments/cup/standings")).json()["rows"]
        assert [row["points"] for row in rows] == [0.5, 0.5]


async def test_a_match_says_what_it_counts_as_wherever_it_is_listed(open_web, tmp_path):
    with closing(Store(tmp_path)) as store:
        results = play_tournament(store, players=3).results.values()
    ended = next(result for result in results if result.returns[0] > result.returns[1])
    match, (first, second) = ended.match, ended.fixture.players

    async def told(client):
        """The ruling, as the match's own answer and each list have it."""
        page = (await client.get(f"/match/{match}")).text
        found = [(await client.get(f"/api/v1/matches/{match}")).json()["ruling"]]
        for query in (f"player={first}", "tournament=cup"):
            listed = (await client.get(f"/api/v1/matches?{query}")).json()["matches"]
            found += [one["ruling"] for one in listed if one["match"] == match]
            assert all(one["ruling"] is None for one in listed if one["match"] != match)
        assert found == [found[0]] * 3
        return found[0], re.search(r'og:title" content="([^"]+)', page)[1], "Ruled by the teacher" in page

    async with open_web() as web, web.client(KEY) as teacher:
        assert await told(teacher) == (None, f"{first} 1–0 {second}", False)
        for verdict, winner, returns, reason, score in (
            ("stands", "", [1, -1], ended.reason, "1–0"),
            ("draw", "", [0, 0], "ruled", "½–½"),
            ("void", "", [0, 0], "void", "0–0"),
            ("win", second, [-1, 1], "ruled", "0–1"),
        ):
            asked = {"match": match, "verdict": verdict, "winner": winner, "why": "a stall"}
            assert (await teacher.post("/api/v1/tournaments/cup/rule", json=asked)).status_code == 200
            ruling, title, said = await told(teacher)
            assert (ruling["verdict"], ruling["winner"], ruling["why"]) == (verdict, winner, "a stall")
            assert (ruling["returns"], ruling["reason"]) == (returns, reason)
            assert (title, said) == (f"{first} {score} {second}", True)
    async with open_web() as web, web.client() as visitor:
        assert web.server.catalogue.tournaments == {}, "it is over: nothing but its summary is read"
        assert (await told(visitor))[0] == ruling


async def test_who_comes_late_is_enrolled_and_told(open_web):
    asked = "/api/v1/tournaments/cup/add"
    async with (
        open_web("ana", "bob", "eva") as web,
        web.client(KEY) as teacher,
        web.client(web.tokens["ana"]) as player,
    ):
        await teacher.post("/api/v1/tournaments", json={"toml": CUP + 'who = { players = ["ana", "bob"] }\n'})
        fault(await teacher.post(asked, json={"players": ["eva"]}), 409, "join_early")
        await teacher.post("/api/v1/tournaments/cup/start")
        assert (await player.post(asked, json={"players": ["eva"]})).status_code in (401, 403)
        unknown = await teacher.post(asked, json={"players": ["eva", "evva"]})
        assert (unknown.status_code, "did you mean eva?" in unknown.json()["message"]) == (404, True)
        fault(await teacher.post(asked, json={"players": ["eva", "bob"]}), 409, "join_twice")
        assert len((await player.get("/api/v1/tournaments/cup")).json()["entrants"]) == 2, "all or none"
        made = (await teacher.post(asked, json={"players": ["eva"]})).json()
        assert [one["name"] for one in made["entrants"]] == ["ana", "bob", "eva"]
        assert made["total"] == 6
        (told,) = web.server.notices._kept["eva"]
        assert (told.code, told.parts.code) == ("tournament", "joined")
