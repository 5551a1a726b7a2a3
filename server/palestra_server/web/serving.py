"""uvicorn in the server's own event loop, leaving signals to the owner of the process."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp

from palestra_server.gateway import ACCEPTED_AT_ONCE, Gateway, SparingLog, StampedListener, players_wait
from palestra_server.supervision import Supervisor
from palestra_server.web.pacing import Paced, Turns
from palestra_server.web.requests import KEEP_ALIVE_S, RequestProtocol


class _Sparing(logging.Handler):
    """Rate-limits uvicorn's warnings, which any stranger can cause with a line of nonsense."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._log = SparingLog()

    def emit(self, record: logging.LogRecord) -> None:
        self._log.info("web server", str(record.msg), said=record.getMessage())


class _Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # The process has one owner of SIGTERM and SIGINT, and it is not the web port.
        yield


class WebServer:
    """The web port, open until `close`; `listening` comes from `listen`. A WebSocket becomes one of the gateway's.

    `played`: whether matches are, for which requests hold back.
    """

    def __init__(
        self,
        app: ASGIApp,
        listening: list[StampedListener],
        gateway: Gateway,
        supervisor: Supervisor,
        played: Callable[[], bool] = lambda: False,
    ) -> None:
        self.port: int = listening[0].getsockname()[1]
        for each in listening:
            each.on_exhausted = gateway.on_exhausted
        # uvicorn's annotations ask for classes, but it only calls them.
        http: Any = partial(RequestProtocol, room=gateway.requests)
        websocket: Any = gateway.web_connection
        config = uvicorn.Config(
            Paced(app, Turns(played, players_wait)),
            http=http,
            ws=websocket,
            log_config=None,
            access_log=False,
            lifespan="off",
            forwarded_allow_ips=list(gateway.proxies),
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=2,
            backlog=ACCEPTED_AT_ONCE,
        )
        uvicorns_log = logging.getLogger("uvicorn.error")
        uvicorns_log.handlers, uvicorns_log.propagate = [_Sparing()], False
        self._server = _Quiet(config)
        self._task = supervisor.keep("web server", supervisor, lambda: self._serve(listening))

    async def _serve(self, listening: list[StampedListener]) -> None:
        # Starlette loads its event loop's half of anyio at the first answer sent in pieces: 20 ms, in a match by then.
        await run_in_threadpool(bool)
        await self._server.serve(sockets=[*listening])

    def stop(self) -> None:
        """Stops listening, soon."""
        self._server.should_exit = True

    async def close(self) -> None:
        """Stops listening and ends open requests, within about two seconds."""
        self.stop()
        await self._task
