"""A tournament on three nodes with one PostgreSQL, whose referee is harmed again and again, as a seed says.

    python -m benchmarks.nodes --faults 30 --seed 1
    python -m benchmarks.nodes --kinds kill --faults 100
    python -m benchmarks.nodes --ground own --faults 200        # as root: every kind of fault, see `_ground`

As in `kills`, the students record every result they are told, and in the end each must be in the records exactly once
and unchanged, the records must verify and the standings follow from them. Besides, no student who always answers in
time may have lost a match by the clock or by being away, unless this process, which plays all of them, did not run for
that long itself, and no watcher may hear a number twice or out of order.
Needs a PostgreSQL in which schemas may be made (PALESTRA_TEST_POSTGRESQL; see `tests/support/databases.py`), or
its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

import httpx
import psycopg
from tests.support.databases import postgresql_schema
from tests.support.nodes import NodeProcess
from tests.support.played import new_tournament
from tests.support.proxies import Proxy
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from benchmarks._ground import NETWORK, Namespace, Postgres, namespaces, postgres
from benchmarks._tables import command
from benchmarks.kills import (
    CUP,
    KINDS,
    MOVE_MS,
    NAMES,
    TURNS_MOST,
    Told,
    Witness,
    check,
    end_of,
    spread,
)
from palestra_protocol import limits
from palestra_server.runtime import Roster
from palestra_server.store import Store
from palestra_tournament import Result

FAULTS: Final = 30
FAULTS_A_CYCLE: Final = 5  # matches go on beside faults
NODES: Final = ("one", "two", "three")
BEAT_S: Final = 0.02
LATE_S: Final = 0.1
CHARGED_S: Final = (MOVE_MS + 200) / 1000  # what a student may take, with the cup's allowance
ALLOWED_S: Final = {"timeout": CHARGED_S, "disconnect": limits.AWAY_MS / 1000, "not_ready": 60.0}
MARK: Final = "palestra-nodes"  # how PostgreSQL knows the connections of this benchmark
STOPPED_S: Final = 15.0  # longest time for which a node stands still; the lease is 5 s
ASKED_S: Final = 2.0
GOES: Final = ("kill", "drain")  # after these another node referees, at once
EVERYWHERE: Final = (*GOES, "stop", "commit", "cut", "stall", "deaf")
OWN: Final = (*EVERYWHERE, "restart", "crash", "full", "link")


class Pulse:
    """When this process did not run: its loop beats every BEAT_S, and what comes later than LATE_S was held up."""

    def __init__(self) -> None:
        self._gaps: list[tuple[float, float]] = []  # from, to

    async def beat(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(BEAT_S)
            ended = time.monotonic()
            if ended - began > LATE_S:
                self._gaps.append((began, ended))

    def stood_still(self, since: float, until: float) -> float:
        """For how long, in this time."""
        return sum(max(0.0, min(until, to) - max(since, from_)) for from_, to in self._gaps)

    def spread(self) -> str:
        long = [to - from_ for from_, to in self._gaps]
        return f"{sum(long):.0f} s; {max(long, default=0.0):.2f} s"


class Guest(Witness):
    """A student who knows all nodes. What it hears from `leaving`, which hands over, is not of the next referee."""

    leaving: str | None = None
    silence_s = 5.0
    asked: ClassVar[dict[tuple[str, str], float]] = {}  # when a student was last asked for a move in a match
    ended: ClassVar[dict[str, float]] = {}  # when a match was

    def heard(self, message: dict[str, Any]) -> None:
        if message["type"] == "turn":
            Guest.asked[self._name, message["match"]] = time.monotonic()
        elif message["type"] == "match_end":
            Guest.ended.setdefault(message["match"], time.monotonic())
        if message["type"] != "welcome" or self._urls[0] != Guest.leaving:
            super().heard(message)

    @classmethod
    def times(cls, name: str, match: str) -> tuple[float, float]:
        """From when this student may have been sent its last turn, which it read later, to the end of the match."""
        ended = cls.ended.get(match, 0.0)
        return cls.asked.get((name, match), ended) - 2 * CHARGED_S, ended


@dataclass
class Ground:
    """`database`: as the benchmark itself reaches it."""

    database: str
    cluster: Postgres | None = None
    spaces: dict[str, Namespace] = field(default_factory=dict)
    proxies: dict[str, Proxy] = field(default_factory=dict)
    nodes: dict[str, NodeProcess] = field(default_factory=dict)

    async def end(self, told: Told) -> list[dict[str, Any]]:
        """The final standings, once the tournament is over, from whoever referees then."""
        while True:
            with suppress(httpx.HTTPError, KeyError):  # the last fault may move the referee once more
                return await end_of((await referee(self.nodes)).web, told)

    async def keep(self) -> None:
        """Start whatever ended again, as systemd does."""
        while True:
            await asyncio.sleep(1)
            for node in self.nodes.values():
                if node.process.poll() is not None:
                    node.start()


async def referee(nodes: Mapping[str, NodeProcess]) -> NodeProcess:
    """The node that referees, once one does."""
    while True:
        for node in nodes.values():
            for each in await asyncio.to_thread(_asked, node):
                if each["state"] == "referee":
                    return nodes[each["name"]]


def _asked(node: NodeProcess) -> list[dict[str, Any]]:
    try:
        return list(node.api("GET", "/nodes", timeout=ASKED_S).get("nodes", []))
    except Exception:  # it is being started, or stands still
        return []


async def harm(fault: str, node: NodeProcess, chance: random.Random, ground: Ground) -> None:
    """Do this to the node that referees, or to the database, and make it whole again."""
    proxy, cluster, long = ground.proxies[node.name], ground.cluster, chance.uniform(1, STOPPED_S)
    if fault == "kill":
        node.process.kill()
    elif fault == "drain":
        while "nodes" not in await asyncio.to_thread(node.api, "POST", f"/nodes/{node.name}/drain"):
            pass  # the others are still starting
        while (await referee(ground.nodes)) is node:
            pass
        await asyncio.to_thread(node.api, "POST", f"/nodes/{node.name}/resume")
    elif fault in ("stop", "commit"):
        if fault == "stop":
            node.process.send_signal(signal.SIGSTOP)
        else:
            await asyncio.to_thread(stop_in_a_commit, node, ground.database)
        await asyncio.sleep(long)
        node.process.send_signal(signal.SIGCONT)
    elif fault == "cut":  # every connection to the database
        with psycopg.connect(ground.database, autocommit=True, application_name="administrator") as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s", (MARK,))
    elif fault in ("stall", "deaf"):
        proxy.stall() if fault == "stall" else proxy.deafen()
        await asyncio.sleep(long)
        if chance.random() < 0.5:
            proxy.cut()
        proxy.mend()
    elif fault == "link":
        ground.spaces[node.name].link("down")
        await asyncio.sleep(long)
        ground.spaces[node.name].link("up")
    elif fault == "full":
        assert cluster is not None
        await asyncio.to_thread(cluster.fill)
        await asyncio.sleep(long)
        cluster.clear()
        with suppress(psycopg.OperationalError):
            psycopg.connect(ground.database).close()
            return
        await asyncio.to_thread(cluster.restart, "fast")  # it ended itself for want of room, as an administrator sees
    else:
        assert cluster is not None
        await asyncio.to_thread(cluster.restart, "fast" if fault == "restart" else "immediate")


def stop_in_a_commit(node: NodeProcess, database: str) -> None:
    """The database has what this node is writing, and the node never reads that it was written."""
    waits = (
        "SELECT 1 FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock' "
        "AND query NOT LIKE 'UPDATE referee SET until%%' AND query NOT LIKE '%%ON CONFLICT%%'"
    )
    with psycopg.connect(database, application_name="administrator") as admin:
        admin.execute("SELECT 1 FROM referee FOR UPDATE")
        until = time.monotonic() + 2
        with psycopg.connect(database, autocommit=True) as other:
            while other.execute(waits, (MARK,)).fetchone() is None and time.monotonic() < until:
                pass
        node.process.send_signal(signal.SIGSTOP)


async def watch(node: NodeProcess, topic: str, seen: list[int]) -> None:
    """Watch at this node, whoever referees. AssertionError if a number comes twice or out of order."""
    while True:
        with suppress(OSError, WebSocketException, TimeoutError):
            url = node.url.replace("/play", "/watch")
            async with connect(url, subprotocols=["palestra.v1.json"], proxy=None, ping_interval=5) as socket:  # type: ignore[list-item]
                await socket.send(json.dumps({"type": "watch", "topic": topic, "from": seen[-1] if seen else None}))
                async for frame in socket:
                    message = json.loads(frame)
                    if message["type"] != "event":
                        break
                    number, is_snapshot = message["seq"], message["event"]["type"] == "snapshot"
                    assert is_snapshot or not seen or number > seen[-1], f"{topic}: {number} after {seen[-1]}"
                    seen.append(number)
        await asyncio.sleep(0.5)


async def play(
    folder: Path, ground: Ground, kinds: tuple[str, ...], faults: int, seed: int, pulse: Pulse
) -> tuple[Told, list[dict[str, Any]], dict[str, list[float]], int]:
    """Play the whole tournament; return what was told, the standings shown, the seconds until the next turn by kind of
    fault, and how many events watchers had.

    The seconds count from the fault where another node referees at once, else from when all is whole again.
    """
    chance = random.Random(seed)
    with closing(Store(folder / "made", ground.database)) as store:
        tokens = Roster(store.players).enrol(NAMES)
        cycles = max(1, ceil(faults / FAULTS_A_CYCLE))
        store.tournaments.create(new_tournament(CUP.format(cycles=cycles, move_ms=MOVE_MS)))
    told, students, tasks = Told(), [], []
    waits: dict[str, list[float]] = {}
    await referee(ground.nodes)
    watched: list[list[int]] = []
    try:
        for (name, token), kind in zip(tokens.items(), KINDS, strict=True):
            urls = [node.url for node in ground.nodes.values()]
            student = Guest(name, token, kind, str(seed), MOVE_MS / 1000, *urls)
            student.told = told
            students.append(student)
            tasks.append(asyncio.create_task(student.live()))
        for node in ground.nodes.values():
            watched.append([])
            tasks.append(asyncio.create_task(watch(node, "tournament:cup", watched[-1])))
        tasks += [asyncio.create_task(ground.keep()), asyncio.create_task(pulse.beat())]
        for number in range(faults):
            await told.reach(chance.randint(1, TURNS_MOST))
            node, fault = await referee(ground.nodes), chance.choice(kinds)
            print(f"{number + 1:4} {fault} {node.name}", flush=True)
            Guest.leaving = node.url if fault == "drain" else None
            if fault in GOES:
                told.begin()
                began = time.monotonic()
                harmed = asyncio.create_task(harm(fault, node, chance, ground))
            else:
                await harm(fault, node, chance, ground)
                told.begin()
                for student in students:
                    student.life = told.life
                began, harmed = time.monotonic(), None
            await told.reach(1)
            waits.setdefault(fault, []).append(told.first_turn - began)
            if harmed is not None:
                await harmed
            for task in tasks:
                if task.done():
                    task.result()  # raises what a student or watcher found wrong
        shown = await ground.end(told)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return told, shown, waits, sum(map(len, watched))


@contextmanager
def prepared(folder: Path, own: bool, clocks: bool) -> Iterator[Ground]:
    """Three nodes. `own`: on a PostgreSQL and in networks of their own; `clocks`: an hour apart, by libfaketime."""
    with ExitStack() as stack:
        if own:
            spaces = dict(zip(NODES, stack.enter_context(namespaces(len(NODES))), strict=True))
            near = f"{NETWORK}.1"
            cluster = stack.enter_context(postgres(near))
            ground = Ground(cluster.url, cluster, spaces)
        else:
            near, ground = "127.0.0.1", Ground(stack.enter_context(postgresql_schema()))
        env = {"PALESTRA_MOVE_MS": str(MOVE_MS), "PALESTRA_READY_MS": "60000", "PALESTRA_AWAY_MS": "60000"}
        for name, hours in zip(NODES, (0, 1, -1), strict=True):
            proxy, url = Proxy.to(f"{ground.database}&application_name={MARK}", near)
            ground.proxies[name] = stack.enter_context(proxy)
            space = ground.spaces.get(name)
            where: dict[str, Any] = {} if space is None else {"host": space.address, "within": space.command}
            if clocks and hours:
                (library,) = Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
                where |= {"LD_PRELOAD": str(library), "FAKETIME": f"{hours:+}h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
            node = ground.nodes[name] = NodeProcess(folder, url, name, **where, **env)
            stack.callback(node.stop)
            stack.callback(node.process.send_signal, signal.SIGCONT)
        yield ground


def run(
    faults: int = FAULTS,
    seed: int = 1,
    kinds: str = "",
    ground: Literal["given", "own"] = "given",
    clocks: bool = False,
) -> list[tuple[str, str]]:
    """Return the table. AssertionError or TimeoutError if a requirement above is violated.

    `kinds` of faults, with commas between them: of OWN. `clocks`: an hour apart, by libfaketime.
    """
    chosen = tuple(kinds.split(",")) if kinds else OWN if ground == "own" else EVERYWHERE
    pulse = Pulse()
    with tempfile.TemporaryDirectory() as name, prepared(Path(name), ground == "own", clocks) as standing:
        began = time.monotonic()
        told, shown, waits, events = asyncio.run(play(Path(name), standing, chosen, faults, seed, pulse))
        seconds = time.monotonic() - began
        for node in standing.nodes.values():
            node.stop()
        t, report = check(Path(name) / "made", told, shown, standing.database)
    prompt = {name for name, kind in zip(NAMES, KINDS, strict=True) if kind == "good"}
    lost = [result for result in t.results.values() if result.reason in ALLOWED_S and _loser(result) in prompt]
    held_up = {result.match: pulse.stood_still(*Guest.times(_loser(result), result.match)) for result in lost}
    flagged = [each for each in lost if held_up[each.match] < ALLOWED_S[each.reason]]
    told_why = [f"{_loser(each)} in {each.match} ({each.reason}; held up {held_up[each.match]:.2f} s)" for each in lost]
    assert not flagged, f"a student who was in time lost by the clock, one of {'; '.join(told_why)}"
    reasons = Counter(str(result.reason) for result in t.results.values())
    return [
        ("faults (seed)", f"{sum(map(len, waits.values()))} ({seed}){', clocks an hour apart' if clocks else ''}"),
        ("results, each in the records once and as it was told", f"{len(t.results):,}, told {len(told.ends):,}"),
        ("lost by the clock, of those who were in time", "0"),
        ("the same, held up here for longer than they may think", "; ".join(told_why) or "0"),
        ("this process did not run for, in all; at once", pulse.spread()),
        ("events of three watchers, one at each node, in order", f"{events:,}"),
        ("how the matches ended", ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())),
        ("verify", report),
        *(
            (
                f"{fault} ({len(found)}): from {'it' if fault in GOES else 'its end'} to the next turn: median, worst",
                spread(found),
            )
            for fault, found in sorted(waits.items())
        ),
        ("load average at the end, cores", f"{os.getloadavg()[1]:.1f} (5 minutes), {os.cpu_count()}"),
        ("the whole tournament, which ended by itself", f"{seconds:.0f} s"),
    ]


def _loser(result: Result) -> str:
    first, second = result.returns
    return result.fixture.players[0 if first < second else 1]


if __name__ == "__main__":
    command(run)
