"""A line to a server that can die without a word: what is sent over it is swallowed, and nothing is closed."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self


class DeafProxy:
    """Listens on a free port of 127.0.0.1 and hands on to `port`. Runs in the test's loop.

    `deaf`: connections that are made now are accepted and hear nothing. `swallow` makes those that are open so.
    Connections that are made while `through` is cleared hear nothing until it is set. `swallowed`: so many bytes.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._open: list[asyncio.Event] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self.swallowed = 0
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
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.sleep(0)  # they are closed in the next turn of the loop

    def swallow(self) -> None:
        """Nothing comes through the connections that are open now, and nobody is told."""
        for dead in self._open:
            dead.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._writers.append(writer)
        dead = asyncio.Event()
        self._open.append(dead)
        if self.deaf:
            dead.set()
        await self.through.wait()
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        self._writers.append(back)
        await asyncio.gather(self._hand_on(reader, back, dead), self._hand_on(there, writer, dead))

    async def _hand_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, dead: asyncio.Event) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                if dead.is_set():
                    self.swallowed += len(data)
                else:
                    target.write(data)
                    await target.drain()
        if not dead.is_set():
            with contextlib.suppress(OSError):
                target.close()
