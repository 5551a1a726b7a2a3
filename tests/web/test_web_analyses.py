"""The judge's answers: stored with the teacher's key, read by whoever may see the match."""

import asyncio
import copy
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.players import RawPlayer
from tests.support.web import KEY, fault

from palestra_bots.judge import judge
from palestra_protocol.analysis import to_json

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
        fault(await visitor.get(PATH.format(match)), 404, "not_judged")
        fault(await visitor.get(PATH.format("nix")), 404, "unknown_match")
        fault(await ana.post("/api/v1/judging", json={"games": ["connect4"]}), 403, "forbidden")
        assert (await teacher.post("/api/v1/judging", json={"games": ["mancala"]})).json() == {"match": None}
        assert (await teacher.post("/api/v1/judging", json={"games": ["connect4"]})).json() == {"match": match}
        # It is being judged now: another judge gets other work.
        assert (await teacher.post("/api/v1/judging", json={"games": ["connect4"]})).json() == {"match": None}

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
        for _ in range(2):  # judged twice, it is the same
            answer = await teacher.put(PATH.format(match), json=found)
            assert answer.status_code == 204, answer.text
            assert (await visitor.get(PATH.format(match))).json() == found
