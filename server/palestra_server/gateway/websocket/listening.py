"""The listening sockets, and the end of all connections."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
from collections.abc import Callable, Sequence
from typing import Self

from palestra_protocol.harmless import ForPeople
from palestra_protocol.limits import CloseCode
from palestra_server.gateway.allowance import SparingLog
from palestra_server.gateway.arrivals import Arrivals, StallWatcher, StampedListener, bind, polls_of
from palestra_server.gateway.places import Exhaustion, Rooms
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.websocket.connection import READ_BYTES, Connection, HandlerFactory, Shared

ACCEPTED_AT_ONCE = 1  # connections accepted per iteration of the loop: players come first, even when a crowd arrives
GOODBYE_S = 0.5  # how long a stopping server waits for the close frames that answer its own


class GatewayError(ForPeople):
    """A port can't be opened."""


class Gateway:
    """The connections accepted from listening sockets, once it is `open`; `port` is theirs."""

    port: int

    def __init__(
        self,
        handlers: HandlerFactory,
        rooms: Rooms,
        settings: GatewaySettings,
        counts: Counts,
        finish: Callable[[], None] = lambda: None,
    ) -> None:
        """`finish` is called before the connections are closed."""
        polls = polls_of(asyncio.get_running_loop())
        self.shared = Shared(
            handlers=handlers,
            settings=settings,
            counts=counts,
            rooms=rooms,
            arrivals=Arrivals(polls),
            watcher=StallWatcher(polls) if polls else None,
            log=SparingLog(),
            connections=set(),
            deserted=asyncio.Event(),
            buffer=memoryview(bytearray(READ_BYTES)),
        )
        self.shared.deserted.set()
        self.on_exhausted = Exhaustion(rooms)
        self.counts, self.requests, self.proxies = counts, rooms.requests, settings.proxies
        self._finish = finish
        self._servers: list[asyncio.Server] = []

    async def open(self, sockets: Sequence[StampedListener]) -> Self:
        """Accept connections from these sockets, which it closes. Raises GatewayError."""
        loop = asyncio.get_running_loop()
        host, self.port = sockets[0].getsockname()[:2]
        try:
            for each in sockets:
                each.on_exhausted = self.on_exhausted
                self._servers.append(
                    await loop.create_server(lambda: Connection(self.shared), sock=each, backlog=ACCEPTED_AT_ONCE)
                )
        except OSError as error:
            # Two sockets may be bound to one port as long as neither listens.
            for each in sockets:
                each.close()
            await self.close()
            raise GatewayError(_why_not(error, host, self.port)) from error
        return self

    def web_connection(self, **_: object) -> Connection:
        """For uvicorn's `Config(ws=...)`: /play and /watch on the web port, by the same rules as on ours. Its sockets
        must come from a `StampedListener`.
        """
        return Connection(self.shared, on_page=True)

    def stop(self) -> None:
        """Accept nobody any more: where the sockets are shared, whoever comes waits for another to accept them."""
        for server in self._servers:
            server.close()

    async def close(self) -> None:
        """Stop listening and end every connection with 1001; takes GOODBYE_S at most."""
        self._finish()
        shared = self.shared
        shared.closed = True
        self.stop()
        for connection in tuple(shared.connections):
            connection.close(CloseCode.GOING_AWAY, "The server is going away: connect again.")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(shared.deserted.wait(), min(GOODBYE_S, shared.settings.close_s))
        for connection in tuple(shared.connections):
            connection.abort()
        await shared.deserted.wait()
        self.on_exhausted.close()
        if shared.watcher:
            shared.watcher.close()


def bound(host: str, port: int) -> list[StampedListener]:
    """Sockets for every address of `host`; port 0 picks a free one. Raises GatewayError."""
    try:
        return bind(host, port)
    except socket.gaierror as error:
        raise GatewayError(f"The address {host!r} is unknown here: use 0.0.0.0 to listen everywhere.") from error
    except OSError as error:
        raise GatewayError(_why_not(error, host, port)) from error


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is already in use: end the program that has it, or choose another port."
    if error.errno == errno.EACCES:
        return f"Port {port} is not allowed to this user: choose one above 1023."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"The address {host} is not one of this machine: use 0.0.0.0 to listen everywhere."
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"Cannot listen on {host}, port {port}: {reason}."
