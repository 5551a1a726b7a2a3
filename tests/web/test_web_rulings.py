"""Rulings over the API: who may make one, and who sees it."""

from tests.support.web import KEY, fault

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
        assert (told["verdict"], told["why"], told["reason"]) == ("draw", RULING["why"], "timeout")
        rows = (await player.get("/api/v1/tournaments/cup/standings")).json()["rows"]
        assert [row["points"] for row in rows] == [0.5, 0.5]


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
