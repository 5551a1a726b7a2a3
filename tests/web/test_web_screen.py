"""The remote control of the big screen, over the API."""

from tests.support.web import KEY, fault

from palestra_tournament import Ended, MatchStarted

CUP = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\nopenings = false\n'


async def show(client, **order):
    return await client.post("/api/v1/screen", json=order)


async def test_the_teacher_alone_has_the_remote(open_web):
    async with open_web("ana") as web:
        for client in (web.client(), web.client(web.tokens["ana"])):
            assert (await show(client, show="next")).status_code in (401, 403)
            state = (await client.get("/api/v1/screen")).json()
            assert (state["show"], state["going"], state["ceremony"]) == ("auto", 0, None)
        teacher = web.client(KEY)
        assert (await show(teacher, show="next")).json()["going"] == 1
        assert (await show(teacher, show="hold")).json()["show"] == "hold"
        assert (await show(teacher, show="next")).json()["show"] == "auto"
        fault(await show(teacher, show="match"), 422, "no_match")
        fault(await show(teacher, show="match", match="none"), 404, "unknown_match")
        fault(await show(teacher, show="ceremony"), 409, "no_ceremony")
        fault(await show(teacher, show="dance"), 422, "bad_request")


async def test_a_hidden_match_is_not_shown_and_a_hidden_podium_place_by_place(open_web):
    async with open_web("ana", "bob") as web, web.client(KEY) as teacher, web.client() as visitor:
        await teacher.post("/api/v1/tournaments", json={"toml": CUP + 'embargo = "last-round"\n'})
        field = (await visitor.get("/api/v1/tournaments/cup")).json()
        assert [one["name"] for one in field["entrants"]] == field["missing"] == ["ana", "bob"]
        await teacher.post("/api/v1/tournaments/cup/start")
        live = await web.server.catalogue.fetch("cup")
        fault(await show(teacher, show="ceremony", tournament="cup"), 409, "no_ceremony")
        for number, fixture in enumerate(live.tournament.fixtures):
            live.feed(MatchStarted(fixture.id, f"m{number}", 1))
            asked = await teacher.post("/api/v1/screen?hidden=show", json={"show": "match", "match": f"m{number}"})
            assert asked.status_code in (403, 404)
            won = (1.0, -1.0) if fixture.players[0] == "bob" else (-1.0, 1.0)
            live.feed(Ended(fixture.id, f"m{number}", won, "rules", 1, (3,), (22,), 2))
        assert (await show(teacher, show="ceremony")).json()["podium"] == []
        assert (await visitor.get("/api/v1/tournaments/cup")).json()["hides"]
        second = (await show(teacher, show="next")).json()
        assert [[one["player"] for one in step] for step in second["podium"]] == [["ana"]]
        assert (await visitor.get("/api/v1/screen")).json() == second
        assert (await visitor.get("/api/v1/tournaments/cup")).json()["hides"]
        whole = (await show(teacher, show="next")).json()
        assert [one["player"] for one in whole["podium"][-1]] == ["bob"]
        assert whole["is_whole"]
        assert not (await visitor.get("/api/v1/tournaments/cup")).json()["hides"], "who won was told to all"
        assert (await show(teacher, show="auto")).json()["podium"] == []
