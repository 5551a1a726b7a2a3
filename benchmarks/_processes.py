"""Runs a server as a process, and the crowds of `_crowd` against it."""

from __future__ import annotations

import contextlib
import json
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil

from palestra_server.store import NOTHING, Store


@contextlib.contextmanager
def server(data: Path, *options: str, files: int | None = None) -> Iterator[tuple[psutil.Process, str, str]]:
    """Run a server on free ports. Yield the process, and the ports of bots and page; its log is in `data`.

    `files`: limit on its open files.
    """
    command = [] if files is None else ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
    command += [sys.executable, "-m", "palestra_server", "serve", "--host", "127.0.0.1", "--port", "0"]
    command += ["--web-port", "0", "--data", str(data), "--log", "json", *options]
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
    """Run a process of `_crowd` for the duration of the block."""
    command = ["nice", "-n", str(nice), sys.executable, "-m", "benchmarks._crowd", kind, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(secrets or {}))
            process.stdin.close()
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def hogs(count: int) -> Iterator[None]:
    """Run programs that compute, for the duration of the block."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def has_said(process: subprocess.Popen[str], seconds: float) -> bool:
    """Whether a crowd prints anything within this time."""
    assert process.stdout is not None
    return bool(select.select([process.stdout], [], [], seconds)[0])


def said(process: subprocess.Popen[str]) -> Any:
    """The next line printed by a crowd, parsed as JSON."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} ended by itself")
    return json.loads(line)


@contextlib.contextmanager
def many_files() -> Iterator[None]:
    """Raise the limit on open files as far as the system allows, for this process and its children."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def turnarounds_of(entrants: subprocess.Popen[str]) -> list[float]:
    """The times from an action to the next turn, in ns, that this crowd has seen since it was last asked."""
    entrants.send_signal(signal.SIGINT)
    found: list[float] = said(entrants)
    return found


def quantile(times: Sequence[float], part: float) -> float:
    """In ms, of times in ns."""
    return sorted(times)[int(len(times) * part)] / 1e6


def turnarounds(data: Path, from_ms: int, to_ms: int) -> Iterator[float]:
    """Yield, for all moves between two times (UTC) except the last of each match, the ms from the arrival of the action
    to sending the next turn."""
    with closing(Store(data)) as store:
        for match in store.journal.matches(1_000_000, NOTHING):
            arrived = None
            for line in store.journal.read_lines(match.match):
                record = json.loads(line)
                if record["type"] == "acted":
                    arrived = record["arrived_at"]
                elif record["type"] == "turn" and arrived is not None:
                    if from_ms <= match.created_ms + record["at"] / 1e6 < to_ms:
                        yield (record["at"] - arrived) / 1e6
                    arrived = None
