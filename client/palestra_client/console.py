"""The terminal. Notices are printed in a thread of their own, since a terminal may block (while text is selected with
the mouse, or on a pipe nobody reads) and the connection must not. The bot's own output goes the same way, line by
line, so that the log of moves stays intact.
"""

from __future__ import annotations

import io
import sys
import threading
from collections import defaultdict
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Self, TextIO

from rich import console
from rich.text import Text

from palestra_client.notices import Notice, Warned
from palestra_client.wording import Wording

CLOSE_S = 2.0
PRINTS_MAX = 1000  # A bot's lines that may wait for the terminal; beyond that, its `print` blocks


@dataclass(frozen=True, slots=True)
class _Printed:
    """A line that the bot wrote to `stream`."""

    stream: TextIO
    line: str


class Console:
    """Leaving the context prints what is left, unless the terminal is blocked.

    Meanwhile sys.stdout and sys.stderr pass whole lines to the console.
    """

    def __init__(self, *, program: bool = False) -> None:
        self._notebook = type(sys.stdout).__module__ == "ipykernel.iostream"
        self._wording = Wording(program=program, notebook=self._notebook)
        self._queue: SimpleQueue[Notice | _Printed | None] = SimpleQueue()
        self._room = threading.Semaphore(PRINTS_MAX)
        self._open = False
        self._thread = threading.Thread(target=self._run, name="palestra console", daemon=True)

    def __enter__(self) -> Self:
        self._before = sys.stdout, sys.stderr
        self._out, self._err = _Lines(self, sys.stdout), _Lines(self, sys.stderr)
        self._open = True
        self._thread.start()
        sys.stdout, sys.stderr = self._out, self._err
        return self

    def __exit__(self, *_: object) -> None:
        if (sys.stdout, sys.stderr) == (self._out, self._err):  # unless the bot has put something else there
            sys.stdout, sys.stderr = self._before
        self._out.finish()
        self._err.finish()
        self._queue.put(None)
        self._thread.join(CLOSE_S)

    @property
    def terminal(self) -> TextIO:
        """What sys.stdout was."""
        return self._before[0]

    def say(self, sentence: str) -> None:
        """Print a warning soon. Never blocks."""
        self.show(Warned(sentence))

    def show(self, notice: Notice) -> None:
        """Print this soon. Never blocks."""
        self._queue.put(notice)

    def write(self, stream: TextIO, text: str, *, wait: bool = True) -> None:
        """Print whole lines of the bot's soon. May block while too many are waiting."""
        if self._open and wait:
            self._room.acquire()
        if self._open:
            self._queue.put(_Printed(stream, text))
        else:
            stream.write(text)

    def _run(self) -> None:
        # In a notebook rich would make a box of every line, and there are colours, although it is no terminal.
        colours = True if self._notebook else None
        terminal = console.Console(
            file=self._before[0], highlight=False, soft_wrap=True, force_jupyter=False, force_terminal=colours
        )
        while (news := self._queue.get()) is not None:
            try:
                if isinstance(news, _Printed):
                    self._room.release()
                    news.stream.write(news.line)
                    news.stream.flush()
                    continue
                for line in self._wording.lines(news):
                    _print(terminal, line)
            except (OSError, ValueError):  # nobody reads any more, or the stream was closed
                break
        self._open = False
        self._room.release(PRINTS_MAX)  # unblocks any thread that waits to print


class _Lines(io.TextIOBase):
    """Stands in for a stream: passes on what each thread writes, a whole line at a time."""

    def __init__(self, owner: Console, stream: TextIO) -> None:
        self._owner = owner
        self._stream = stream
        self._pending: defaultdict[int, str] = defaultdict(str)

    def write(self, text: str) -> int:
        thread = threading.get_ident()
        whole, end, rest = (self._pending[thread] + text).rpartition("\n")
        self._pending[thread] = rest
        if end:
            self._owner.write(self._stream, whole + end)
        return len(text)

    def finish(self) -> None:
        """Pass on unfinished lines."""
        for rest in self._pending.values():
            if rest:
                self._owner.write(self._stream, rest + "\n", wait=False)
        self._pending.clear()

    def writable(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def encoding(self) -> str:  # type: ignore[override]  # typeshed has a variable here
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def _print(terminal: console.Console, line: Text) -> None:
    # A terminal that lacks a character shows a question mark in its place.
    line.plain = line.plain.encode(terminal.encoding, "replace").decode(terminal.encoding)
    terminal.print(line)
