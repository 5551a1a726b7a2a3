"""A tournament on three nodes with one PostgreSQL, whose referee is killed, stopped, cut off and drained by a seed.

    python -m benchmarks.nodes --faults 30 --seed 1

As in `kills`, the students record every result they are told, and in the end each must be in the records exactly once
and unchanged, the records must verify and the standings follow from them. Besides, no student who always answers in
time may have lost a match by the clock or by being away. Needs a PostgreSQL in which schemas may be made
(PALESTRA_TEST_POSTGRESQL; see `tests/support/databases.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, closing
from math import ceil
from pathlib import Path
from typing import Any, Final

import psycopg
from rich.console import Console
from tests.support.databases import postgresql_schema
from tests.support.nodes import NodeProcess
from tests.support.played import new_tournament

from benchmarks._tables import show
from benchmarks.kills import (
    CUP,
    KINDS,
    MATCH_TURNS,
    MOVE_MS,
    NAMES,
    TURNS_MOST,
    Told,
    Witness,
    check,
    end_of,
    spread,
)
from palestra_server.runtime import Roster
from palestra_server.store import Store
from palestra_tournament import Result

FAULTS: Final = 30
NODES: Final = ("one", "two", "three")
MARK: Final = "palestra-nodes"  # how PostgreSQL knows the connections of this benchmark
LATE: Final = ("timeout", "disconnect", "not_ready")
STOPPED_S: Final = 15.0  # longest time for which a node stands still; the lease is 5 s


class Guest(Witness):
    """A student who knows all nodes. What it hears from `leaving`, which hands over, is not of the next referee."""

    leaving: str | None = None

    def heard(self, message: dict[str, Any]) -> None:
        if message["type"] != "welcome" or self._urls[0] != Guest.leaving:
            super().heard(message)


async def referee(nodes: dict[str, NodeProcess]) -> NodeProcess:
    """The node that referees, once one does."""
    while True:
        for node in nodes.values():
            answer = await asyncio.to_thread(_asked, node)
            for each in answer:
                if each["state"] == "referee":
                    return nodes[each["name"]]


def _asked(node: NodeProcess) -> list[dict[str, Any]]:
    try:
        return list(node.api("GET", "/nodes").get("nodes", []))
    except Exception:  # it is being started, or stands still
        return []


async def harm(
    fault: str, node: NodeProcess, chance: random.Random, database: str, nodes: dict[str, NodeProcess]
) -> None:
    """Do this to the node that referees, and make it whole again."""
    if fault == "kill":
        node.process.kill()
        await asyncio.to_thread(node.process.wait)
        node.start()
    elif fault == "stop":
        node.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(chance.uniform(1, STOPPED_S))
        node.process.send_signal(signal.SIGCONT)
    elif fault == "cut":  # every connection to the database
        with psycopg.connect(database, autocommit=True, application_name="administrator") as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s", (MARK,))
    else:
        while "nodes" not in await asyncio.to_thread(node.api, "POST", f"/nodes/{node.name}/drain"):
            pass  # the others are still starting
        while (await referee(nodes)) is node:
            pass
        await asyncio.to_thread(node.api, "POST", f"/nodes/{node.name}/resume")


async def play(
    folder: Path, database: str, faults: int, seed: int
) -> tuple[Told, list[dict[str, Any]], dict[str, list[float]]]:
    """Play the whole tournament; return what was told, the standings shown, and the seconds from each fault until the
    next turn that the next referee sent, by kind of fault."""
    chance = random.Random(seed)
    with closing(Store(folder / "made", database)) as store:
        tokens = Roster(store.players).enrol(NAMES)
        once_around = len(NAMES) * (len(NAMES) - 1) * MATCH_TURNS
        cycles = max(1, ceil(1.5 * faults * TURNS_MOST / 2 / once_around))
        store.tournaments.create(new_tournament(CUP.format(cycles=cycles, move_ms=MOVE_MS)))
    told, students = Told(), []
    waits: dict[str, list[float]] = {}
    with ExitStack() as stack:
        env = {"PALESTRA_MOVE_MS": str(MOVE_MS), "PALESTRA_READY_MS": "60000", "PALESTRA_AWAY_MS": "60000"}
        nodes = {name: stack.enter_context(NodeProcess(folder, database, name, **env)) for name in NODES}
        try:
            await referee(nodes)
            for (name, token), kind in zip(tokens.items(), KINDS, strict=True):
                urls = [node.url for node in nodes.values()]
                student = Guest(name, token, kind, str(seed), MOVE_MS / 1000, *urls)
                student.told = told
                students.append(asyncio.create_task(student.live()))
            for _ in range(faults):
                await told.reach(chance.randint(1, TURNS_MOST))
                node = await referee(nodes)
                fault = chance.choice(("kill", "stop", "cut", "drain"))
                Guest.leaving = node.url if fault == "drain" else None
                told.begin()
                began = time.monotonic()
                harmed = asyncio.create_task(harm(fault, node, chance, database, nodes))
                await told.reach(1)
                waits.setdefault(fault, []).append(told.first_turn - began)
                await harmed
            shown = await end_of((await referee(nodes)).web, told)
            for task in students:
                if task.done():
                    task.result()  # raises what a student found wrong
        finally:
            for task in students:
                task.cancel()
            await asyncio.gather(*students, return_exceptions=True)
            for node in nodes.values():
                node.process.send_signal(signal.SIGCONT)
                await asyncio.to_thread(node.stop)
    return told, shown, waits


def run(faults: int = FAULTS, seed: int = 1) -> list[tuple[str, str]]:
    """Return the table. AssertionError or TimeoutError if a requirement above is violated."""
    with postgresql_schema() as schema, tempfile.TemporaryDirectory() as folder:
        database = f"{schema}&application_name={MARK}"
        began = time.monotonic()
        told, shown, waits = asyncio.run(play(Path(folder), database, faults, seed))
        seconds = time.monotonic() - began
        t, report = check(Path(folder) / "made", told, shown, database)
    prompt = {name for name, kind in zip(NAMES, KINDS, strict=True) if kind == "good"}
    flagged = [result for result in t.results.values() if result.reason in LATE and _loser(result) in prompt]
    assert not flagged, f"a student who was in time lost by the clock: {flagged}"
    reasons = Counter(str(result.reason) for result in t.results.values())
    return [
        ("faults of the referee (seed)", f"{sum(map(len, waits.values()))} ({seed})"),
        ("results, each in the records once and as it was told", f"{len(t.results):,}, told {len(told.ends):,}"),
        ("lost by the clock, of those who were in time", "0"),
        ("how the matches ended", ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())),
        ("verify", report),
        *(
            (f"{fault} ({len(found)}): until the next turn, median, worst", spread(found))
            for fault, found in sorted(waits.items())
        ),
        ("load average at the end, cores", f"{os.getloadavg()[1]:.1f} (5 minutes), {os.cpu_count()}"),
        ("the whole tournament, which ended by itself", f"{seconds:.0f} s"),
    ]


def _loser(result: Result) -> str:
    first, second = result.returns
    return result.fixture.players[0 if first < second else 1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Harm the referee of a tournament on three nodes again and again.")
    parser.add_argument("--faults", type=int, default=FAULTS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.monotonic()
    show(Console(), "nodes", time.monotonic() - start, run(options.faults, options.seed))
