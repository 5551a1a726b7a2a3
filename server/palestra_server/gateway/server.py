"""The gateway as a whole: opened, counted, closed."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import structlog

from palestra_protocol import CloseCode
from palestra_server.gateway.channel import ChannelHandler
from palestra_server.gateway.hub import Hub
from palestra_server.gateway.interface import PlayerHost
from palestra_server.gateway.players import PlayerHandler, Players, WatcherHandler
from palestra_server.gateway.sessions import Authenticator, SessionBook
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.websocket import PLAY, Connection, Listening, listen

log = structlog.get_logger()


class Gateway:
    """A listening gateway; made by `serve_gateway`."""

    def __init__(self, listening: Listening, hub: Hub) -> None:
        self._listening = listening
        self.hub = hub

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._listening.port

    @property
    def counts(self) -> Counts:
        """Numbers for metrics; they change as things happen."""
        return self._listening.counts

    def web_connection(self, **_: object) -> Connection:
        """For uvicorn's `Config(ws=...)`: /play and /watch on the web port, by the same rules as on ours. Its sockets
        must come from a `StampedListener`."""
        return Connection(self._listening.shared)

    async def close(
        self, code: int = CloseCode.GOING_AWAY, reason: str = "The server goes away: connect again."
    ) -> None:
        """Stop listening, close every connection with `code`, wait (bounded by `close_s`) until they are gone."""
        await self._listening.close(code, reason)


class _HandlerFactory:
    """Players by /play, watchers by /watch."""

    def __init__(self, players: Players, settings: GatewaySettings, clock: Callable[[], float]) -> None:
        self.counts = Counts()
        self._players = players
        self._settings = settings
        self._clock = clock

    def handler_for(self, connection: Connection, path: str) -> ChannelHandler:
        handler: ChannelHandler
        if path == PLAY:
            handler = PlayerHandler(connection, self._players, self.counts)
        else:
            handler = WatcherHandler(connection, self._players.hub, self.counts, self._clock)
        if self.counts.connections > self._settings.max_connections:
            log.warning("connection refused: the server is full", connections=self._settings.max_connections)
            handler.dismiss("try_later", "The server is full: try again later.", CloseCode.TRY_LATER)
        return handler


async def serve_gateway(
    host: str,
    port: int,
    runtime: PlayerHost,
    *,
    authenticator: Authenticator,
    sessions: SessionBook,
    hub: Hub,
    settings: GatewaySettings | None = None,
    clock: Callable[[], float] = monotonic,
) -> Gateway:
    """Listen on host:port (0 picks a free one, see `Gateway.port`); raises GatewayError.

    The same port serves `/play` and `/watch`. To be run in a loop made by `new_event_loop`
    (`asyncio.Runner(loop_factory=new_event_loop)`); in another loop arrivals are right only as far as the kernel
    stamps them. `clock` (monotonic seconds) dates rejected frames.
    """
    settings = settings or GatewaySettings()
    players = Players(runtime, authenticator, sessions, hub, settings, clock)
    handlers = _HandlerFactory(players, settings, clock)
    listening = await listen(host, port, handlers, settings, handlers.counts)
    log.info("gateway open", host=host, port=listening.port)
    return Gateway(listening, hub)
