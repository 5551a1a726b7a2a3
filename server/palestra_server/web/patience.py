"""HTTP connections that cannot be held for ever: uvicorn waits without end for a first request, and for a slow one."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S: Final = 15.0
"""From the opening of a connection, or the end of its last answer, until the next request has come as a whole."""
CONNECTIONS_MAX: Final = 512
"""Open at once; beyond, whoever has waited longest without asking for anything is let go. A browser keeps six."""


class PatientHttp(H11Protocol):
    """uvicorn's protocol, with an end to its patience."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > CONNECTIONS_MAX:
            waiting = [other for other in self.connections if isinstance(other, PatientHttp) and other._idle()]
            # The timers tell who began to wait first; this connection, at least, is one of them.
            min(waiting, key=lambda other: other._waiting.when() if other._waiting else 0.0)._let_go()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on it is the gateway's, which has its own limits."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """The answer is on its way; the next request has its time from now."""
        self._wait()
        super().on_response_complete()

    def _idle(self) -> bool:
        """Whether we wait for the other side, be it for a request, for the rest of it, or to take the answer."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body

    def _wait(self) -> None:
        self._stop_waiting()
        self._waiting = self.loop.call_later(REQUEST_S, self._too_late)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _too_late(self) -> None:
        if self._idle():
            self._let_go()
        else:
            self._wait()

    def _let_go(self) -> None:
        self._stop_waiting()
        # Not close(), which would wait until all that was answered has been read.
        self.transport.abort()
