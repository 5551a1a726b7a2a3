"""Processes that end with this one, and take along whatever they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

_GUARD = 'read -r _; kill -s KILL -- "-$1"'
"""A shell that waits for the end of its standard input, which is the end of whoever holds the other end of the pipe."""


class Tied:
    """A process that was started with `start_new_session=True`, and all its children, by the id of the process.

    On Unix they are killed when this process ends, also by a signal that it can't catch. Elsewhere only `kill` ends
    them: there, a process of ours watches its parent (`end_with_parent`).
    """

    def __init__(self, process_id: int) -> None:
        self._process_id = process_id
        self._guard: subprocess.Popen[bytes] | None = None
        if sys.platform != "win32":
            with contextlib.suppress(OSError):  # no shell: the process can do without a guard
                self._guard = subprocess.Popen(
                    ["/bin/sh", "-c", _GUARD, "palestra-guard", str(process_id)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C and a closed terminal are not for the guard
                )

    def kill(self) -> None:
        """Kills the process and all its children. Safe to repeat."""
        if sys.platform == "win32":
            command = ["taskkill", "/F", "/T", "/PID", str(self._process_id)]
            subprocess.run(command, capture_output=True, check=False)
        else:
            # The group outlives its first process as long as one of its children is there.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process_id, signal.SIGKILL)
        guard, self._guard = self._guard, None
        if guard is not None:
            assert guard.stdin is not None
            guard.kill()
            guard.stdin.close()
            guard.wait()


def end_with_parent(last: Callable[[], None]) -> None:
    """Ends this process, after `last`, when its standard input ends: whoever started it is gone.

    From now on there is nothing to read on standard input for anybody else.
    """
    parent = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def watch() -> None:
        while os.read(parent, 1024):
            pass
        last()
        os._exit(1)

    threading.Thread(target=watch, name="palestra parent", daemon=True).start()
