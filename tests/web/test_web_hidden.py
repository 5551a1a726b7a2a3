"""No answer, topic or file tells anything of a hidden round: the same tournament is played twice to its end, the two
differ in everything that is hidden, and to everybody but the teacher who asks for it they are the same, byte by byte.

Routes, their parameters and the kinds of topics come by introspection: a new one fails here until it is in the maps.
"""

import asyncio
import io
import json
import os
import shutil
import typing
import zipfile
from types import SimpleNamespace

import pytest
from fastapi.routing import iter_route_contexts
from tests.support.forked import run_server
from tests.support.hidden import (
    AT_ONCE,
    CUP,
    FORMATS,
    LAST,
    NAME,
    PLAYERS,
    Bot,
    Ear,
    dial,
    first_seat_resigns,
    timeless,
    until_hidden,
    weaker_leaves,
)
from tests.support.web import KEY, api_of, dependants

from palestra_referee.receipts import Kept
from palestra_referee.verification import INCOMPLETE
from palestra_server.runtime import Director, Gate, House, LiveTournament, View, Viewer
from palestra_server.runtime.catalogue import Catalogue
from palestra_server.runtime.finished import FinishedMatches
from palestra_server.runtime.move_times import MoveTimesOf
from palestra_server.runtime.ratings import Ratings
from palestra_server.runtime.table_cache import TableCache
from palestra_server.store import Journal, Store
from palestra_server.web.state import Desk
from palestra_tournament.verify import verify_export

ASKED = {"hidden": "show"}
OUTSIDER = "eva"

# What class lists say of each player is the teacher's alone, in the answers to these questions.
SECRET = "secret-"
CLASS = "name,email,SIS User ID\n" + "".join(
    f"{name},{SECRET}{name}@school.example,{SECRET}{at}\n" for at, name in enumerate((*PLAYERS, OUTSIDER))
)
TEACHERS = (
    "GET /api/v1/roster",
    f"POST /api/v1/tournaments/{NAME}/marks",
    "POST /api/v1/seasons/league/marks",
)
LEAGUE = f'name = "league"\ntournaments = ["{NAME}"]\n[grades]\nscore = {{ points = 8 }}\nbase = 1\n'

ELSEWHERE = ("/simple", "/docs")  # the package index, and pages to read: files that were made before any match
# How each parameter is filled, by the part of the path before it; a text stands for what `past` says.
PATHS = {
    "roster/{name:path}": ["ana"],
    "players/{name:path}": "involved",
    "matches/{match_id}": "some",
    "games/{game}": ["connect4"],
    "teachers/{name}": ["nobody"],
    "tournaments/{name}": [NAME],
    "seasons/{name}": ["league"],
    "nodes/{name}": ["none"],
    "docs/{name:path}": ["PROTOCOL.md"],
    "v1/{path:path}": ["nowhere"],
    "/{path:path}": "pages",
}
QUERIES = {
    "player": "involved",
    "opponent": "involved",
    "by": ["opponent", "tournament", "game"],
    "older": ["1"],
    "newer": ["2"],
    "lost_by": "involved",
    "game": ["connect4"],
    "tournament": [NAME],
    "limit": [1, 2],
    "before": "some",
    "actions": ["3,3"],
    "format": ["swiss"],
    "language": ["es"],
    "round": [1, 2],
    "group": ["", "a"],
    "state": ["waiting", "playing", "ended"],
    "start": [0, 1],
}
TOPICS = {"lobby": ["lobby"], "screen": ["screen"], "tournament": [f"tournament:{NAME}"], "match": "topics"}
# What is sent along. The others take no body.
BODIES = {
    "POST /session": {"key": "wrong"},
    "POST /roster/import": {"csv": ""},
    "POST /roster": {"names": []},
    "POST /roster/tokens": {"names": []},
    "PATCH /roster/{name:path}": {"nothing": 1},
    "POST /judging": {"games": ["chess"]},
    "PUT /matches/{match_id}/analysis": {"match": "none"},
    "PUT /matches/{match_id}/value": {"ply": -1},
    "POST /screen": {"show": "ceremony"},
    "POST /teachers": {"name": "", "rights": "read"},
    "POST /readiness": {"games": ["chess"], "passed": True},
    "POST /tournaments": {"toml": CUP + FORMATS["swiss"]},
    "POST /tournaments/check": {"toml": CUP + FORMATS["swiss"]},
    "POST /tournaments/form": {"toml": CUP + FORMATS["swiss"]},
    "POST /tournaments/{name}/marks": {"system": "people"},
    "POST /seasons": {"toml": LEAGUE},
    "POST /seasons/check": {"toml": LEAGUE},
    "POST /seasons/{name}/marks": {"system": "people"},
    "POST /tournaments/{name}/finish": {"counts_all": True},
    "POST /tournaments/{name}/add": {"players": ["ana"]},
    "POST /tournaments/{name}/withdraw": {"player": "ana"},
    "POST /tournaments/{name}/reinstate": {"player": "bob"},
    "POST /tournaments/{name}/repeat": {"match": "none"},
    "POST /tournaments/{name}/rule": {"match": "none", "verdict": "void", "why": "a stall"},
}
# Other tests ask these: the first two change what there is to see, and the roster's, whose token is good.
CHANGES = ("DELETE /tournaments/{name}", "POST /tournaments/{name}/reveal", "DELETE /seasons/{name}")


def meant(values, past):
    return getattr(past, values) if isinstance(values, str) else values


def filled(path, past):
    """The addresses of a route with its parameters filled in."""
    parts, found = path.split("/"), [""]
    for before, part in zip(["", *parts], parts, strict=False):
        if "{" not in part:
            found = [f"{one}/{part}" for one in found]
        else:
            found = [f"{one}/{value}" for one in found for value in meant(PATHS[f"{before}/{part}"], past)]
    return [one.removeprefix("/") for one in found]


def requests(app, past):
    """Everything that can be asked: (method and route, address, body)."""
    for route in iter_route_contexts(api_of(app).routes):
        if route.path.startswith(ELSEWHERE):
            continue
        dependant = getattr(route, "dependant", None)
        for path in filled(route.path, past):
            queries = [""]
            for param in dependant.query_params if dependant else ():
                queries += [f"?{param.name}={value}" for value in meant(QUERIES[param.name], past)]
            for method in sorted(route.methods - {"HEAD"}):
                name = f"{method} {route.path.removeprefix('/api/v1')}"
                body = BODIES[name] if getattr(route, "body_field", None) else None
                for query in queries:
                    yield name, path + query, body


def plain(answer):
    """The bytes of an answer, a zip file's one by one."""
    if answer.headers.get("content-type") != "application/zip":
        return answer.content
    with zipfile.ZipFile(io.BytesIO(answer.content)) as files:
        found = {name: files.read(name).decode() for name in sorted(files.namelist())}
    manifest = json.loads(found["manifest.json"])
    del manifest["exported"]
    return json.dumps(found | {"manifest.json": manifest}).encode()


async def ask_everything(web, client, past, suffix):
    """Every answer to one who asks, by method and address."""
    told = {}
    for name, path, body in requests(web.app, past):
        if name in CHANGES or (client.key == KEY and not name.startswith("GET") and "/roster" in name):
            continue
        kind = name.partition(" ")[0]
        asked = path + suffix.replace("?", "&" if "?" in path else "?")
        answer = await client.request(kind, asked, json=body)
        told[f"{kind} {path}"] = f"{answer.status_code} {timeless(plain(answer))}"
    return told


class Played:
    """The answers of one run. `hidden`: every match of the hidden round, and how it ended."""

    def __init__(self):
        self.answers, self.heard, self.hidden, self.seen = {}, {}, [], ""


async def fixtures(client, **params):
    return (await client.get(f"/api/v1/tournaments/{NAME}/schedule", params=params)).json()["fixtures"]


async def join(web, stack, tokens, plan, last):
    """The bots of all players come, one after the other."""
    teacher = web.client(KEY)

    async def is_hidden(match):
        found = {each["match"]: each["round"] for each in await fixtures(teacher, **ASKED)}
        return found[match] == last

    bots = []
    for name in (OUTSIDER, *PLAYERS):
        bots.append(Bot(name, await dial(web.server.opened.port, tokens[name]), plan, is_hidden))
        stack.create_task(bots[-1].live())
    return bots


async def before_the_hidden_round(open_web, data, kind):
    """Plays all other rounds, and ends when the matches of the hidden one have begun and nobody has moved."""
    async with open_web(*PLAYERS, OUTSIDER, data=data, guests=True) as web:
        teacher = web.client(KEY)
        answer = await teacher.post("/api/v1/roster/import", json={"text": CLASS})
        assert len(answer.json()["changed"]) == len(PLAYERS) + 1
        answer = await teacher.post("/api/v1/tournaments", json={"toml": CUP + FORMATS[kind]})
        assert answer.status_code == 200, answer.text
        assert (await teacher.post("/api/v1/seasons", json={"toml": LEAGUE})).status_code == 200
        async with asyncio.TaskGroup() as stack:
            bots = await join(web, stack, web.tokens, until_hidden, LAST[kind])
            assert (await teacher.post(f"/api/v1/tournaments/{NAME}/start")).status_code == 200
            waiting = {asyncio.ensure_future(bot.held.wait()) for bot in bots}
            while sum(bot.held.is_set() for bot in bots) < 2 * AT_ONCE[kind]:
                _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for one in waiting:
                one.cancel()
            drawn = await fixtures(teacher, **ASKED)
            for bot in bots:
                await bot.socket.close()
    past = SimpleNamespace(tokens=web.tokens)
    past.hidden = sorted(each["match"] for each in drawn if each["match"] and each["round"] == LAST[kind])
    past.public = [each["match"] for each in drawn if each["match"] and each["round"] < LAST[kind]]
    past.involved = next(each["players"] for each in drawn if each["match"] == past.hidden[0])
    past.some = [past.public[0], *past.hidden]
    past.topics = [f"match:{match}" for match in past.some]
    past.pages = ["tournaments/cup", f"tournament/{NAME}/", f"embed/match/{past.hidden[0]}"]
    past.pages += [f"match/{match}" for match in past.some] + [f"player/{name}/" for name in past.involved]
    past.last = LAST[kind]
    return past


async def until_nobody_is_here(ear):
    left = 0

    def all_left(message):
        nonlocal left
        left += message.get("event", {}).get("type") == "player_left"
        return left == len(PLAYERS) + 1

    await ear.until(all_left)


async def after(open_web, data, past, plan, everyone):
    """Plays the hidden round and asks everything as everybody: as `everyone`, or only as those who may see least, a
    player's own, and most.
    """
    run = Played()
    async with open_web(data=data, guests=True) as web:
        teacher = web.client(KEY)
        lobby, ear = [await Ear.open(web.server.opened.port) for _ in range(2)]
        await lobby.watch("lobby")
        await ear.watch(f"tournament:{NAME}")
        async with asyncio.TaskGroup() as stack:
            gone = stack.create_task(until_nobody_is_here(lobby))
            bots = await join(web, stack, past.tokens, plan, past.last)
            await ear.until(lambda message: message.get("event", {}).get("state") == "completed")
            for bot in bots:
                await bot.socket.close()
            await gone
        run.heard["an outsider's bot"] = json.dumps(bots[0].heard)
        # Everybody has left by then: nothing else comes from the lobby.
        run.heard["lobby"], run.heard["tournament"] = written(lobby), written(ear)
        assert set(web.server.hub._providers) == set(TOPICS), "topics that this test knows"
        for topic in (topic for topics in TOPICS.values() for topic in meant(topics, past)):
            late = await Ear.open(web.server.opened.port)
            await late.watch(topic)
            await late.until(lambda message: message["type"] in ("event", "error"))
            run.heard[f"{topic}, afterwards"] = written(late)
        for match in past.some[:2]:  # one of a round that all have seen, and a hidden one
            ruling = {"match": match, "verdict": "stands", "why": plan.__name__}
            answer = await teacher.post(f"/api/v1/tournaments/{NAME}/rule", json=ruling)
            assert answer.status_code == 200, answer.text
        everybody = {
            "a visitor": (None, ""),
            "one who does not play": (past.tokens[OUTSIDER], ""),
            "one who plays": (past.tokens[past.involved[0]], ""),
            "the teacher's wall": (KEY, "?as=visitor"),
            "the teacher": (KEY, ""),
        }
        if not everyone:
            del everybody["one who does not play"], everybody["the teacher's wall"]
        for who, (key, suffix) in everybody.items():
            client = web.client(key)
            client.key = key
            run.answers[who] = await ask_everything(web, client, past, suffix)
        run.hidden = [each for each in await fixtures(teacher, **ASKED) if each["round"] == past.last]
        for path in (f"tournaments/{NAME}", "players", "matches", f"matches/{past.hidden[0]}"):
            run.seen += (await teacher.get(f"/api/v1/{path}", params=ASKED)).text
    return run


def written(ear):
    """What was heard, without who came and went."""
    told = [each for each in ear.heard if each.get("event", {}).get("type") not in ("player_joined", "player_left")]
    return timeless(json.dumps(told).encode())


@pytest.fixture
def forked_exports(monkeypatch, tmp_path):
    """Exports are written by copies of a process that has loaded the command, for there are many."""

    async def written(settings, file, *which):
        arguments = ["export", "--data", str(settings.data), "--out", file, *which]
        ended = await asyncio.to_thread(run_server, arguments, dict(os.environ), tmp_path / "exports.log")
        return None if ended.returncode in (0, INCOMPLETE) else ended.stderr

    monkeypatch.setattr("palestra_server.web.api.export._written", written)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.usefixtures("forked_exports")
@pytest.mark.process
async def test_whatever_is_asked_tells_nothing_of_a_hidden_round(open_web, tmp_path, kind):
    past = await before_the_hidden_round(open_web, tmp_path / "before", kind)
    runs = []
    for plan in (first_seat_resigns, weaker_leaves):
        data = tmp_path / plan.__name__
        shutil.copytree(tmp_path / "before", data)
        # Who may see what is the same for all formats; what is hidden of a tournament is not.
        runs.append(await after(open_web, data, past, plan, everyone=kind == "swiss"))
    one, other = runs

    # What is hidden is there, and differs, for the teacher who asks:
    assert [each["returns"] for each in one.hidden] != [each["returns"] for each in other.hidden]
    assert one.seen != other.seen
    for run in runs:
        assert all(match in run.seen for match in past.hidden)
    assert (one.seen.count(first_seat_resigns.__name__), other.seen.count(weaker_leaves.__name__)) == (5, 5), "rulings"

    await and_it_is_written_when_asked_for(open_web, tmp_path / weaker_leaves.__name__, past)

    told = []
    secret = {each["match"] for run in runs for each in run.hidden if each["match"]} | set(past.hidden)
    for who in one.answers:
        own = past.hidden[0] if who == "one who plays" else None
        for asked, answer in one.answers[who].items():
            if own is not None and (own in asked or "failures" in asked):
                continue  # they know how their own match ended
            told += differs(f"{who}: {asked}", answer, other.answers[who][asked])
            told += names(f"{who}: {asked}", answer, {match for match in secret if match not in asked})
    for topic, heard in one.heard.items():
        told += differs(topic, heard, other.heard[topic])
        told += names(topic, heard, {match for match in secret if match not in topic})
    told += secrets(one)
    assert not told, "\n".join([f"{len(told)} answers tell something:", *told])


def secrets(run):
    """Who was told e-mails or ids, and by what."""
    assert all(SECRET in run.answers["the teacher"][asked] for asked in TEACHERS)
    told = [(topic, heard) for topic, heard in run.heard.items()]
    for who, answers in run.answers.items():
        may = TEACHERS if who.startswith("the teacher") else ()
        told += [(f"{who}: {asked}", answer) for asked, answer in answers.items() if asked not in may]
    return [f"{what} has an e-mail or an id" for what, text in told if SECRET in text]


async def and_it_is_written_when_asked_for(open_web, data, past):
    """An export leaves the round out, and says so; with it, it is as after the reveal."""
    async with open_web(data=data) as web:
        teacher = web.client(KEY)
        without = await teacher.get("/api/v1/export.zip", timeout=None)
        mine = past.hidden[0]
        report = verify_export(io.BytesIO(without.content), [Kept(mine, NAME, "00" * 32, 0)])
        assert report.ok, str(report)
        assert report.remarks == (
            "Left out: the last round of the tournament cup, which is hidden until it is revealed.",
            f"Not compared: the receipt of match {mine}, of the tournament cup, whose hidden round is left out.",
        )
        whole = await teacher.get("/api/v1/export.zip?hidden=show", timeout=None)
        asked = verify_export(io.BytesIO(whole.content))
        assert asked.ok, str(asked)
        ruled = [f"Ruling: match {match}" for match in past.some[:2]]
        assert [each.partition(" (")[0] for each in asked.remarks] == ruled
        assert asked.matches > report.matches == len(past.public)
        refused = await teacher.delete(f"/api/v1/tournaments/{NAME}")
        assert (refused.status_code, refused.json()["error"]) == (409, "hides"), "its matches would be seen without it"


def differs(what, one, other):
    if one == other:
        return []
    at = next(at for at, (a, b) in enumerate(zip(one + "\0", other + "\0", strict=False)) if a != b)
    start = max(0, at - 60)
    return [f"{what} differs: ...{one[start : at + 60]}... or ...{other[start : at + 60]}..."]


# What a route may be handed: what tells nothing of matches and tournaments, and the view of whoever asks.
HANDED = {Desk, View, Viewer}


async def test_a_route_is_handed_nothing_that_leaves_out_nothing(open_web):
    async with open_web() as web:
        needed = [each for dependant in dependants(web.app) for each in dependant.dependencies]
        assert {typing.get_type_hints(each.call)["return"] for each in needed} == HANDED
        leaky = {
            Catalogue,
            Gate,
            MoveTimesOf,
            Ratings,
            House,
            Journal,
            LiveTournament,
            FinishedMatches,
            TableCache,
            Store,
        }
        for kind in (Desk, Director, View):
            public = {name: hint for name, hint in typing.get_type_hints(kind).items() if not name.startswith("_")}
            assert not leaky & {*public.values()}, kind


def names(what, text, secret):
    return [f"{what} names {match}" for match in secret if match in text]
