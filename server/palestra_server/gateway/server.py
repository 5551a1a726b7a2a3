"""The gateway as a whole, opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

import structlog

from palestra_server.gateway.arrivals import StampedListener
from palestra_server.gateway.channel import ChannelHandler
from palestra_server.gateway.hub import Hub
from palestra_server.gateway.interface import PlayerHost
from palestra_server.gateway.places import Rooms, allowed_files, build_rooms
from palestra_server.gateway.players import PlayerHandler, Players, WatcherHandler
from palestra_server.gateway.sessions import Guesses, PlayerRoster, SessionBook
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.websocket import PLAY, Connection, Gateway, bound

_FILES_BESIDE = 100  # file descriptors left for the rest of the server

log = structlog.get_logger()


async def serve_gateway(
    host: str,
    port: int,
    runtime: PlayerHost,
    *,
    roster: PlayerRoster,
    sessions: SessionBook,
    hub: Hub,
    settings: GatewaySettings | None = None,
    guesses: Guesses | None = None,
    clock: Callable[[], float] = monotonic,
    sockets: Sequence[StampedListener] = (),
) -> Gateway:
    """Listen on host:port (0 picks a free one, see `Gateway.port`), or with these `sockets`. Raises GatewayError.

    The same port serves `/play` and `/watch`. Run it in a loop made by `new_event_loop`
    (`asyncio.Runner(loop_factory=new_event_loop)`); in another loop arrivals are exact only where the kernel stamps
    them. `clock` (monotonic seconds) dates rejected frames.
    """
    settings = settings or GatewaySettings()
    rooms = rooms_for(settings, len(roster.names))
    players = Players(runtime, roster, sessions, hub, settings, rooms, guesses or Guesses(), clock)
    counts = Counts()

    def handler_for(connection: Connection, path: str) -> ChannelHandler:
        if path == PLAY:
            return PlayerHandler(connection, players, counts)
        return WatcherHandler.of(connection, hub, counts, clock, rooms.watchers)

    sockets = sockets or bound(host, port)
    gateway = await Gateway(handler_for, rooms, settings, counts, hub.finish).open(sockets)
    log.info("gateway open", host=host, port=gateway.port)
    return gateway


def rooms_for(settings: GatewaySettings, roster: int) -> Rooms:
    """The rooms in the settings, as far as open files allow; the roster's players come first."""
    sizes = settings.max_strangers, settings.max_watchers, settings.max_guests, settings.max_requests
    wanted = sum(sizes) + roster + _FILES_BESIDE
    files = allowed_files(wanted)
    left = files - roster - min(_FILES_BESIDE, files // 4)
    if files < wanted:
        log.warning(
            "the system allows few open files, so there are fewer places; allow more with 'ulimit -n'",
            allowed=files,
            wanted=wanted,
            players=roster,
            others=max(left, 0),
        )
    return build_rooms(*sizes, settings.max_per_address, left)
