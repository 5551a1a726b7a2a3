"""The processes of contenders, which play one match after another."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from typing import IO

from palestra_client.arena.contenders import Contender, NoContender
from palestra_client.arena.local_server import Gone, Guest, House
from palestra_client.tied import Tied

START_S = 90.0  # time for a process to start and connect. Generous: the machine may be busy, and imports may be slow.
OUTPUT_KEPT = 4000  # how many trailing characters of a bot's output are shown when something goes wrong


class Runner:
    """Runs a contender's process, which plays one match after another."""

    def __init__(self, contender: Contender, house: House) -> None:
        self.contender = contender
        self._house = house
        # Append mode, so that seeking to read doesn't move the process's write position.
        self._log: IO[bytes] = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - it lives as long as the runner
        self._process: asyncio.subprocess.Process | None = None
        self._tied: Tied | None = None
        self._watch: asyncio.Task[None] | None = None
        self.guest: Guest = house.admit(contender.name)

    async def ready(self) -> Guest:
        """The connected guest; starts the process if needed. Raises NoContender if it doesn't connect."""
        if self._process is None:
            await self._start()
        assert self._watch is not None
        joined = asyncio.ensure_future(self.guest.ready_to_play.wait())
        await asyncio.wait((joined, self._watch), timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
        if not joined.done():
            joined.cancel()
            said = self.output() or "It printed nothing."
            what = f"did not connect within {START_S:.0f} s" if self.running else "ended before it connected"
            await self.stop()
            raise NoContender(f"{self.contender.name} {what}:\n{said}")
        return self.guest

    def output(self) -> str:
        """The tail of what the process printed."""
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - OUTPUT_KEPT))
        return self._log.read().decode(errors="replace").strip()

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert self._tied is not None
        await asyncio.to_thread(self._tied.kill, process.pid)
        if self._watch is not None:
            await self._watch
        self._house.dismiss(self.guest)
        self.guest = self._house.admit(self.contender.name)

    async def close(self) -> None:
        await self.stop()
        self._log.close()

    async def _start(self) -> None:
        command = self.contender.command(self._house.url, self.guest.token)
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        low = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
        self._tied = Tied()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                # Our own child processes exit when this pipe is closed.
                stdin=asyncio.subprocess.DEVNULL if self.contender.kind == "wire" else asyncio.subprocess.PIPE,
                stdout=self._log,
                stderr=self._log,
                env=environment,
                creationflags=low,
                process_group=self._tied.group,
            )
        except OSError as error:
            self._tied.kill()
            raise NoContender(f"{self.contender.name} can't be started: {error.strerror or error}.") from None
        self._watch = asyncio.create_task(self._until_gone(self._process, self.guest))

    async def _until_gone(self, process: asyncio.subprocess.Process, guest: Guest) -> None:
        await process.wait()
        guest.hear(Gone())
