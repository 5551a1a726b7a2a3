"""Processes that end with this one, along with all their children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

# A shell that waits for the end of its standard input, which comes when the process at the other end of the pipe is
# gone, and then kills its process group.
_GUARD = "read -r _; kill -s KILL 0"


class Tied:
    """A process that is started with `process_group=tied.group`, and all its children.

    On Unix they are killed when this process ends, even by a signal that can't be caught. The guard that does so starts
    first, and the process is started in its group, so that it is never without a guard. Elsewhere only `kill` ends
    them; there, our own processes watch their parent (`end_with_parent`).
    """

    def __init__(self) -> None:
        self._guard: subprocess.Popen[bytes] | None = None
        self.group: int | None = None
        if sys.platform != "win32":
            # A group of its own: Ctrl-C isn't meant for the guard, nor for what it guards.
            self._guard = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=0,
            )
            self.group = self._guard.pid

    def kill(self, process_id: int | None = None) -> None:
        """Kills the process, if it was started, and all its children. Idempotent."""
        if sys.platform == "win32":
            if process_id is not None:
                command = ["taskkill", "/F", "/T", "/PID", str(process_id)]
                subprocess.run(command, capture_output=True, check=False)
            return
        guard, self._guard = self._guard, None
        if guard is not None:
            assert guard.stdin is not None
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(guard.pid, signal.SIGKILL)
            guard.stdin.close()
            guard.wait()


def end_with_parent(last: Callable[[], None]) -> None:
    """Ends this process, after calling `last`, when its standard input ends: its parent is gone.

    From now on nobody else can read standard input.
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
