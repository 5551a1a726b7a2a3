"""A tournament of 300 in four games on a real server, beside an empty house: what the players notice, and memory.

The same 24 bots play in both houses, one after the other: in a tournament of their own in the empty house, before and
after; and among 300 in the full one, where meanwhile visitors look at its pages and the teacher has it exported.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import httpx
import psutil
from tests.support.servers import enrol

from benchmarks._processes import crowd, many_files, quantile, said, server, turnarounds_of
from benchmarks._tables import command

GAMES: Final = '"connect4", "connect4-8x8", "desconecta4", "mancala"'
CUP: Final = 'name = "cup"\ngames = [{games}]\nformat = "{format}"\nabsent = "wait"\n'
CONNECTED: Final = 24
VISITORS: Final = 50
THINK_S: Final = 0.1
RUN_IN_S: Final = 10.0
EMPTY_S: Final = 20.0
FULL_S: Final = 60.0


def run(players: int = 300) -> list[tuple[str, str]]:
    file = CUP.format(games=GAMES, format="round-robin")
    with many_files():
        before, _ = _empty(file)
        alone, beside, rows = _full(players, file)
        after, memory = _empty(file)
    empty = sorted([*before, *after])
    shift = quantile(beside, 0.99) - quantile(empty, 0.99)
    return [
        (f"{CONNECTED} bots in a tournament of their own (before; after)", f"{_told(before)}; {_told(after)}"),
        (f"the same among {players}", _told(alone)),
        (f"the same, {VISITORS} visitors and an export", _told(beside)),
        ("p99 above the empty house (goal: at most 5 ms)", f"{shift:.1f} ms"),
        ("memory of the empty house", memory),
        *rows,
    ]


def _told(times: Sequence[float]) -> str:
    p50, p99, most = (quantile(times, part) for part in (0.5, 0.99, 0.99999))
    return f"p50 {p50:.1f}, p99 {p99:.1f}, most {most:.1f} ms of {len(times):,} moves"


@contextlib.contextmanager
def _house(players: int, file: str) -> Iterator[tuple[psutil.Process, httpx.Client, subprocess.Popen[str], str]]:
    """A house whose tournament runs: the server, the teacher, and the bots that play."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        tokens = enrol(data, *(f"p{number}" for number in range(players)))
        playing = {name: tokens[name] for name in list(tokens)[:CONNECTED]}
        with server(data) as (process, bots, web):
            key = {"authorization": f"Bearer {(data / 'teacher.key').read_text().strip()}"}
            with (
                httpx.Client(base_url=f"http://127.0.0.1:{web}/api/v1", headers=key, timeout=300) as teacher,
                crowd("entrants", bots, str(THINK_S), secrets=playing) as crew,
            ):
                said(crew)
                teacher.post("/tournaments", json={"toml": file}).raise_for_status()
                teacher.post("/tournaments/cup/start").raise_for_status()
                time.sleep(RUN_IN_S)
                turnarounds_of(crew)
                yield process, teacher, crew, web


def _memory(process: psutil.Process) -> str:
    helpers = sum(child.memory_info().rss for child in process.children(recursive=True))
    return f"{process.memory_info().rss >> 20} MB, its helper processes {helpers >> 20} MB"


def _empty(file: str) -> tuple[list[float], str]:
    with _house(CONNECTED, file) as (process, _, crew, _):
        time.sleep(EMPTY_S)
        return turnarounds_of(crew), _memory(process)


def _full(players: int, file: str) -> tuple[list[float], list[float], list[tuple[str, str]]]:
    began = time.monotonic()
    with _house(players, file) as (process, teacher, crew, web):
        rows = [("until it is played", f"{time.monotonic() - began - RUN_IN_S:.1f} s")]
        rows.append(("memory of the full house", _memory(process)))
        time.sleep(EMPTY_S)
        alone = turnarounds_of(crew)
        with crowd("visitors", web, str(VISITORS), "cup", nice=5) as looking:
            said(looking)
            time.sleep(RUN_IN_S)
            first = turnarounds_of(crew)
            rows.append(("while the first visitors come", _told(first)))
            began = time.monotonic()
            answer = teacher.get("/export.zip")
            answer.raise_for_status()
            took = time.monotonic() - began
            during = turnarounds_of(crew)
            rows.append(("export", f"{took:.1f} s, {len(answer.content) / 1e6:.1f} MB; meanwhile {_told(during)}"))
            time.sleep(max(0.0, FULL_S - took))
            beside = [*during, *turnarounds_of(crew)]
            rows.append(("memory with visitors, at the end", _memory(process)))
            looking.send_signal(signal.SIGINT)
            for what, (count, median, most) in said(looking).items():
                rows.append((f"visitors ask for {what}", f"{count} times, median {median:.2f} s, at most {most:.2f} s"))
        played = teacher.get("/tournaments/cup").json()["played"]
        rows.append(("matches played meanwhile", f"{played:,}"))
    return alone, beside, rows


if __name__ == "__main__":
    command(run)
