"""A line between the browser and the server that can die without a word: what is sent over it is swallowed."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self


class DeafProxy:
    """Listens on a free port of 127.0.0.1 and hands on to `port`. Runs in the test's loop.

    `deaf`: connections that are made now are accepted and hear nothing. `swallow` makes those that are open so.
    Connections that are made while `through` is cleared hear nothing until it is set.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._open: list[asyncio.Event] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.deaf = False
        self.through = asyncio.Event()
        self.through.set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def swallow(self) -> None:
        """Nothing comes through the connections that are open now, and nobody is told."""
        for dead in self._open:
            dead.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        dead = asyncio.Event()
        self._open.append(dead)
        if self.deaf:
            dead.set()
        await self.through.wait()
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        for source, target in ((reader, back), (there, writer)):
            task = asyncio.create_task(self._hand_on(source, target, dead))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    @staticmethod
    async def _hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter, dead: asyncio.Event) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                if not dead.is_set():
                    target.write(data)
                    await target.drain()
        if not dead.is_set():
            with contextlib.suppress(OSError):
                target.close()
