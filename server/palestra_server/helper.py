"""Another process of this program, for work that would keep the interpreter from the players."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Final, TypeVar

LONGEST_S: Final = 60.0  # a process that takes longer for an answer is killed

Answer = TypeVar("Answer")


@contextmanager
def _signals_held() -> Iterator[None]:
    """Processes started within never see the signals of Ctrl-C, a closing terminal and service managers: these go to
    the whole group, but are for the server, which then ends its helpers.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Helper:
    """Runs `python -m MODULE`, which reads requests from its standard input and answers each. It ends with this
    process, even a killed one: at the end of its standard input.

    The first `ask` starts it. `ask` and `end` are for one thread at a time; `close` is for any, after which it is
    `closed`.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[bytes] | None = None
        self.closed = False

    def ask(self, send: Callable[[IO[bytes]], object], receive: Callable[[IO[bytes]], Answer]) -> Answer:
        """Blocks until the answer is there.

        Raises OSError if the process can't be started or asked, and what `receive` raises for a truncated answer. After
        an exception, call `end` before anything else.
        """
        if self._process is None:
            # -P: the folder where the server was started may have bots named like modules (random.py).
            command = [sys.executable, "-P", "-m", self._module]
            # If the server is killed, nobody needs a traceback about its missing reader.
            quiet = subprocess.DEVNULL
            with _signals_held():
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet)
        process = self._process
        if self.closed:
            process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        guard = threading.Timer(LONGEST_S, process.kill)
        guard.start()
        try:
            send(process.stdin)
            process.stdin.flush()
            return receive(process.stdout)
        finally:
            guard.cancel()

    def close(self) -> None:
        """Make a waiting call, and every later one, raise an exception."""
        self.closed = True
        process = self._process
        if process is not None:
            process.kill()

    def end(self) -> None:
        """End the process, if there is one. The next `ask` starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            # Closing the pipe flushes what it was asked and did not read.
            with suppress(OSError), process:
                pass
