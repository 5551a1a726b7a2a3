"""Watchers at every node: what one costs where a node only passes on, and how far behind the referee's own it is.

    python -m benchmarks.relayed                                  # on a quiet machine: under four minutes
    python -m benchmarks.relayed --watchers 200 --seconds 10      # a tenth of the crowd

Three nodes with one PostgreSQL; at each as many watchers, first all on one match, then on fifty, a tenth as many. They
are connected before they watch, so that a node's processor time without them is known; the same for its memory. An
event counts as brought when a watcher has read it; its delay is since the first of all watchers had it, who is one of
the referee's. All clocks are this machine's. Needs a PostgreSQL (PALESTRA_TEST_POSTGRESQL).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Final

import msgpack
import psutil
from rich.console import Console
from tests.support.databases import postgresql_schema
from tests.support.nodes import NodeProcess

from benchmarks._crowd import HOUSES, connect, say, stop_event
from benchmarks._load import Socket
from benchmarks._processes import crowd, many_files, said
from benchmarks._tables import show
from benchmarks.nodes import NODES
from palestra_server.runtime import Roster
from palestra_server.store import Store

WATCHERS: Final = 2000
SECONDS: Final = 20.0
MATCHES: Final = 50
GAME: Final = "mancala"
THINK_S: Final = 0.5
SAMPLED: Final = 50  # so many watchers at each node note when they had an event


async def watch(port: int, count: int) -> None:
    """Connect, watch the matches named on standard input, each by as many, and print what came upon SIGINT."""
    frames, times = 0, {}  # type: int, dict[str, list[float]]
    noting: set[Socket] = set()

    def look(socket: Socket, payload: bytes) -> None:
        nonlocal frames
        message = msgpack.unpackb(payload)
        if message["type"] == "event" and message["event"]["type"] != "snapshot":
            frames += 1
            if socket in noting:
                times.setdefault(f"{message['topic']} {message['seq']}", []).append(time.monotonic())

    sockets = [await connect(port, "/watch", look, f"127.0.1.{1 + number % HOUSES}") for number in range(count)]
    noting.update(sockets[:: max(1, count // SAMPLED)])
    say("connected")
    matches = json.loads(await asyncio.to_thread(sys.stdin.readline))
    for number, socket in enumerate(sockets):
        socket.send(msgpack.packb({"type": "watch", "topic": f"match:{matches[number % len(matches)]}"}))
    stopped = stop_event()
    for _ in ("when all watch", "when it was counted"):
        await stopped.wait()
        stopped.clear()
        say({"frames": frames, "times": times, "lost": sum(socket.transport.is_closing() for socket in sockets)})
        frames, times = 0, {}


@contextmanager
def audience(port: int, count: int) -> Iterator[Popen[str]]:
    command = ["nice", sys.executable, "-m", "benchmarks.relayed", "--watch", str(port), "--watchers", str(count)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@dataclass
class Used:
    """By the nodes, in some time."""

    cpu_s: list[float]
    seconds: float

    @classmethod
    def in_(cls, nodes: Sequence[psutil.Process], seconds: float) -> Used:
        before, began = [_cpu(node) for node in nodes], time.monotonic()
        time.sleep(seconds)
        return cls([_cpu(node) - start for node, start in zip(nodes, before, strict=True)], time.monotonic() - began)


def _cpu(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


def measure(nodes: list[NodeProcess], watchers: int, on: int, seconds: float) -> Iterator[tuple[str, str]]:
    """Rows; the first of the nodes referees."""
    processes = [psutil.Process(node.process.pid) for node in nodes]
    with ExitStack() as stack:
        small = [process.memory_info().rss for process in processes]
        audiences = [stack.enter_context(audience(node.port, watchers)) for node in nodes]
        for each in audiences:
            assert said(each) == "connected"
        without = Used.in_(processes, seconds / 2)
        live = [match["match"] for match in nodes[0].api("GET", "/matches?limit=200")["matches"] if match["live"]]
        for each in audiences:
            assert each.stdin is not None
            each.stdin.write(json.dumps(live[:on]) + "\n")
            each.stdin.flush()
        time.sleep(2)
        for each in audiences:
            each.send_signal(2)
            said(each)
        used = Used.in_(processes, seconds)
        large = [process.memory_info().rss for process in processes]
        for each in audiences:
            each.send_signal(2)
        seen: list[dict[str, Any]] = [said(each) for each in audiences]
    first = {event: min(times) for event, times in seen[0]["times"].items()}
    what = f"{watchers:,} watch {'one match' if on == 1 else f'{on} matches'} at each node"
    for number, node in enumerate(nodes):
        came = seen[number]
        extra = used.cpu_s[number] - without.cpu_s[number] * used.seconds / without.seconds
        late = sorted(
            at - first[event] for event, times in came["times"].items() if event in first for at in times
        ) or [0.0]
        yield (
            f"{what}: at {node.name}, which {'stands by' if number else 'referees'}",
            f"{1e6 * extra / max(1, came['frames']):.1f} us of processor time per watcher and event ("
            f"{came['frames']:,} events, {came['lost']} connections lost); after the first of all "
            f"{1e3 * late[len(late) // 2]:.1f} ms, {1e3 * late[int(0.99 * (len(late) - 1))]:.1f} ms (median, p99); "
            f"{(large[number] - small[number]) / watchers / 1024:.0f} KiB of memory per watcher",
        )


def run(watchers: int = WATCHERS, seconds: float = SECONDS) -> list[tuple[str, str]]:
    room = str(watchers + 2 * MATCHES + 50)  # the two that stand by come from one address, once for each match
    env = {"PALESTRA_MAX_WATCHERS": room, "PALESTRA_MAX_PER_ADDRESS": room, "PALESTRA_CHALLENGE_MS": "0"}
    with many_files(), postgresql_schema() as database, tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        with closing(Store(Path(folder) / "made", database)) as store:
            tokens = Roster(store.players).enrol([f"player-{number}" for number in range(4 * MATCHES)])
        halves = [dict(list(tokens.items())[half::2]) for half in (0, 1)]
        nodes = []
        for name in NODES:
            nodes.append(stack.enter_context(NodeProcess(Path(folder), database, name, **env)))
            nodes[-1].until("is open" if name == NODES[0] else "stands by")
        rows: list[tuple[str, str]] = []
        for each, on, playing in ((watchers, 1, halves[0]), (max(MATCHES, watchers // 10), MATCHES, halves[1])):
            play = (str(nodes[0].port), "3600", GAME, str(THINK_S))
            with crowd("players", *play, secrets=playing) as players:
                assert [said(players), said(players)] == ["playing", "counting"]
                rows += measure(nodes, each, on, seconds)
    return [*rows, ("load average at the end, cores", f"{os.getloadavg()[0]:.1f} (1 minute), {os.cpu_count()}")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Watchers at every node.")
    parser.add_argument("--watchers", type=int, default=WATCHERS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--watch", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.watch is not None:
        asyncio.run(watch(options.watch, options.watchers))
    else:
        began = time.monotonic()
        table = run(options.watchers, options.seconds)
        show(Console(), "relayed", time.monotonic() - began, table)
