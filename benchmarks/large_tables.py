"""How long the event loop is held when somebody looks at a large tournament: tables, status, exports.

    python -m benchmarks.large_tables --players 300 --looks 12

A Swiss of 5 rounds, 4 matches a meeting, its results fed to a real server in this process; the web port is called over
ASGI. Before each look the tournament gets a new result. Meanwhile a heartbeat measures the loop: the longest time
between two beats (due every ms) by the wall, how much of that the loop's thread was ready and waited for a core (Linux:
/proc, schedstat), and its own CPU time in the longest turn. What other processes take shows in the first two only; the
row "nothing" is a control of ten seconds without any request.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

import httpx

from benchmarks._tables import command
from palestra_server.cli.hosting import garbage_collector_frozen, short_switch_interval
from palestra_server.runtime import House, LiveTournament
from palestra_server.settings import Settings
from palestra_server.web.app import create_app
from palestra_tournament import Ended, Fixture, MatchStarted, playable

PLAYERS: Final = 300
LOOKS: Final = 12
KEY: Final = "the-key-of-the-teacher"
CUP: Final = """
name = "cup"
games = ["connect4", "mancala"]
format = "swiss"
rounds = 5
seed = 7
absent = "wait"
[grades]
base = 1
rating = [{ at_least = 100, points = 2 }]
reliability = { points = 2 }
participation = { points = 2 }
top = [{ places = 3, points = 1 }]
"""
LOOKED_AT: Final = {
    "status": "/tournaments/cup",
    "list": "/tournaments",
    "standings": "/tournaments/cup/standings",
    "crosstable": "/tournaments/cup/crosstable",
    "schedule": "/tournaments/cup/schedule",
    "standings.csv": "/tournaments/cup/standings.csv",
    "crosstable.csv": "/tournaments/cup/crosstable.csv",
    "schedule.csv": "/tournaments/cup/schedule.csv",
    "grades.csv": "/tournaments/cup/grades.csv",
    "readiness": "/tournaments/cup/readiness",
    "export.zip": "/export.zip",
}


def waited_for_a_core() -> float:
    """How long this thread has been ready to run without running, in seconds; 0 where the system does not say."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


class Heartbeat:
    """The longest time between two beats since it was asked for, in ms: by the wall, what of it was spent waiting for a
    core, and, of any turn, the loop thread's CPU."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wall = self._waited = self._cpu = 0.0
        self._before = time.perf_counter(), waited_for_a_core(), time.thread_time()
        self._beat()

    def _beat(self) -> None:
        now = time.perf_counter(), waited_for_a_core(), time.thread_time()
        wall, waited, cpu = (after - before for after, before in zip(now, self._before, strict=True))
        if wall > self._wall:
            self._wall, self._waited = wall, waited
        self._cpu = max(self._cpu, cpu)
        self._before = now
        self._timer = self._loop.call_later(0.001, self._beat)

    def take(self) -> tuple[float, float, float]:
        found = 1000 * self._wall, 1000 * self._waited, 1000 * self._cpu
        self._wall = self._waited = self._cpu = 0.0
        return found

    def stop(self) -> None:
        self._timer.cancel()


class Season:
    """Plays a tournament by handing in results as they would come from its matches."""

    def __init__(self, live: LiveTournament) -> None:
        self.live = live
        self._chance = random.Random(1)
        self._strength: dict[str, float] = {}
        self._played = 0

    def _ended(self, fixture: Fixture) -> Ended:
        chance = self._chance
        one, other = (self._strength.setdefault(name, chance.gauss(0, 1.5)) for name in fixture.players)
        first = chance.random() < 1 / (1 + 2.7 ** (other - one))
        plies = chance.randrange(14, 42)
        self._played += 1
        return Ended(
            fixture.id,
            f"m{self._played}",
            (1.0, -1.0) if first else (-1.0, 1.0),
            "rules",
            plies,
            tuple(chance.randrange(6) for _ in range(plies)),
            tuple(chance.randrange(1, 900) for _ in range(plies)),
            1_700_000_000_000 + self._played * 700,
            (0, 0),
        )

    async def play(self, left: int) -> None:
        """All rounds, until `left` fixtures of the last one are open."""
        live = self.live
        while live.tournament is not None and (
            live.tournament.round < 5 or len(live.tournament.fixtures) - len(live.tournament.results) > left
        ):
            assert self.one()
            await live.drawn()
            await asyncio.sleep(0)

    def one(self) -> bool:
        """One more result; False if there is none to come."""
        assert self.live.tournament is not None
        fixture = next(playable(self.live.tournament), None)
        if fixture is not None:
            end = self._ended(fixture)
            self.live.feed(MatchStarted(fixture.id, end.match, end.at_ms - 500))
            self.live.feed(end)
        return fixture is not None


def told(held: list[tuple[float, float, float]]) -> str:
    """What heartbeats found."""
    wall, waited, cpu = (statistics.median(values) for values in zip(*held, strict=True))
    most = max(held)
    return (
        f"held {wall:.1f} ms, {waited:.1f} of it waiting for a core (at most {most[0]:.1f}, {most[1]:.1f}), "
        f"loop's CPU {cpu:.1f} ({max(each[2] for each in held):.1f})"
    )


async def measure(players: int, looks: int, data: Path) -> list[tuple[str, str]]:
    rows = []
    server = await House.open(Settings(data=data, host="127.0.0.1", port=0))
    try:
        await asyncio.to_thread(server.roster.enrol, [f"student-{number}" for number in range(players)])
        app = create_app(server, admin_key=KEY, cookie_key="signs-cookies")
        live = await server.director.create(CUP)
        server.director.start("cup")
        await live.drawn()
        season = Season(live)
        await season.play(looks * (len(LOOKED_AT) + 1))
        transport = httpx.ASGITransport(app)
        teacher = {"authorization": f"Bearer {KEY}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost/api/v1", headers=teacher, timeout=600
        ) as client:
            with short_switch_interval(), garbage_collector_frozen():
                for what, path in LOOKED_AT.items():
                    (await client.get(path)).raise_for_status()
                    held, took = [], []
                    beat = Heartbeat()
                    for _ in range(looks if what != "export.zip" else 2):
                        season.one()
                        await asyncio.sleep(0.05)
                        beat.take()
                        began = time.perf_counter()
                        answer = await client.get(path)
                        took.append(time.perf_counter() - began)
                        held.append(beat.take())
                        answer.raise_for_status()
                    beat.stop()
                    size = f"{what}, {len(answer.content) / 1024:.0f} KB"
                    rows.append((size, f"{told(held)}, answer after {statistics.median(took):.2f} s"))
                beat = Heartbeat()
                await asyncio.sleep(10)
                rows.append(("nothing, for 10 s", told([beat.take()])))
                beat.stop()
        assert live.tournament is not None
        rows.insert(0, ("players, results", f"{players}, {len(live.tournament.results)}"))
    finally:
        await server.close()
    return rows


def run(players: int = PLAYERS, looks: int = LOOKS) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as data:
        return [
            *asyncio.run(measure(players, looks, Path(data))),
            ("load average", " ".join(f"{load:.1f}" for load in os.getloadavg())),
        ]


if __name__ == "__main__":
    command(run)
