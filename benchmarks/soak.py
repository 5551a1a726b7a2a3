"""Many matches at once, many who watch, and attacks from other addresses all the while: does anybody honest notice?

    python -m benchmarks.soak --seconds 600 --matches 200 --watchers 1000

The server, the players, those who watch and the attackers are a process each (`_crowd`). Each player thinks for a
moment, so that all together make about 2.5 moves a second for each match. A player is flagged unjustly when its match
ends by anything but the rules although it answered each turn, by its own clock, within the time for a move.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import psutil
from rich.console import Console

from benchmarks._tables import show
from palestra_server.runtime import Roster
from palestra_server.store import Store

SECONDS: Final = 600
MATCHES: Final = 200
WATCHERS: Final = 1000
GAME: Final = "connect4"
THINK_S: Final = 0.4
IN_BENCH_S: Final = 120
"""How long it takes as one of many in `make bench`."""


class Flagged(Exception):
    """An honest player was flagged."""


@contextlib.contextmanager
def server(data: Path) -> Iterator[tuple[psutil.Process, str, str]]:
    """A server process on free ports: the process, and the ports of bots and page. What it logs is in `data`."""
    command = [sys.executable, "-m", "palestra_server", "serve", "--host", "127.0.0.1", "--port", "0"]
    command += ["--web-port", "0", "--data", str(data), "--log", "json"]
    with (
        (data / "log.json").open("ab") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            ports = {}
            for line in process.stdout:
                what, _, address = line.strip().partition(" ")
                if what in ("bots", "page"):
                    ports[what] = address.split(":")[2].split("/")[0].strip()
                if "on the roster" in line:
                    break
            yield psutil.Process(process.pid), ports["bots"], ports["page"]
        finally:
            process.terminate()
            process.wait(60)


@contextlib.contextmanager
def crowd(
    kind: str, *arguments: str, secrets: dict[str, str] | None = None, nice: int = 0
) -> Iterator[subprocess.Popen[str]]:
    """A process of `_crowd`, which ends with the block."""
    command = ["nice", "-n", str(nice), sys.executable, "-m", "benchmarks._crowd", kind, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(secrets or {}))
            process.stdin.close()
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> Any:
    """The next line of a crowd, as JSON."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} ended by itself")
    return json.loads(line)


def run(
    seconds: float = IN_BENCH_S, matches: int = MATCHES, watchers: int = WATCHERS, attacked: bool = True
) -> list[tuple[str, str]]:
    """The table. Raises Flagged."""
    with many_files(), tempfile.TemporaryDirectory() as folder:
        return _run(Path(folder), seconds, matches, watchers, attacked)


@contextlib.contextmanager
def many_files() -> Iterator[None]:
    """This process, and those that it starts, may open as many files as the system lets them ask for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _run(data: Path, seconds: float, matches: int, watchers: int, attacked: bool) -> list[tuple[str, str]]:
    with closing(Store(data)) as store:
        tokens = Roster(store.players).enrol([f"player-{number}" for number in range(2 * matches)])
    with contextlib.ExitStack() as stack:
        process, bots, page = stack.enter_context(server(data))
        players = stack.enter_context(crowd("players", bots, str(seconds), GAME, str(THINK_S), secrets=tokens))
        assert said(players) == "playing"
        watching = stack.enter_context(crowd("watchers", bots, str(watchers)))
        assert said(watching) == "watching"
        attackers = stack.enter_context(crowd("attackers", bots, page)) if attacked else None
        assert said(players) == "counting"
        before, cpu, logged = process.memory_info().rss, process.cpu_times(), size(data)
        began = time.monotonic()
        result = said(players)
        took = time.monotonic() - began
        after, spent, log_bytes = process.memory_info().rss, process.cpu_times(), size(data) - logged
        done = "none"
        if attackers is not None:
            attackers.send_signal(2)
            done = ", ".join(f"{what} {count:,}" for what, count in said(attackers).items())
        watching.send_signal(2)
        seen = said(watching)
    if result["flagged"]:
        raise Flagged(f"players were flagged though they were punctual: {result['flagged'][:5]}")
    share = (spent.user + spent.system - cpu.user - cpu.system) / took
    return [
        ("matches at once, watchers", f"{matches}, {seen['connected']:,} of {watchers:,}"),
        ("attacks", done),
        ("moves", f"{result['moves']:,} ({result['moves'] / took:,.0f} a second)"),
        ("matches ended; how", f"{sum(result['reasons'].values()):,}; {result['reasons']}"),
        ("punctual players flagged", "0"),
        ("action sent to next turn received: p50 / p99 / worst", " / ".join(f"{ms:,.1f} ms" for ms in result["ms"])),
        (
            "frames to those who watch",
            f"{seen['frames']:,} ({seen['bytes'] / 1e6:,.0f} MB), {seen['lost']} connections lost",
        ),
        ("server's memory (RSS) at the begin and at the end", f"{before / 2**20:.0f} and {after / 2**20:.0f} MiB"),
        ("server's processor", f"{100 * share:.0f} % of a core"),
        ("server's log", f"{log_bytes / 1000:,.0f} kB ({60 * log_bytes / took / 1000:,.0f} kB a minute)"),
    ]


def size(data: Path) -> int:
    """Bytes of the server's log."""
    return (data / "log.json").stat().st_size


def main() -> int:
    parser = argparse.ArgumentParser(description="Play, watch and attack for a while, and see who notices.")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--watchers", type=int, default=WATCHERS)
    parser.add_argument("--quiet", action="store_true", help="without the attacks, to compare")
    options = parser.parse_args()
    console = Console()
    started = time.monotonic()
    try:
        rows = run(options.seconds, options.matches, options.watchers, not options.quiet)
    except Flagged as fault:
        console.print(str(fault), markup=False)
        return 1
    show(console, "soak", time.monotonic() - started, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
