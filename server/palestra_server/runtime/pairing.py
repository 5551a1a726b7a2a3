"""Pairs the rounds of a large Swiss in another process: no bot's frame has to wait for it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from typing import Final, Self

import structlog

from palestra_tournament import Pairs, Round, pair_round

log = structlog.get_logger()

HERE: Final = 100
"""Rounds of up to this many players are paired here, which takes less than 10 ms."""
LONGEST_S: Final = 60.0


class PairingApart(AbstractContextManager["PairingApart"]):
    """`pair_round` for a thread beside the loop: large rounds are paired by one other process, which the first of them
    starts. They are paired here if that fails."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def __call__(self, of: Round) -> Pairs:
        """As `pair_round`. Blocks until the other process has answered."""
        if len(of.players) <= HERE:
            return pair_round(of)
        try:
            return self._ask(of)
        except (OSError, ValueError) as error:
            log.warning("a round is paired in the server's own process", why=str(error), players=len(of.players))
            self._end()
            return pair_round(of)

    def _ask(self, of: Round) -> Pairs:
        if self._process is None:
            # -P: the folder where the server was started may hold bots called like modules (random.py).
            command = [sys.executable, "-P", "-m", "palestra_tournament.formats"]
            # Whoever stops the server with Ctrl-C interrupts this process as well, and need not read of it.
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, text=True
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        guard = threading.Timer(LONGEST_S, process.kill)
        guard.start()
        try:
            process.stdin.write(json.dumps(asdict(of)) + "\n")
            process.stdin.flush()
            said = json.loads(process.stdout.readline())
        finally:
            guard.cancel()
        return Pairs(tuple((first, second) for first, second in said["pairs"]), said["idle"])

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            # What it was asked and did not read is written once more when the pipe is closed.
            with suppress(OSError), process:
                pass
