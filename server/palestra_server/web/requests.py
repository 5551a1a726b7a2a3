"""Connections to the web port: limited in number and time, so that a silent client costs nobody else anything."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from palestra_server.gateway import Room, polls_of
from palestra_server.web.pacing import taken_beside

# Time limit from the start of a connection, or the first byte of a further request, to the complete request.
REQUEST_S = 10.0
ANSWER_S = 300.0  # time limit from then until the response has been sent
KEEP_ALIVE_S = 5  # how long an idle connection is kept open
# Processor time to accept a connection and to close it, as measured on a slow core: the kernel's and asyncio's, mostly.
CONNECTION_S = 0.0003


class RequestProtocol(H11Protocol):
    """uvicorn's HTTP connection. When the room is full, the oldest without a complete request gives way.

    What it takes to connect and to read what comes is charged to the request (`taken_beside`).
    """

    def __init__(self, *, room: Room, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._room = room
        self._taken_s = CONNECTION_S
        self._timer: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        """Whether no complete request is waiting for its response."""
        return self.cycle is None or self.cycle.more_body or self.cycle.response_complete

    def give_way(self) -> None:
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._polls = polls_of(self.loop)
        self._fd: int = transport.get_extra_info("socket").fileno()
        if self._polls is not None:
            self._polls.put_last(self._fd)
        peer = transport.get_extra_info("peername") or ("?",)
        self._arm(REQUEST_S)
        if not self._room.enter(self, peer[0]):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        began_s = time.thread_time()
        super().data_received(data)
        self._taken_s += time.thread_time() - began_s
        if self.cycle is not None and not self.cycle.response_complete:
            taken_beside(self.scope["state"]).append(self._taken_s)
            self._taken_s = 0.0
        if self.transport.get_protocol() is not self:
            return  # it is a WebSocket now
        if not self.idle:
            self._arm(ANSWER_S)
        elif self._timer is None:
            self._arm(REQUEST_S)

    def on_response_complete(self) -> None:
        self._disarm()  # from here on, uvicorn's keep-alive timer counts
        super().on_response_complete()
        if not self.idle:
            self._arm(ANSWER_S)  # a further request was waiting

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._leave()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        if self._polls is not None:
            self._polls.put_first(self._fd)
        super().connection_lost(exc)

    def _leave(self) -> None:
        self._disarm()
        self._room.leave(self)

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
