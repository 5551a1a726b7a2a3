"""Many matches, many watchers, and constant attacks from other addresses: does anybody honest notice?

    python -m benchmarks.soak --seconds 600 --matches 200 --watchers 1000

The server, players, watchers and attackers run in separate processes (`_crowd`). Players think briefly, for a total of
slightly more than 2.5 moves per second per match. The exit code is 1 if a promise in the table was broken.

A player is flagged unjustly if its match was not ended by the rules although its action, by the player's own clock,
was sent within the time for the move. The player's clock is aligned with the match's by means of the other actions of
the match, none of which can have arrived before it was sent.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import psutil
from rich.console import Console
from tests.support.servers import enrol

from benchmarks._processes import crowd, has_said, many_files, said, server, turnarounds
from benchmarks._tables import show
from palestra_protocol import limits
from palestra_server.store import Journal, Store, wall_clock_ms

SECONDS: Final = 600
MATCHES: Final = 200
WATCHERS: Final = 1000
GAME: Final = "connect4"
THINK_S: Final = 0.34
MOVES_PER_S: Final = 2.5
"""Minimum per match; below this, the load was not what was promised."""
MEMORY_EVERY_S: Final = 2.0
GROWTH: Final = 0.05
"""Memory counts as flat if its median over the last quarter exceeds that of the second quarter by no more than this."""
GROWTH_FROM_S: Final = 300
"""In a shorter run the caches are still filling."""
LOG_KB: Final = 60.0
"""Per minute, caused by strangers: `SparingLog` lets a kind of line come 30 times at once, then once in ten seconds."""
IN_BENCH_S: Final = 120
"""Duration when run as part of `make bench`."""


class Broken(Exception):
    """Some promises were broken; the table is `rows`."""

    def __init__(self, what: list[str], rows: list[tuple[str, str]]) -> None:
        super().__init__("Not kept: " + "; ".join(what) + ".")
        self.rows = rows


def run(
    seconds: float = IN_BENCH_S, matches: int = MATCHES, watchers: int = WATCHERS, attacked: bool = True
) -> list[tuple[str, str]]:
    """Return the table. Raises Broken."""
    with many_files(), tempfile.TemporaryDirectory() as folder:
        return _run(Path(folder), seconds, matches, watchers, attacked)


def _run(data: Path, seconds: float, matches: int, watchers: int, attacked: bool) -> list[tuple[str, str]]:
    tokens = enrol(data, *(f"player-{number}" for number in range(2 * matches)))
    log = data / "log.json"
    with contextlib.ExitStack() as stack:
        process, bots, page = stack.enter_context(server(data))
        players = stack.enter_context(crowd("players", bots, str(seconds), GAME, str(THINK_S), secrets=tokens))
        assert said(players) == "playing"
        watching = stack.enter_context(crowd("watchers", bots, str(watchers), nice=5))
        assert said(watching) == "watching"
        attackers = stack.enter_context(crowd("attackers", bots, page, nice=5)) if attacked else None
        assert said(players) == "counting"
        began_ms = wall_clock_ms()
        began, cpu, machine, logged = time.monotonic(), process.cpu_times(), psutil.cpu_times(), log.stat().st_size
        memory = [process.memory_info().rss / 2**20]
        while not has_said(players, MEMORY_EVERY_S):
            memory.append(process.memory_info().rss / 2**20)
        result, ended_ms = said(players), wall_clock_ms()
        took, cpu_after, machine_after = time.monotonic() - began, process.cpu_times(), psutil.cpu_times()
        lines = log.read_bytes()[logged:].splitlines()
        done = "none"
        if attackers is not None:
            attackers.send_signal(2)
            done = ", ".join(f"{what} {count:,}" for what, count in said(attackers).items())
        watching.send_signal(2)
        seen = said(watching)
    with closing(Store(data)) as store:
        unjust = [match for match in result["cut_short"] if flagged(store.journal, match, result["cut_short"][match])]
    own = sorted(turnarounds(data, began_ms, ended_ms))
    ours, strangers = log_kinds(lines)
    quarter = max(1, len(memory) // 4)
    second, last = statistics.median(memory[quarter : 2 * quarter] or memory), statistics.median(memory[-quarter:])
    kb = strangers / 1000 * 60 / took
    share = (cpu_after.user + cpu_after.system - cpu.user - cpu.system) / took
    cores = psutil.cpu_count() or 1
    busy = 1 - (machine_after.idle - machine.idle) / took / cores
    promises = [
        (not unjust, f"{len(unjust)} punctual players were flagged ({', '.join(unjust[:5])})"),
        (result["moves"] >= MOVES_PER_S * matches * took, f"fewer than {MOVES_PER_S * matches:.0f} moves a second"),
        (seen["connected"] == watchers, f"{watchers - seen['connected']} watchers lost their connection"),
        (seconds < GROWTH_FROM_S or last <= second * (1 + GROWTH), f"memory grew from {second:.0f} to {last:.0f} MiB"),
        (kb <= LOG_KB, f"strangers wrote {kb:.0f} kB a minute into the log"),
    ]
    p50, p99, worst = result["ms"]
    rows = [
        ("matches at once; watchers", f"{matches}; {seen['connected']:,} of {watchers:,}"),
        ("attacks", done),
        ("moves", f"{result['moves']:,} ({result['moves'] / took:,.0f} a second)"),
        ("matches ended", f"{sum(result['reasons'].values()):,}; {result['reasons']}; errors {result['errors']}"),
        ("punctual players flagged", f"{len(unjust)} (of {len(result['cut_short'])} that were cut short)"),
        ("action sent to next turn received: p50 / p99 / worst", f"{p50:,.1f} / {p99:,.1f} / {worst:,.1f} ms"),
        (
            "of that the server's own, by the journal: arrival to next turn handed over",
            f"{own[len(own) // 2]:,.1f} / {own[len(own) * 99 // 100]:,.1f} / {own[-1]:,.1f} ms",
        ),
        ("frames to those who watch", f"{seen['frames']:,} ({seen['bytes'] / 1e6:,.0f} MB)"),
        (
            "server's memory (RSS): first, second and last quarter, at most",
            f"{statistics.median(memory[:quarter]):.0f}, {second:.0f} and {last:.0f} MiB, {max(memory):.0f} MiB",
        ),
        (
            "server's processor",
            f"{100 * share:.0f} % of a core; {cores} cores were {100 * busy:.0f} % busy",
        ),
        ("log by strangers", f"{kb:,.0f} kB a minute; beside it {ours / 1000 * 60 / took:,.0f} kB of matches"),
        ("promises", "kept" if all(kept for kept, _ in promises) else "NOT kept, see below"),
    ]
    if broken := [what for kept, what in promises if not kept]:
        raise Broken(broken, rows)
    return rows


def flagged(journal: Journal, match: str, answers: list[tuple[int, int, int]]) -> bool:
    """Whether a match ended before its time was over; `answers` holds (ply, before sending, after sending) by the
    player's clock, in ns."""
    records: list[dict[str, Any]] = [json.loads(line) for line in journal.read_lines(match)]
    arrived = {record["ply"]: record["arrived_at"] for record in records if record["type"] == "acted"}
    asked = {record["ply"]: record["at"] for record in records if record["type"] == "turn"}
    known = [arrived[ply] - begun for ply, begun, _ in answers if ply in arrived]
    if not known:
        return False  # it never answered
    ply, _, sent = answers[-1]
    allowed = (limits.MOVE_MS + limits.GRACE_MS) * 1_000_000
    return ply == max(asked) and sent + min(known) - asked[ply] <= allowed


def log_kinds(lines: list[bytes]) -> tuple[int, int]:
    """Bytes of the log about matches, and about everything else."""
    sizes: Counter[bool] = Counter()
    for line in lines:
        sizes[json.loads(line)["event"].startswith("match ")] += len(line) + 1
    return sizes[True], sizes[False]


def main() -> int:
    parser = argparse.ArgumentParser(description="Play, watch and attack for a while, and see who notices.")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--watchers", type=int, default=WATCHERS)
    parser.add_argument("--quiet", action="store_true", help="without the attacks, to compare")
    options = parser.parse_args()
    console = Console()
    started = time.monotonic()
    fault = None
    try:
        rows = run(options.seconds, options.matches, options.watchers, not options.quiet)
    except Broken as broken:
        rows, fault = broken.rows, str(broken)
    show(console, "soak", time.monotonic() - started, rows)
    if fault is not None:
        console.print(fault, markup=False)
    return 0 if fault is None else 1


if __name__ == "__main__":
    sys.exit(main())
