"""Handlers for /play, which hands over to the runtime after `hello`, and for /watch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import structlog

from palestra_protocol import limits
from palestra_protocol.limits import CloseCode
from palestra_protocol.messages import ClientMessage, Hello, Limits, Welcome
from palestra_server.gateway.arrivals import Arrival
from palestra_server.gateway.channel import ChannelHandler
from palestra_server.gateway.hub import Hub
from palestra_server.gateway.interface import PlayerHost, Refusal, name_taken
from palestra_server.gateway.places import Room, Rooms
from palestra_server.gateway.sessions import Admission, Desk, Guesses, NotSaved, PlayerRoster, SessionBook
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.topics import Watchable
from palestra_server.gateway.websocket import Connection

log = structlog.get_logger()


@dataclass(eq=False)
class Players:
    """The connected players by name, and the desk that admits them."""

    host: PlayerHost
    roster: PlayerRoster
    book: SessionBook
    hub: Hub
    settings: GatewaySettings
    rooms: Rooms
    guesses: Guesses
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        self.connected: dict[str, PlayerHandler] = {}
        self.desk = Desk(self.roster, self.book, self.settings.guests, self.connected, self.host.busy, self.guesses)


class PlayerHandler(ChannelHandler):
    """A connection to /play; implements `PlayerConnection` after its `hello`."""

    player: str
    session: str
    guest: bool
    challenges: bool
    client: str
    joined: Arrival
    resumed: bool
    continued: bool

    def __init__(self, connection: Connection, players: Players, counts: Counts) -> None:
        super().__init__(connection, players.hub, counts, players.clock)
        self._players = players
        self._said_hello = False
        loop = asyncio.get_running_loop()
        self._hello_timer = loop.call_later(players.settings.hello_s, self._no_hello)

    def take(self, message: ClientMessage, arrival: Arrival) -> None:
        # Dispatched on `type`: isinstance() with the wrong pydantic model calls into its metaclass.
        if message.type == "hello":
            self._take_hello(message, arrival)
        elif not self._said_hello:
            self.dismiss("no_hello", "Say hello first: it must be the first message.", CloseCode.NO_HELLO)
        elif message.type == "watch" or message.type == "unwatch":
            self.take_watch(message)
        else:
            self._players.host.on_message(self, message, arrival)

    @property
    def idle(self) -> bool:
        return not self._said_hello or (self.guest and not self._players.host.busy(self.player))

    def gone(self) -> None:
        self._hello_timer.cancel()
        if self._said_hello:
            self._counts.players -= 1
            # A newer connection of the same player may already be registered.
            if self._players.connected.get(self.player) is self:
                del self._players.connected[self.player]
            self._players.host.on_leave(self)

    def make_room(self) -> None:
        """A newer connection takes this one's place; until closed, this one counts as a stranger."""
        self._connection.settle(self._players.rooms.strangers)

    def _no_hello(self) -> None:
        # It may have arrived without having been read yet.
        self.drain()
        if not self._said_hello:
            seconds = self._players.settings.hello_s
            self.dismiss("no_hello", f"No hello came within {seconds:g} s.", CloseCode.NO_HELLO)

    def _take_hello(self, hello: Hello, arrival: Arrival) -> None:
        if self._said_hello:
            self.reject("already_hello", "This connection has said hello before: once is enough.")
            return
        try:
            verdict = self._players.desk.admit(hello, self.address, int(self._clock() * 1e9))
        except Exception as fault:
            if isinstance(fault, NotSaved):
                log.warning("no session can be saved", detail=str(fault))
            else:
                log.exception("no session could be opened")
            self.dismiss("try_later", "The server cannot let anybody in now: try again later.", CloseCode.TRY_LATER)
            return
        if isinstance(verdict, Refusal):
            self._refuse(verdict)
        elif self._find_place(verdict):
            self._join(hello, verdict, arrival)
        else:
            self.crowded_out()

    def _refuse(self, refusal: Refusal) -> None:
        if refusal.code == "try_later":
            self.dismiss(*refusal, CloseCode.TRY_LATER)
        else:
            self._connection.note("hello refused", code=refusal.code)
            self.dismiss(*refusal, CloseCode.BAD_TOKEN)

    def _find_place(self, who: Admission) -> bool:
        """Players on the roster, and guests with an open match, need no room: their number is bounded."""
        players = self._players
        return self._connection.settle(
            players.rooms.guests if who.guest and not players.host.matches_of(who.player, True) else None
        )

    def _join(self, hello: Hello, who: Admission, arrival: Arrival) -> None:
        older = self._players.connected.get(who.player)
        if older is not None:
            # What it sent earlier still counts.
            older.drain()
            older.make_room()
            if older.connected:
                older.left_at = arrival.at
            if older.guest and not who.guest:
                older.dismiss("name_taken", name_taken(who.player), CloseCode.BAD_TOKEN)
            else:
                older.dismiss(
                    "replaced",
                    "You said hello on another connection, which counts from now on: run one copy only.",
                    CloseCode.REPLACED,
                )
        self._said_hello = True
        self._hello_timer.cancel()
        self._connection.favour()
        self.player, self.guest, self.session = who.player, who.guest, who.session
        self.resumed, self.continued = who.resumed, who.continued
        self.client, self.version = hello.client, hello.version
        self.challenges, self.joined = hello.challenges, arrival
        self._players.connected[who.player] = self
        self._counts.players += 1
        host, settings = self._players.host, self._players.settings
        self.send(
            Welcome(
                session=who.session,
                player=who.player,
                server=settings.server_name,
                server_id=settings.server_id,
                limits=Limits(frame_bytes=limits.MAX_FRAME_BYTES, ping_s=settings.ping_s, hello_s=settings.hello_s),
                matches=tuple(host.matches_of(who.player, who.guest)),
                page=self._connection.page,
                nodes=settings.nodes(),
            )
        )
        host.on_join(self)


class WatcherHandler(ChannelHandler):
    def __init__(self, connection: Connection, hub: Watchable, counts: Counts, clock: Callable[[], float]) -> None:
        super().__init__(connection, hub, counts, clock)
        counts.watchers += 1

    @classmethod
    def of(
        cls, connection: Connection, hub: Watchable, counts: Counts, clock: Callable[[], float], room: Room
    ) -> WatcherHandler:
        """For a connection that is let go again if there is no place in the room."""
        handler = cls(connection, hub, counts, clock)
        if not connection.settle(room):
            handler.crowded_out()
        return handler

    @property
    def idle(self) -> bool:
        return not self._hub.is_watching(self)

    def take(self, message: ClientMessage, arrival: Arrival) -> None:  # noqa: ARG002
        if message.type == "watch" or message.type == "unwatch":
            self.take_watch(message)
        else:
            self.reject("read_only", "This connection is for watching only: play over /play.")

    def gone(self) -> None:
        self._counts.watchers -= 1
