"""A bot whose moves come from an external program."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from palestra_client.bot import Bot
from palestra_client.bridge.dialect import SILENT, Dialect, ProgramFailed
from palestra_client.bridge.program import Program
from palestra_client.factories import BotFactory
from palestra_client.match import Match, Result, file_name
from palestra_client.turn import Turn
from palestra_protocol.harmless import harmless

ERRORS = Path("palestra-stderr")  # the folder for the programs' standard error, with one file per match
SHOWN_MAX = 200  # lines of standard error shown per match. The file has more.
WIDTH_MAX = 400  # characters shown per line
KEPT_MAX = 10_000_000  # characters of standard error kept per match
READY_SHARE = 0.9  # the fraction of the time for getting ready that a program may use
# How long to keep waiting for a program whose time is up. The server's verdict arrives in the meantime.
PATIENCE_S = 1.0

_running: weakref.WeakSet[Program] = weakref.WeakSet()


def kill_all() -> None:
    """Kill all running programs and their children. Call before exiting."""
    for program in tuple(_running):
        program.kill()


def program_bots(command: Sequence[str], dialect: Callable[[], Dialect], *, errors: Path | None = ERRORS) -> BotFactory:
    """Return a factory of bots that run this command, one process per match.

    The program's standard error goes to the terminal and, unless `errors` is None, to a file in that folder.
    """

    def bot() -> Bot:
        return ProgramBot(command, dialect(), errors=errors)

    return bot


class ProgramBot(Bot):
    """Plays one match with one program.

    The program and its children are killed when the match is over, when its time is up, and when this bot is garbage
    collected. If the bot is asked again after that, the program is restarted.
    """

    def __init__(self, command: Sequence[str], dialect: Dialect, *, errors: Path | None) -> None:
        self._command = command
        self._dialect = dialect
        self._errors = errors
        self._program: Program | None = None
        self._end: weakref.finalize[..., ProgramBot] | None = None

    def on_start(self, match: Match) -> None:
        self._match = match
        self._sink = _ErrorLines(Path(self._command[0]).name, match, self._errors)
        self._start(lambda: READY_SHARE * match.ready_s)

    def choose(self, turn: Turn) -> int:
        until = turn.match.grace_s + PATIENCE_S
        over = _Countdown(until)

        def left_s() -> float:
            if not turn.wanted:
                return 0.0
            return over.left_s() if turn.remaining_s <= 0 else turn.remaining_s + until

        try:
            if self._program is None:
                self._start(left_s)
            assert self._program is not None
            return self._dialect.ask(_Conversation(self._program, left_s, self._sink), turn)
        except ProgramFailed:
            self._let_go()
            if not turn.wanted:  # the match is over and the answer is discarded
                return turn.legal[0]
            raise

    def on_end(self, result: Result) -> None:
        program = self._program
        if program is None:
            return
        try:
            self._dialect.end(_Conversation(program, lambda: 1.0, self._sink), result)
            program.close()
        except ProgramFailed:
            pass  # it had already exited
        finally:
            self._let_go()

    def _start(self, time_s: Callable[[], float]) -> None:
        program = self._program = Program(self._command, self._sink.line)
        _running.add(program)
        self._end = weakref.finalize(self, program.kill)
        clock = _Countdown(time_s())
        try:
            self._dialect.start(_Conversation(program, clock.left_s, self._sink), self._match)
        except ProgramFailed:
            self._let_go()
            raise

    def _let_go(self) -> None:
        if self._end is not None:
            self._end()
        self._program = None


class _Countdown:
    """A countdown that starts when it is first read."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until: float | None = None

    def left_s(self) -> float:
        now = time.monotonic()
        if self._until is None:
            self._until = now + self._seconds
        return self._until - now


@dataclass(eq=False)
class _Conversation:
    """A Talk with a running program, subject to a time limit."""

    program: Program
    left_s: Callable[[], float]
    errors: _ErrorLines

    def say(self, *lines: str) -> None:
        self.program.say(*lines)

    def hear(self) -> str:
        self._check_time()
        line = self.program.hear(self.left_s)
        if line is None:
            raise self._too_late()
        return line

    def quiet(self, seconds: float) -> str | None:
        self._check_time()
        pause = _Countdown(seconds)
        line = self.program.hear(lambda: min(pause.left_s(), self.left_s()))
        if line is None:  # a pause that the end of the time cut short is no pause of the program's
            self._check_time()
        return line

    def _check_time(self) -> None:
        # There is always another line from a program that never stops writing.
        if self.left_s() <= 0:
            raise self._too_late()

    def _too_late(self) -> ProgramFailed:
        return ProgramFailed(
            f"{self.program.name} {SILENT}, and was ended. If it has written its answer: end the line, and flush it."
        )

    def tell(self, sentence: str) -> None:
        self.errors.tell(f"{self.program.name} {sentence}")


class _ErrorLines:
    """Copies a program's standard error in one match to the terminal and to a file."""

    def __init__(self, name: str, match: Match, folder: Path | None) -> None:
        self._name = name
        self._path = None if folder is None else folder / f"{file_name(match.id)}.txt"
        self._room = KEPT_MAX
        self._left = SHOWN_MAX
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        with self._lock:
            if self._path is not None and self._room > 0:
                self._room -= len(text) + 1
                try:
                    self._path.parent.mkdir(parents=True, exist_ok=True)
                    with self._path.open("a", encoding="utf-8") as file:
                        file.write(text + "\n")
                except OSError as why:
                    self.tell(f"{self._path} can't be written: {why.strerror or why}")
                    self._path = None
            if self._left > 0:
                self._left -= 1
                self.tell(f"  {self._name}: {text if len(text) <= WIDTH_MAX else text[:WIDTH_MAX] + '...'}")
                if self._left == 0:
                    self.tell(f"  ({self._name} writes a lot: the rest is in {self._path})")

    def tell(self, sentence: str) -> None:
        sys.stderr.write(harmless(sentence) + "\n")
