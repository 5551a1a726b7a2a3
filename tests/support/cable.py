"""A cable that can be cut: a TCP proxy that goes silent in both directions and closes nothing."""

from __future__ import annotations

import asyncio
from typing import Self


class Cable:
    """From `port` to the server's. What goes over a connection after `cut` is swallowed; new connections are whole."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._cut: list[asyncio.Event] = []
        self.swallowed = 0

    def cut(self) -> None:
        for event in self._cut:
            event.set()

    async def _plug(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        cut = asyncio.Event()
        self._cut.append(cut)
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        await asyncio.gather(self._pass(reader, there_writer, cut), self._pass(there_reader, writer, cut))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cut: asyncio.Event) -> None:
        try:
            while data := await reader.read(65536):
                if cut.is_set():
                    self.swallowed += len(data)
                else:
                    writer.write(data)
        except ConnectionError:
            pass
        if not cut.is_set():
            writer.close()

    async def __aenter__(self) -> Self:
        self._proxy = await asyncio.start_server(self._plug, "127.0.0.1", 0)
        self.port: int = self._proxy.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._proxy.close()
