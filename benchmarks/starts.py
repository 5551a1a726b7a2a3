"""How long `palestra-server serve` takes until bots are let in: an empty house, and one with many finished tournaments.

    python -m benchmarks.starts --tournaments 20 --rounds 10

The tournaments (Swiss, 50 players, 50 matches a round, random moves) are played by the referee and the tournament's
machine, and put into the store as the server would. Then the server is started again and again, the empty house and
the full one in turn, and a connection is tried every 10 ms.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Final

import psutil
from tests.support.played import play_out, settle

from benchmarks._tables import command
from palestra_referee import MS
from palestra_server.store import Store
from palestra_tournament import Entrant

TOURNAMENTS: Final = 20
ROUNDS: Final = 10
PLAYERS: Final = 50
STARTS: Final = 7
CUP: Final = 'name = "{name}"\ngames = ["connect4"]\nformat = "swiss"\nrounds = {rounds}\nseed = 7\n'


def fill(data: Path, tournaments: int, rounds: int) -> None:
    """Put finished tournaments into a data folder; every move takes 1 ms."""
    chance, clock, numbers = random.Random(1), count(1_700_000_000_000, 10), count(1)
    entrants = [Entrant(f"student-{number}") for number in range(PLAYERS)]
    with closing(Store(data)) as store:
        for number in range(tournaments):
            toml = CUP.format(name=f"cup-{number}", rounds=rounds)
            t = play_out(store, toml, entrants, chance, clock, numbers, lambda *_: {"slow_ns": MS})
            assert t.phase == "completed", t.phase
        settle(store)


def start_s(data: Path) -> tuple[float, float]:
    """Seconds, and seconds of the processor, until a server on this folder takes a connection."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "palestra_server", "serve", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--web-port", "0", "--data", str(data), "--log-level", "error"]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                assert process.poll() is None, "the server ended"
                time.sleep(0.01)
        took = time.monotonic() - began
        used = psutil.Process(process.pid).cpu_times()
        process.send_signal(signal.SIGTERM)
        process.wait()
    return took, used.user + used.system


def run(
    tournaments: int = TOURNAMENTS, rounds: int = ROUNDS, starts: int = STARTS, data: Path | None = None
) -> list[tuple[str, str]]:
    """`data`: keep the folders here, for another run."""
    with tempfile.TemporaryDirectory() as temporary:
        at = data or Path(temporary)
        empty, full = at / "empty", at / "full"
        empty.mkdir(exist_ok=True)
        if not full.exists():
            fill(full, tournaments, rounds)
        for house in (empty, full):
            start_s(house)
        took: dict[Path, list[tuple[float, float]]] = {empty: [], full: []}
        for _ in range(starts):
            for house, found in took.items():
                found.append(start_s(house))
    rows = []
    for house, what in ((empty, "no tournament"), (full, f"{tournaments} finished tournaments of {rounds * PLAYERS}")):
        wall, cpu = (sorted(values) for values in zip(*took[house], strict=True))
        shown = f"{statistics.median(wall):.2f} s ({wall[0]:.2f} to {wall[-1]:.2f}), {statistics.median(cpu):.2f} CPU s"
        rows.append((f"serve until bots are let in, {what}", shown))
    return [*rows, ("load average", " ".join(f"{load:.1f}" for load in os.getloadavg()))]


if __name__ == "__main__":
    command(run)
