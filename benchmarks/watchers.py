"""Do the players notice watchers? A thousand watching one match, and two hundred watching fifty.

Two servers run at the same time, each with the same number of matches; only one of them is watched. What the machine
does besides is the same for both. Servers, players and watchers are separate processes. Turnaround is taken from the
servers' journals: from the kernel's timestamp on the bytes of an action until the next `turn` was handed to the
network. It includes whatever the server does in between, and excludes other processes' effect on the clients.

The cost of a watcher is the watched server's CPU time beyond that of the other, for as many moves, in the seconds in
which its events are counted: what comes with watching is in it (matches that end, and the next that is looked for), the
arrival of the crowd is not. Beside it stands what a bare program takes that sends as many bytes to as many sockets. On
a server that is hardly busy everything takes longer, since whatever is needed next has left the caches: so two hundred
also watch matches that go quickly.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT
from subprocess import PIPE, Popen

import psutil
from tests.support.servers import enrol

from benchmarks._processes import crowd, many_files, said, server, turnarounds
from palestra_server.store import wall_clock_ms

SECONDS = 20.0
MATCHES = 50
GAME = "mancala"
"""The game with the longest matches, so that the audience rarely has to look for a new one."""
PRIORITY = -10
AUDIENCE_NICE = 5
CROWDS = ((1000, 1, 0.25), (200, 50, 0.25), (200, 50, 0.05))
"""(watchers, matches they are spread over, seconds a player thinks)."""
FLOOR_S = 8.0


@dataclass(frozen=True)
class Figures:
    """Of one server. `ms`: its turnaround at p50, p99 and maximum; `seen_ms`: p50 and p99 as the players saw it."""

    moves: int
    ms: tuple[float, float, float]
    seen_ms: tuple[float, float]
    cpu_s: float


def run() -> list[tuple[str, str]]:
    with many_files():
        rows = [row for crowd in CROWDS for row in compared(*crowd)]
    return [*rows, ("load of the machine meanwhile (1 min)", f"{os.getloadavg()[0]:.1f}")]


def compared(watchers: int, matches: int, think_s: float) -> list[tuple[str, str]]:
    alone, watched, seen = measure(watchers, matches, think_s)
    floor = floor_us(watchers, matches, think_s)
    extra = watched.cpu_s - alone.cpu_s * watched.moves / alone.moves
    where = "one match" if matches == 1 else f"{matches} matches"
    what = f"{watchers:,} watch {where}, {think_s:g} s a move"
    return [
        (f"{what}: nobody watches", _turnaround(alone)),
        (what, _turnaround(watched)),
        (f"{what}: p99 more than without", f"{watched.ms[1] - alone.ms[1]:+.2f} ms"),
        (
            f"{what}: processor time per watcher and event",
            f"{1e6 * extra / max(1, seen['frames']):.1f} us; {floor:.1f} us to send as many bytes to as many sockets "
            "with a bare program",
        ),
        (
            f"{what}: events brought",
            f"{seen['frames']:,}; {seen['lost']} connections lost, {seen.get('refused', 0)} asked to wait; the server "
            f"was {watched.cpu_s / SECONDS:.0%} of a core busy, {alone.cpu_s / SECONDS:.0%} without them",
        ),
    ]


def _turnaround(figures: Figures) -> str:
    p50, p99, worst = figures.ms
    return (
        f"{p50:.2f} / {p99:.2f} / {worst:.1f} ms by the server's journal (p50, p99, worst of {figures.moves:,} moves), "
        f"{figures.seen_ms[0]:.1f} / {figures.seen_ms[1]:.1f} ms as players saw it"
    )


def floor_us(watchers: int, matches: int, think_s: float) -> float:
    """Processor time per frame of a program that only sends."""
    command = [sys.executable, "-m", "benchmarks._floor", str(watchers), str(matches), str(think_s), str(FLOOR_S)]
    with Popen(command, stdout=PIPE, text=True) as bare:
        try:
            with contextlib.suppress(psutil.AccessDenied):
                psutil.Process(bare.pid).nice(PRIORITY)
            with crowd("readers", str(said(bare)), str(watchers), nice=AUDIENCE_NICE) as readers:
                assert said(readers) == "reading"
                return float(said(bare))
        finally:
            bare.kill()


def measure(watchers: int, matches: int, think_s: float) -> tuple[Figures, Figures, dict[str, int]]:
    """The server that nobody watches, the one that is watched, and what the watchers saw."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        folders = (Path(one), Path(other))
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(_server(data)) for data in folders]
            bots = servers[1][1]
            audience = stack.enter_context(crowd("audience", bots, str(watchers), str(matches), nice=AUDIENCE_NICE))
            players = [
                stack.enter_context(crowd("players", port, str(SECONDS), GAME, str(think_s), secrets=tokens))
                for _, port, tokens in servers
            ]
            assert [said(each) for each in players] == ["playing", "playing"]
            assert said(audience) == "watching"
            assert [said(each) for each in players] == ["counting", "counting"]
            audience.send_signal(SIGINT)
            said(audience)
            began_ms, before = wall_clock_ms(), [process.cpu_times() for process, _, _ in servers]
            results = [said(players[0])]
            ended_ms, after = wall_clock_ms(), [process.cpu_times() for process, _, _ in servers]
            audience.send_signal(SIGINT)
            seen: dict[str, int] = said(audience)
            results.append(said(players[1]))
        figures = []
        for data, result, start, end in zip(folders, results, before, after, strict=True):
            times = sorted(turnarounds(data, began_ms, ended_ms))
            figures.append(
                Figures(
                    len(times),
                    (times[len(times) // 2], times[len(times) * 99 // 100], times[-1]),
                    (result["ms"][0], result["ms"][1]),
                    end.user + end.system - start.user - start.system,
                )
            )
    return figures[0], figures[1], seen


@contextlib.contextmanager
def _server(data: Path) -> Iterator[tuple[psutil.Process, str, dict[str, str]]]:
    """A server on this folder: the process, the port for bots, and the players' tokens."""
    tokens = enrol(data, *(f"player-{number}" for number in range(2 * MATCHES)))
    with server(data) as (process, bots, _):
        with contextlib.suppress(psutil.AccessDenied):
            process.nice(PRIORITY)  # exclude the effect of other processes on this machine
        yield process, bots, tokens
