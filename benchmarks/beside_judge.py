"""Do the players notice the judge that works on the server's machine?

One server, pairs of players that answer after THINK_S, and a judge, which is niced and always behind: more matches end
than it can judge. It is halted (SIGSTOP) and goes on (SIGCONT) in turns, so that each window with it stands beside one
without it. Turnaround is taken from the server's journal: from the arrival of an action until the next turn was handed
to the network. PALESTRA_BENCH_WINDOWS sets how many pairs of windows there are (10; three and a half minutes).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from statistics import median

import psutil
from tests.support.servers import enrol

from benchmarks._crowd import RUN_IN_S
from benchmarks._processes import crowd, server, turnarounds
from palestra_server.store import wall_clock_ms

MATCHES, GAME, THINK_S = 20, "connect4", 0.1
WINDOW_S, SETTLING_S = 8.0, 0.5
LONG_S = "3600"  # the players go on until all windows are over


def run() -> list[tuple[str, str]]:
    pairs = int(os.environ.get("PALESTRA_BENCH_WINDOWS", "10"))
    windows: list[tuple[bool, int, int]] = []  # whether the judge works, and from when to when
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        tokens = enrol(data, *(f"player-{number}" for number in range(2 * MATCHES)))
        with server(data) as (_, bots, web), crowd("players", bots, LONG_S, GAME, str(THINK_S), secrets=tokens):
            time.sleep(RUN_IN_S)
            judge = _judge(data, web)
            try:
                while not _judged(data):  # until it has loaded what it needs
                    time.sleep(SETTLING_S)
                    if judge.poll() is not None:
                        raise RuntimeError((data / "judge.log").read_text())
                before = judge.cpu_times()
                for number in range(2 * pairs):
                    works = number % 4 in (1, 2)  # without, with, with, without: what drifts is the same for both
                    judge.send_signal(SIGCONT if works else SIGSTOP)
                    time.sleep(SETTLING_S)
                    began = wall_clock_ms()
                    time.sleep(WINDOW_S)
                    windows.append((works, began, wall_clock_ms()))
                used = judge.cpu_times()
            finally:
                judge.kill()
                judge.wait()
        times = [(works, sorted(turnarounds(data, began, ended))) for works, began, ended in windows]
        judged = _judged(data)
    whole = {each: sorted(ms for works, found in times if works is each for ms in found) for each in (False, True)}
    shifts = [_more(times[at][1], times[at + 1][1], times[at][0]) for at in range(0, len(times), 2)]
    busy = (used.user + used.system - before.user - before.system) / (pairs * (WINDOW_S + SETTLING_S))
    return [
        ("without a judge", _told(whole[False])),
        ("with the judge", _told(whole[True])),
        ("p99 more with it", f"{_at(whole[True], 0.99) - _at(whole[False], 0.99):+.2f} ms"),
        (
            "and of each pair of windows",
            f"median {median(shifts):+.2f} ms, from {min(shifts):+.2f} to {max(shifts):+.2f}",
        ),
        ("meanwhile", f"{judged} matches judged, with {busy:.0%} of a core; load {os.getloadavg()[0]:.1f}"),
    ]


def _judge(data: Path, web: str) -> psutil.Popen:
    """As `serve --judge` starts it."""
    command = [str(Path(sys.executable).with_name("palestra-bots")), "judge", "--server", f"http://127.0.0.1:{web}"]
    key = {"PALESTRA_ADMIN_KEY": (data / "teacher.key").read_text().strip()}
    with (data / "judge.log").open("wb") as log:
        return psutil.Popen(command, env={**os.environ, **key}, stdout=log, stderr=subprocess.STDOUT)


def _judged(data: Path) -> int:
    """How many matches it has judged."""
    return (data / "judge.log").read_text().count(" nodes, ")


def _at(times: list[float], part: float) -> float:
    return times[int(len(times) * part)]


def _more(first: list[float], second: list[float], first_works: bool) -> float:
    shift = _at(second, 0.99) - _at(first, 0.99)
    return -shift if first_works else shift


def _told(times: list[float]) -> str:
    return (
        f"{_at(times, 0.5):.2f} / {_at(times, 0.99):.2f} / {times[-1]:.1f} ms (p50, p99, worst of {len(times):,} moves)"
    )
