"""The cost of a refereed move, and what it costs more with PostgreSQL and as one of three nodes.

The server, with its journal on disk, and the load (`_load`: players that answer at once with a random legal move) are
separate processes. CPU time is user plus system time of the server's whole process; a refereed move is one frame in and
two frames out. What the frames alone cost, `echo` measures.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from tests.support.databases import postgresql_schema
from tests.support.nodes import NodeProcess

from benchmarks._processes import server

SECONDS = 6.0
PAIRS = 3
PAIRED = 10
"""How many matches at once are compared with each database."""


@dataclass(frozen=True)
class Figures:
    """`cpu_us`: the server's CPU time per move; the rest is as seen by the load."""

    cpu_us: float
    per_second: float
    p50_us: float
    p99_us: float


def measure(process: psutil.Process, port: str, matches: int) -> Figures:
    """Run the load against a server, and measure the server's CPU time from 'go' to the end."""
    command = [sys.executable, "-m", "benchmarks._load", port, str(matches), str(SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        if client.stdout.readline().strip() != "go":
            raise RuntimeError("the load did not start")
        before = process.cpu_times()
        result = json.loads(client.stdout.readline())
        after = process.cpu_times()
    spent = after.user + after.system - before.user - before.system
    return Figures(
        spent / result["moves"] * 1e6, result["moves"] / result["seconds"], result["p50"] / 1e3, result["p99"] / 1e3
    )


def run() -> list[tuple[str, str]]:
    rows = []
    for matches in (1, 10, 100):
        with sqlite() as (process, port):
            figures = measure(process, port, matches)
        rows += [
            (f"{matches} at once: CPU per refereed move, journal on", f"{figures.cpu_us:.0f} us"),
            (f"{matches} at once: moves per second", f"{figures.per_second:,.0f}"),
            (
                f"{matches} at once: action sent to next turn received, p50 / p99",
                f"{figures.p50_us:,.0f} / {figures.p99_us:,.0f} us",
            ),
        ]
    return rows + beside_sqlite()


def beside_sqlite() -> list[tuple[str, str]]:
    """A move with PostgreSQL, and with two nodes that stand by, each measured right after one with SQLite."""
    places = {"PostgreSQL": postgresql, "one of three nodes": cluster}
    found: dict[str, list[tuple[Figures, Figures]]] = {name: [] for name in places}
    for _ in range(PAIRS):
        for name, place in places.items():
            pair = []
            for each in (sqlite, place):
                with each() as (process, port):
                    pair.append(measure(process, port, PAIRED))
            found[name].append((pair[0], pair[1]))
    rows = []
    for name, pairs in found.items():
        cpu = statistics.median(other.cpu_us / ours.cpu_us for ours, other in pairs)
        p50 = statistics.median(other.p50_us / ours.p50_us for ours, other in pairs)
        p99 = statistics.median(other.p99_us / ours.p99_us for ours, other in pairs)
        figure = f"CPU {cpu:.2f}, p50 {p50:.2f}, p99 {p99:.2f}"
        rows.append((f"{PAIRED} at once, {name} to SQLite, median ratio of {PAIRS} pairs", figure))
    return rows


@contextmanager
def sqlite(*options: str) -> Iterator[tuple[psutil.Process, str]]:
    with (
        tempfile.TemporaryDirectory() as data,
        server(Path(data), "--guests", "--log-level", "error", *options) as (process, port, _),
    ):
        yield process, port


@contextmanager
def postgresql() -> Iterator[tuple[psutil.Process, str]]:
    with postgresql_schema() as database, sqlite("--database", database) as place:
        yield place


@contextmanager
def cluster() -> Iterator[tuple[psutil.Process, str]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgresql_schema())
        nodes = []
        for name, said in (("a", "is open"), ("b", "b stands by"), ("c", "c stands by")):
            nodes.append(stack.enter_context(NodeProcess(folder, database, name)))
            nodes[-1].until(said)
        yield psutil.Process(nodes[0].process.pid), str(nodes[0].port)
