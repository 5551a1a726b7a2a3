"""A tournament whose server is killed (SIGKILL) at random moments and restarted, again and again.

    python -m benchmarks.kills --kills 100 --seed 1

The students are those of `palestra-server rehearse`, including one with each fault, and record every result they are
told. The tournament must finish by itself. Then every result told must be in the records exactly once and unchanged,
every recorded match must be one result of the tournament, the data folder must verify, and the standings that the
server shows must follow from the records. Anything else is an AssertionError.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, Final

import httpx
from tests.support.played import new_tournament

from benchmarks._tables import command
from palestra_server.cli.records import verify_folder
from palestra_server.cli.students import FAULTS, Kind, Student
from palestra_server.runtime import Roster
from palestra_server.store import NOTHING, MatchSummary, Store
from palestra_tournament import Tournament, event_from_record, parse_spec, replay, standings

KILLS: Final = 100
MOVE_MS: Final = 1000
KINDS: Final[tuple[Kind, ...]] = ("good", "good", "good", "good", "good", *FAULTS)
NAMES: Final = tuple(f"student-{number}" for number in range(1, len(KINDS) + 1))
TURNS_MOST: Final = 60
"""Maximum number of turns sent by a server before it is killed in play."""
STARTING: Final = 0.2
"""The share of kills that hit the server during startup."""
START_S: Final = 3.0
"""About how long startup takes on a slow machine; startup kills come within this time."""
MATCH_TURNS: Final = 20
"""About how long a match of random players is; the tournament is half as long again as the kills need."""
LONGEST_S: Final = 600.0
"""Give up on a server that hasn't sent its turns by then."""
CUP: Final = """
name = "cup"
title = "The cup"
games = ["connect4", "mancala"]
format = "round-robin"
cycles = {cycles}
start = 2020-01-01T00:00:00
withdraw_after = 0
[clock]
move_ms = {move_ms}
grace_ms = 200
ready_ms = 60000
"""


class Told:
    """What all students together hear."""

    def __init__(self) -> None:
        self.ends: dict[str, dict[str, Any]] = {}
        # The number of the current server process, and the turns sent since it was started.
        self.life = 0
        self.turns = 0
        # When each first arrived from it, by the monotonic clock.
        self.first_welcome = self.first_turn = 0.0
        self._expected = 0
        self._reached = asyncio.Event()

    def begin(self) -> None:
        """A new server is started; messages still arriving from the old one are not counted."""
        self.life += 1
        self.turns, self.first_welcome, self.first_turn = 0, 0.0, 0.0

    def hear(self, message: dict[str, Any], life: int) -> None:
        """Record a message to a student. AssertionError if a result is told in two versions."""
        if message["type"] == "match_end":
            before = self.ends.setdefault(message["match"], message)
            assert before == message, f"two results of one match were told: {before} and {message}"
        if life != self.life:
            return
        if message["type"] == "welcome":
            self.first_welcome = self.first_welcome or time.monotonic()
        elif message["type"] == "turn":
            self.first_turn = self.first_turn or time.monotonic()
            self.turns += 1
            if self.turns >= self._expected:
                self._reached.set()

    async def reach(self, turns: int) -> None:
        """Wait until this server has sent this many turns. Raises TimeoutError."""
        self._expected = turns
        self._reached.clear()
        if self.turns < turns:
            await asyncio.wait_for(self._reached.wait(), LONGEST_S)


class Witness(Student):
    """A student that reports what it hears."""

    told: Told
    life = 0

    def heard(self, message: dict[str, Any]) -> None:
        if message["type"] == "welcome":
            self.life = self.told.life
        self.told.hear(message, self.life)


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds from each start of the server until the first bot was back, and until the first turn."""

    back: list[float] = field(default_factory=list)
    turn: list[float] = field(default_factory=list)

    def note(self, told: Told, life: Life) -> None:
        self.back.append(told.first_welcome - life.started)
        self.turn.append(told.first_turn - life.started)


class Life:
    """One server process, from its start to its kill."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.started = time.monotonic()

    @classmethod
    async def begin(cls, data: Path, port: int) -> Life:
        """Start the server; `opened` returns once it is ready."""
        command = [sys.executable, "-m", "palestra_server", "serve", "--host", "127.0.0.1", "--web-port", "0"]
        command += ["--port", str(port), "--data", str(data), "--log", "json"]
        with (data / "log.json").open("ab") as log:
            return cls(await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=log))

    async def opened(self) -> tuple[str, int]:
        """Return the page's address and the bots' port. AssertionError if the process ends before printing them."""
        assert self.process.stdout is not None
        banner = ""
        async for line in self.process.stdout:
            banner += line.decode()
            if b"on the roster" in line:
                page = re.search(r"page\s+(http://\S+?)/?\s", banner)
                bots = re.search(r"bots\s+ws://.*:(\d+)", banner)
                assert page, banner
                assert bots, banner
                return page[1], int(bots[1])
        raise AssertionError(f"the server did not start: {banner}")

    async def stop(self) -> None:
        """SIGTERM: the server saves what it has shown."""
        self.process.terminate()
        await self.process.wait()

    async def kill(self) -> None:
        """SIGKILL, if it is still running."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


async def play(data: Path, kills: int, seed: int) -> tuple[Told, list[dict[str, Any]], Waits, int]:
    """Play the whole tournament. Return what was told, the final standings shown, the restart times, and how many kills
    came during startup."""
    chance = random.Random(seed)
    with closing(Store(data)) as store:
        tokens = Roster(store.players).enrol(NAMES)
        once_around = len(NAMES) * (len(NAMES) - 1) * MATCH_TURNS
        cycles = max(1, ceil(1.5 * kills * (1 - STARTING) * TURNS_MOST / 2 / once_around))
        store.tournaments.create(new_tournament(CUP.format(cycles=cycles, move_ms=MOVE_MS)))
    told, waits, starting, students = Told(), Waits(), 0, []
    life = await Life.begin(data, 0)
    try:
        page, port = await life.opened()
        for (name, token), kind in zip(tokens.items(), KINDS, strict=True):
            student = Witness(name, token, kind, str(seed), MOVE_MS / 1000, f"ws://127.0.0.1:{port}/play")
            student.told = told
            students.append(asyncio.create_task(student.live()))
        for number in range(kills):
            if number and chance.random() < STARTING:
                starting += 1
                await asyncio.sleep(chance.uniform(0, START_S))
            else:
                await told.reach(chance.randint(1, TURNS_MOST))
                if number:
                    waits.note(told, life)
                await asyncio.sleep(chance.uniform(0, 0.02))
            await life.kill()
            told.begin()
            life = await Life.begin(data, port)
        page, _ = await life.opened()
        shown = await end_of(page, told)
        await life.stop()
        for task in students:
            if task.done():
                task.result()  # raises what a student found wrong
    finally:
        await life.kill()
        for task in students:
            task.cancel()
        await asyncio.gather(*students, return_exceptions=True)
    return told, shown, waits, starting


async def end_of(page: str, told: Told) -> list[dict[str, Any]]:
    """The final standings, once the tournament is over. TimeoutError if it stalls."""
    cup = f"{page}/api/v1/tournaments/cup"
    async with httpx.AsyncClient(timeout=60) as client:
        while (await client.get(cup)).json()["state"] != "completed":
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(told.reach(told.turns + TURNS_MOST), 1)
        return list((await client.get(f"{cup}/standings")).json()["rows"])


def check(data: Path, told: Told, shown: list[dict[str, Any]], database: str | None = None) -> tuple[Tournament, str]:
    """Return the tournament as recorded, and the output of `verify`. AssertionError on any inconsistency."""
    report = verify_folder(data, database)
    assert report.ok, str(report)
    with closing(Store(data, database)) as store:
        toml, records = store.tournaments.read("cup")
        matches = {match.match: match for match in store.journal.matches(1_000_000, NOTHING, tournament="cup")}
    t = replay(parse_spec(toml), map(event_from_record, records))
    assert t.phase == "completed"
    assert set(t.results) == set(t.by_id), "a fixture has no result"
    played = Counter(result.match for result in t.results.values())
    wrong = {match: count for match, count in played.items() if count > 1 or match not in matches}
    assert not wrong, f"results without a match of their own: {wrong}"
    surplus = [match for match in matches.values() if not played[match.match] and match.reason != "void"]
    assert not surplus, f"matches that are no result: {surplus}"
    for end in told.ends.values():
        kept = matches.get(end["match"])
        assert kept is not None, f"a result was told of which the journal knows nothing: {end}"
        assert_same(end, kept)
    assert [(row["player"], row["points"]) for row in shown] == [(row.player, row.points) for row in standings(t)]
    points = dict.fromkeys(NAMES, 0.0)
    for match in matches.values():
        assert match.returns is not None
        first, second = match.returns
        if first == second and match.reason not in ("rules", "ply_limit"):
            continue
        for player, share in zip(match.players, (first, second), strict=True):
            points[player] += 0.5 if first == second else float(share == max(first, second))
    assert points == {row.player: row.points for row in standings(t)}, "the points do not follow from the matches"
    return t, str(report)


def assert_same(end: dict[str, Any], kept: MatchSummary) -> None:
    """AssertionError if a result was told differently from the record."""
    same = (tuple(end["returns"]), end["reason"], end["receipt"]) == (kept.returns, kept.reason, kept.receipt)
    assert same, f"the result was told as {end}, and is kept as {kept}"


def spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} s, {max(seconds):.2f} s" if seconds else "-"


def run(kills: int = KILLS, seed: int = 1, data: Path | None = None) -> list[tuple[str, str]]:
    """Return the table. AssertionError or TimeoutError if a requirement above is violated; `data` is a new folder for
    the records, for later inspection."""
    with tempfile.TemporaryDirectory() as folder:
        data = data or Path(folder)
        data.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        told, shown, waits, starting = asyncio.run(play(data, kills, seed))
        seconds = time.monotonic() - began
        t, report = check(data, told, shown)
    reasons = Counter(str(result.reason) for result in t.results.values())
    return [
        ("kills of the server (seed), of these while it started", f"{kills} ({seed}), {starting}"),
        ("results, each in the records once and as it was told", f"{len(t.results):,}, told {len(told.ends):,}"),
        ("how the matches ended", ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())),
        ("standings", "as recomputed"),
        ("verify", report),
        ("from restart to the first bot back: median, worst", spread(waits.back)),
        ("from restart to the first turn: median, worst", spread(waits.turn)),
        ("load average at the end, cores", f"{os.getloadavg()[1]:.1f} (5 minutes), {os.cpu_count()}"),
        ("the whole tournament, which ended by itself", f"{seconds:.0f} s"),
    ]


if __name__ == "__main__":
    command(run)
