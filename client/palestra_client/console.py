"""The terminal: prints notices in a thread of its own, since a terminal may stand still (a selection with the mouse,
a pipe nobody reads) and the connection must not."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Self

from rich import console
from rich.text import Text

from palestra_client.notices import Notice
from palestra_client.wording import Wording

CLOSE_S = 2.0


class Console:
    """Use it in a `with`; leaving it prints what is left, unless the terminal stands still."""

    def __init__(self) -> None:
        self._wording = Wording()
        self._queue: SimpleQueue[Notice | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="palestra console", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._queue.put(None)
        self._thread.join(CLOSE_S)

    def show(self, notice: Notice) -> None:
        """Print this soon. Never blocks."""
        self._queue.put(notice)

    def _run(self) -> None:
        terminal = console.Console(highlight=False, soft_wrap=True)
        while (notice := self._queue.get()) is not None:
            try:
                for line in self._wording.lines(notice):
                    _print(terminal, line)
            except OSError:
                return  # nobody reads any more


def _print(terminal: console.Console, line: Text) -> None:
    # A terminal that has not all letters shows a question mark in their place.
    line.plain = line.plain.encode(terminal.encoding, "replace").decode(terminal.encoding)
    terminal.print(line)
