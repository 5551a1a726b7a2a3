"""The demo's bots: separate processes, niced, ended with the demo whatever happens to it."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import sys
from pathlib import Path
from types import TracebackType

NICENESS = 10
"""A busy bot on the same machine must not take the processor from the referee."""
ENDING_S = 2.0


class ChildFailed(Exception):
    """A bot cannot be started or ended by itself; the text is one sentence for the user."""


class Child:
    """A reference bot as a process: `async with Child(...)` starts it and makes sure that it ends.

    What it prints goes to `log`.
    """

    def __init__(self, name: str, server: str, token: str, log: Path) -> None:
        self.name = name
        self._server = server
        self._token = token
        self._log = log
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Child:
        if importlib.util.find_spec("palestra_bots") is None:
            raise ChildFailed("The bots are not installed; install the package palestra-bots, or run 'make setup'.")
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "palestra_bots",
                self.name,
                "--server",
                self._server,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # By variable, so that no token stands in the list of processes.
                env={**os.environ, "PALESTRA_TOKEN": self._token},
                # Ctrl-C is for the demo, which then ends its bots in order.
                start_new_session=True,
            )
        if hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(ENDING_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def failure(self) -> None:
        """Waits until the process ends, which it should not do, and raises ChildFailed."""
        assert self._process is not None
        code = await self._process.wait()
        why = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        said = f' It said last: "{lines[-1].strip()}".' if lines else ""
        raise ChildFailed(f"The bot {self.name} {why}.{said} Its output is in {self._log}.")
