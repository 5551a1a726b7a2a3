"""Do the players notice watchers? A thousand watching one match, two hundred watching fifty, none.

Server, players and watchers are separate processes. Turnaround is taken from the server's journal: from the kernel's
timestamp on the bytes of an action until the next `turn` was handed to the network. It includes whatever the server
does in between, and excludes other processes' effect on the clients. The cost of a watcher is the server's CPU time
beyond that of the same matches without watchers, in the same seconds in which its events are counted: what comes with
watching is in it (matches that end, and the next that is looked for), the arrival of the crowd is not. Beside it stands
what a bare program takes that sends as many bytes to as many sockets.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT
from subprocess import PIPE, Popen

import psutil

from benchmarks._processes import crowd, many_files, said, server, turnarounds
from palestra_server.runtime import Roster
from palestra_server.store import Store, wall_clock_ms

SECONDS = 20.0
MATCHES = 50
GAME = "mancala"
"""The game with the longest matches, so that the audience rarely has to look for a new one."""
THINK_S = 0.25
PRIORITY = -10
AUDIENCE_NICE = 5
CROWDS = ((0, 1), (1000, 1), (200, 50))
"""(watchers, matches they are spread over)."""
FLOOR_S = 8.0


@dataclass(frozen=True)
class Figures:
    """`ms`: the server's turnaround at p50, p99 and maximum; `seen_ms`: p50 and p99 as the players saw it."""

    moves: int
    ms: tuple[float, float, float]
    seen_ms: tuple[float, float]
    cpu_s: float
    frames: int
    lost: int
    refused: int


def run() -> list[tuple[str, str]]:
    rows = []
    with many_files():
        alone, *crowds = [measure(*crowd) for crowd in CROWDS]
        floors = [floor_us(*crowd) for crowd in CROWDS[1:]]
    rows.append((f"{MATCHES} matches, nobody watches", _turnaround(alone)))
    for (watchers, matches), figures, floor in zip(CROWDS[1:], crowds, floors, strict=True):
        where = "one match" if matches == 1 else f"{matches} matches"
        what = f"{watchers:,} watch {where}"
        extra = figures.cpu_s - alone.cpu_s * figures.moves / alone.moves
        rows += [
            (what, _turnaround(figures)),
            (f"{what}: p99 more than without", f"{figures.ms[1] - alone.ms[1]:+.2f} ms"),
            (
                f"{what}: processor time per watcher and event",
                f"{1e6 * extra / max(1, figures.frames):.1f} us; {floor:.1f} us to send as many bytes to as many "
                "sockets with a bare program",
            ),
            (
                f"{what}: events brought",
                f"{figures.frames:,}; {figures.lost} connections lost, {figures.refused} asked to wait",
            ),
        ]
    return [*rows, ("load of the machine meanwhile (1 min)", f"{os.getloadavg()[0]:.1f}")]


def _turnaround(figures: Figures) -> str:
    p50, p99, worst = figures.ms
    return (
        f"{p50:.2f} / {p99:.2f} / {worst:.1f} ms by the server's journal (p50, p99, worst of {figures.moves:,} moves), "
        f"{figures.seen_ms[0]:.1f} / {figures.seen_ms[1]:.1f} ms as players saw it"
    )


def floor_us(watchers: int, matches: int) -> float:
    """Processor time per frame of a program that only sends."""
    command = [sys.executable, "-m", "benchmarks._floor", str(watchers), str(matches), str(THINK_S), str(FLOOR_S)]
    with Popen(command, stdout=PIPE, text=True) as bare:
        try:
            with contextlib.suppress(psutil.AccessDenied):
                psutil.Process(bare.pid).nice(PRIORITY)
            with crowd("readers", str(said(bare)), str(watchers), nice=AUDIENCE_NICE) as readers:
                assert said(readers) == "reading"
                return float(said(bare))
        finally:
            bare.kill()


def measure(watchers: int, matches: int) -> Figures:
    """One run, on its own server."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with closing(Store(data)) as store:
            tokens = Roster(store.players).enrol([f"player-{number}" for number in range(2 * MATCHES)])
        with contextlib.ExitStack() as stack:
            process, bots, _ = stack.enter_context(server(data))
            with contextlib.suppress(psutil.AccessDenied):
                process.nice(PRIORITY)  # exclude the effect of other processes on this machine
            audience = None
            if watchers:
                audience = stack.enter_context(crowd("audience", bots, str(watchers), str(matches), nice=AUDIENCE_NICE))
            players = stack.enter_context(crowd("players", bots, str(SECONDS), GAME, str(THINK_S), secrets=tokens))
            assert said(players) == "playing"
            if audience is not None:
                assert said(audience) == "watching"
            assert said(players) == "counting"
            if audience is not None:
                audience.send_signal(SIGINT)
                said(audience)
            began_ms, before = wall_clock_ms(), process.cpu_times()
            result = said(players)
            ended_ms, after = wall_clock_ms(), process.cpu_times()
            seen = {}
            if audience is not None:
                audience.send_signal(SIGINT)
                seen = said(audience)
        times = sorted(turnarounds(data, began_ms, ended_ms))
    return Figures(
        len(times),
        (times[len(times) // 2], times[len(times) * 99 // 100], times[-1]),
        (result["ms"][0], result["ms"][1]),
        after.user + after.system - before.user - before.system,
        seen.get("frames", 0),
        seen.get("lost", 0),
        seen.get("refused", 0),
    )
