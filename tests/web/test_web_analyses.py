"""The judge's answers: stored with the teacher's key, read by whoever may see the match."""

import asyncio
import copy
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.players import RawPlayer
from tests.support.web import KEY, fault

from palestra_bots.judge import judge
from palestra_protocol.analysis import Analysis, to_json

PATH = "/api/v1/matches/{}/analysis"


def played(url, tokens):
    """The id of a match of connect4 that ana and bob have played to its end."""
    with RawPlayer(url, token=tokens["ana"]) as ana, RawPlayer(url, token=tokens["bob"]) as bob:
        ana.send(type="challenge", opponent="bob", game="connect4")
        with ThreadPoolExecutor() as pool:
            ends = list(pool.map(lambda player: (player.ready(), player.play()[0])[1], (ana, bob)))
        return ends[0]["match"]


@pytest.mark.slow
async def test_a_judge_takes_matches_and_stores_what_it_found(open_web):
    async with open_web("ana", "bob") as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        teacher, visitor, ana = web.client(KEY), web.client(), web.client(web.tokens["ana"])
        match = await asyncio.to_thread(played, url, web.tokens)
        alone = await visitor.get(PATH.format(match))
        fault(alone, 404, "not_judged")
        assert "retry-after" not in alone.headers, "there is no judge"
        unknown = await visitor.get(PATH.format("nix"))
        fault(unknown, 404, "unknown_match")
        assert "12 letters and digits" in unknown.json()["message"]
        fault(await ana.post("/api/v1/judging", json={"games": ["connect4"]}), 403, "forbidden")
        assert (await teacher.post("/api/v1/judging", json={"games": ["mancala"]})).json()["match"] is None
        assert (await visitor.get(f"/api/v1/matches/{match}")).json()["judging"] is False
        assert (await teacher.post("/api/v1/judging", json={"games": ["connect4"]})).json()["match"] == match
        waiting = await visitor.get(PATH.format(match))
        fault(waiting, 404, "not_judged")
        assert waiting.headers["retry-after"] == "2"
        # It is being judged now: another judge gets other work.
        assert (await teacher.post("/api/v1/judging", json={"games": ["connect4"]})).json()["match"] is None

        told = (await teacher.get(f"/api/v1/matches/{match}")).json()
        found = json.loads(to_json(await asyncio.to_thread(judge, told)))
        assert found["match"] == match
        assert len(found["moves"]) == len(told["moves"])
        for client in (visitor, ana):
            assert (await client.put(PATH.format(match), json=found)).status_code == 403
        other, longer, odd = copy.deepcopy(found), copy.deepcopy(found), copy.deepcopy(found)
        other["match"] = "another"
        longer["moves"][0]["ply"] = 43
        odd["moves"][0]["class"] = "brilliant"
        for wrong in (other, longer, odd):
            assert (await teacher.put(PATH.format(match), json=wrong)).status_code == 422
        fault(await visitor.get(PATH.format(match)), 404, "not_judged")
        assert (told["judged"], told["judging"]) == (False, True)
        for _ in range(2):  # judged twice, it is the same
            answer = await teacher.put(PATH.format(match), json=found)
            assert answer.status_code == 204, answer.text
            assert (await visitor.get(PATH.format(match))).json() == found
        undecided = json.loads(to_json(Analysis.model_validate(found).model_copy(update={"decisive": None})))
        assert (await teacher.put(PATH.format(match), json=undecided)).status_code == 204, "as a judge says of a draw"
        assert "decisive" not in (await visitor.get(PATH.format(match))).json()
        packed = await visitor.get(f"/api/v1/matches/{match}")
        assert (packed.headers["content-encoding"], packed.json()["judged"], packed.json()["judging"]) == (
            "gzip",
            True,
            False,
        )
        plain = await visitor.get(f"/api/v1/matches/{match}", headers={"accept-encoding": "identity"})
        assert ("content-encoding" in plain.headers, plain.json()) == (False, packed.json())
        assert [one["judged"] for one in (await visitor.get("/api/v1/matches")).json()["matches"]] == [True]
        for seat, name in enumerate(told["players"]):
            judged = (await visitor.get(f"/api/v1/players/{name}")).json()["judged"]
            accuracy = found["accuracy"][seat]
            assert judged["games"] == {"connect4": {"kept": accuracy["kept"], "choices": accuracy["choices"]}}
            causes = [each["code"] for each in found["diagnoses"] if each["seat"] == seat]
            lost = told["returns"][seat] < 0
            assert (judged["losses"], judged["causes"]) == (int(lost), dict.fromkeys(causes[:1] if lost else (), 1))


async def test_a_match_in_play_is_judged_for_the_big_screen_alone_and_a_move_late(open_web):
    async with open_web("ana", "bob", move_ms=3_600_000) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        teacher, visitor = web.client(KEY), web.client()

        async def asked():
            return (await teacher.post("/api/v1/judging", json={"games": ["connect4"]})).json()

        async def says(ply, chance):
            value = {"ply": ply, "chance": chance, "proved": False}
            assert (await teacher.put(f"/api/v1/matches/{match}/value", json=value)).status_code == 204
            return (await visitor.get("/api/v1/screen")).json()["value"]

        ana, bob = [await asyncio.to_thread(RawPlayer, url, token=token) for token in web.tokens.values()]
        ana.send(type="challenge", opponent="bob", game="connect4", seat=0)
        match = (await asyncio.to_thread(lambda: (ana.ready(), bob.ready())))[0]
        await asyncio.to_thread(lambda: ana.act(ana.until("turn"), 3))
        turn = await asyncio.to_thread(bob.until, "turn")
        nothing = {"live": None, "match": None, "soon": False}
        assert await asked() == nothing, "nobody asked for it"
        order = {"show": "match", "match": match, "judged": True}
        assert (await teacher.post("/api/v1/screen", json=order)).json()["judged"]
        position = {"match": match, "game": "connect4", "actions": [3]}
        assert await asked() == {"live": position, "match": None, "soon": True}
        assert await asked() == {"live": None, "match": None, "soon": True}
        assert await says(1, 0.7) is None
        fault(await visitor.get(PATH.format(match)), 404, "not_judged")
        await asyncio.to_thread(lambda: (bob.act(turn, 3), ana.until("turn")))
        assert (await asked())["live"]["actions"] == [3, 3]
        shown = {"ply": 1, "chance": 0.7, "proved": False, "plies": None}
        assert await says(2, 0.6) == shown, "the position before the last move"
        await asyncio.to_thread(lambda: (ana.send(type="resign", match=match), bob.until("match_end")))
        assert (await visitor.get("/api/v1/screen")).json()["value"] in (shown, {**shown, "ply": 2, "chance": 0.6})
        assert (await teacher.post("/api/v1/screen", json={"show": "auto"})).json()["value"] is None
        await asyncio.to_thread(lambda: (ana.close(), bob.close()))
