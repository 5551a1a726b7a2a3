"""The last round under embargo: nothing tells its results before the teacher does."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.players import RawPlayer
from tests.support.web import KEY, fault

CUP = """
name = "final"
games = ["connect4"]
format = "round-robin"
embargo = "last-round"
clock = { move_ms = 60000, ready_ms = 300000 }
"""


def play_two(players):
    """Both play the two matches of the only round to their ends; what the first was told of them."""

    def both(player):
        player.send(type="ready", match=player.first)
        ends = [player.play()[0]]
        player.ready()
        return [*ends, player.play()[0]]

    with ThreadPoolExecutor() as pool:
        return next(iter(pool.map(both, players)))


def begun(players):
    """The match that begins for both, once they have been told."""
    for player in players:
        player.first = player.until("match_start")["match"]
    return players[0].first


def looked_at(url):
    """What a spectator sees of a match that is on: the lobby, and what there is to watch of each match."""
    with RawPlayer(url, "eva") as eva:
        eva.send(type="watch", topic="lobby")
        lobby = eva.until("event")["event"]
        return {player["name"]: player["busy"] for player in lobby["players"]}, lobby["matches"]


def refusal(url, match):
    with RawPlayer(url, "eva") as eva:
        eva.send(type="watch", topic=f"match:{match}")
        return eva.until("error")


async def get(client, path, asks=False):
    answer = await client.get(f"/api/v1{path}{('&' if '?' in path else '?') + 'hidden=show' if asks else ''}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def results(client, asks=False):
    """What lists and counts tell: matches in the list, ana's matches played, judged, by opponent and tournament, and
    the games in which ana has a strength.
    """
    ana = next(one for one in (await get(client, "/players", asks))["players"] if one["name"] == "ana")
    page = await get(client, "/players/ana", asks)
    return (
        len((await get(client, "/matches", asks))["matches"]),
        ana["played"],
        sum(sum(one["choices"]) for one in page["judged"]["games"].values()),
        *[
            len((await get(client, f"/players/ana/scores?by={by}", asks))["scores"])
            for by in ("opponent", "tournament")
        ],
        len(page["strengths"]),
    )


def judged(match):
    """What a judge says of a match, in the fewest words."""
    accuracy = [{"kept": [1, 1, 1], "choices": [1, 1, 1]}] * 2
    return {
        "match": match,
        "game": "connect4",
        "exact": True,
        "moves": [],
        "decisive": None,
        "accuracy": accuracy,
        "nodes": 1,
    }


@pytest.mark.slow
async def test_the_last_round_is_hidden_wherever_one_looks(open_web):
    async with open_web("ana", "bob", "cid", guests=True) as web:
        url = f"ws://127.0.0.1:{web.server.opened.port}/play"
        visitor, teacher, cid = web.client(), web.client(KEY), web.client(web.tokens["cid"])
        players = await asyncio.to_thread(lambda: [RawPlayer(url, token=web.tokens[name]) for name in ("ana", "bob")])
        answer = await teacher.post("/api/v1/tournaments", json={"toml": CUP + 'who = { players = ["ana", "bob"] }\n'})
        assert answer.status_code == 200, answer.text
        assert not (await get(teacher, "/tournaments/final"))["hides"]
        await teacher.post("/api/v1/tournaments/final/start")
        first = await asyncio.to_thread(begun, players)
        busy, shown = await asyncio.to_thread(looked_at, url)
        assert (busy["ana"], shown) == (True, [])
        assert (await get(teacher, "/tournaments/final"))["hides"]
        assert (await asyncio.to_thread(refusal, url, first))["code"] == "unknown_topic"
        fault(await visitor.get(f"/api/v1/matches/{first}/snapshot"), 403, "embargoed")
        fault(await teacher.get(f"/api/v1/matches/{first}/snapshot"), 403, "embargoed")
        live = await get(teacher, f"/matches/{first}/snapshot", asks=True)
        assert (live["type"], set(live["players"]), live["result"]) == ("snapshot", {"ana", "bob"}, None)

        ends = await asyncio.to_thread(play_two, players)
        for player in players:
            await asyncio.to_thread(player.close)  # the server, whose loop this is, answers
        last = ends[-1]["match"]
        assert {first, last} == web.server.embargo.hidden.matches
        await teacher.put(f"/api/v1/matches/{last}/analysis?hidden=show", json=judged(last))
        for path in ("/matches", "/tournaments/final/standings"):
            public = await get(visitor, path)
            assert await get(teacher, f"{path}?as=visitor") == await get(teacher, path) == public
            assert await get(teacher, path, asks=True) != public == await get(visitor, path, asks=True)
        assert "reveals" in (await asyncio.to_thread(refusal, url, last))["message"]
        for client in (visitor, cid):
            assert await results(client) == (0, 0, 0, 0, 0, 0)
            for tail in ("", "/record", "/snapshot", "/analysis"):
                fault(await client.get(f"/api/v1/matches/{last}{tail}"), 403, "embargoed")
        for key in (web.tokens["bob"], KEY):
            assert (await get(web.client(key), f"/matches/{last}", asks=True))["returns"] == ends[-1]["returns"]
            snapshot = await get(web.client(key), f"/matches/{last}/snapshot", asks=True)
            assert snapshot["result"]["returns"] == ends[-1]["returns"]
        assert await results(teacher) == (0, 0, 0, 0, 0, 0), "not on a projector"
        assert await results(teacher, asks=True) == (2, 2, 3, 1, 1, 0)

        ruling = {"match": last, "verdict": "draw", "why": "a storm"}
        assert (await teacher.post("/api/v1/tournaments/final/rule", json=ruling)).status_code == 200
        for asks, about in ((False, {"name": "final"}), (True, {"name": "final", **ruling})):
            assert (await get(teacher, "/acts", asks=asks))["acts"][0]["about"] == about

        await teacher.post("/api/v1/tournaments/final/reveal")
        assert not (await get(teacher, "/tournaments/final"))["hides"]
        assert await results(visitor) == (2, 2, 3, 1, 1, 1)
        assert (await get(visitor, f"/matches/{last}"))["match"] == last
