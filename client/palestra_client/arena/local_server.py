"""A local server for bots running in their own processes, with real WebSockets and one token per bot.

It knows nothing about matches. Its user receives each bot's messages, with their arrival times, and sends whatever it
likes: the arena plays matches over it, and the doctor exercises everything a server may do to a bot.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from palestra_protocol import limits
from palestra_protocol.codecs import SUBPROTOCOLS, Codec, codec_for
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.messages import ClientMessage, Error, Hello, Limits, Message, Welcome

SERVER = "palestra-arena/1"


@dataclass(frozen=True, slots=True)
class Joined:
    """The bot sent `hello` on a new connection. `resumed`: it named its previous session."""

    resumed: bool


@dataclass(frozen=True, slots=True)
class Left:
    """The bot's connection was closed, with this close code."""

    code: int


@dataclass(frozen=True, slots=True)
class Gone:
    """The bot's process exited, so it can't reconnect."""


Heard: TypeAlias = ClientMessage | BadMessage | Joined | Left | Gone


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message or event, and when its bytes arrived (monotonic, in ns)."""

    heard: Heard
    at: int


@dataclass(slots=True, eq=False)
class Guest:
    """A bot that may connect with `token`. `listen` is called with everything it does, on the event loop's thread."""

    name: str
    # Hexadecimal: a token starting with a hyphen would look like an option on a contender's command line.
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    session: str = ""
    matches: tuple[str, ...] = ()  # its unfinished matches, as listed in `welcome`
    listen: Callable[[Arrival], None] = lambda _: None
    ready_to_play: asyncio.Event = field(default_factory=asyncio.Event)  # set while it is connected
    _connection: Connection | None = None
    _codec: Codec = field(default_factory=lambda: codec_for(None))

    @property
    def connected(self) -> bool:
        return self._connection is not None

    def send(self, message: Message | dict[str, object]) -> None:
        """Send a message without blocking. Does nothing if the bot isn't connected."""
        if self._connection is not None:
            frame = self._codec.encode(message)
            broadcast((self._connection,), frame if self._codec.binary else frame.decode())

    async def hang_up(self, code: int = 1001) -> None:
        if self._connection is not None:
            await self._connection.close(code)

    def break_off(self) -> None:
        """Drop the connection without a closing handshake, as a network failure would."""
        if self._connection is not None:
            self._connection.transport.abort()

    def hear(self, heard: Heard, at: int | None = None) -> None:
        """Report an event to the listener. Also called by whoever watches the bot's process."""
        self.listen(Arrival(heard, time.monotonic_ns() if at is None else at))

    def _attach(self, connection: Connection, codec: Codec, hello: Hello) -> None:
        resumed = self.session != "" and hello.resume == self.session
        self._connection, self._codec = connection, codec
        self.session = secrets.token_urlsafe(9)
        bounds = Limits(frame_bytes=limits.MAX_FRAME_BYTES, ping_s=limits.PING_S, hello_s=limits.HELLO_S)
        self.send(Welcome(session=self.session, player=self.name, server=SERVER, limits=bounds, matches=self.matches))
        self.ready_to_play.set()
        self.hear(Joined(resumed), connection.arrived_ns)

    def _detach(self, connection: Connection) -> None:
        if self._connection is connection:
            self._connection = None
            self.ready_to_play.clear()
            # If we closed the connection, our code says more than the 1006 of an unanswered handshake.
            sent = connection.protocol.close_sent
            self.hear(Left(sent.code if sent is not None else connection.close_code or 1006))


class Connection(ServerConnection):
    """A connection that records when data arrives, before it is parsed."""

    arrived_ns = 0

    def data_received(self, data: bytes) -> None:
        self.arrived_ns = time.monotonic_ns()
        super().data_received(data)


class House:
    """The server. Guests connect to `url`."""

    def __init__(self) -> None:
        self.url = ""
        self._guests: dict[str, Guest] = {}

    def admit(self, name: str) -> Guest:
        guest = Guest(name)
        self._guests[guest.token] = guest
        return guest

    def dismiss(self, guest: Guest) -> None:
        self._guests.pop(guest.token, None)

    async def _serve(self, connection: ServerConnection) -> None:
        assert isinstance(connection, Connection)
        codec = codec_for(connection.subprotocol)
        guest: Guest | None = None
        with suppress(ConnectionClosed):
            guest = await self._welcome(connection, codec)
            while guest is not None:
                guest.hear(await _next(connection, codec), connection.arrived_ns)
        if guest is not None:
            guest._detach(connection)

    async def _welcome(self, connection: Connection, codec: Codec) -> Guest | None:
        hello = await _next(connection, codec)
        if isinstance(hello, Hello) and (guest := self._guests.get(hello.token or hello.name or "")) is not None:
            guest._attach(connection, codec, hello)
            return guest
        error = Error(code="bad_token", message="This house knows no such token.", fatal=True)
        frame = codec.encode(error)
        await connection.send(frame if codec.binary else frame.decode())
        await connection.close(1008)
        return None


async def _next(connection: Connection, codec: Codec) -> ClientMessage | BadMessage:
    frame = await connection.recv(decode=False)
    try:
        return codec.decode_client(frame)
    except BadMessage as fault:
        return fault


def _picked(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Select the best subprotocol offered. A client that offers none gets MessagePack."""
    return next((Subprotocol(name) for name in SUBPROTOCOLS if name in offered), None)


@asynccontextmanager
async def open_house() -> AsyncIterator[House]:
    """Run a house on a free local port for the duration of the context."""
    house = House()
    async with serve(
        house._serve,
        "127.0.0.1",
        0,
        create_connection=Connection,
        select_subprotocol=_picked,
        compression=None,
        max_size=limits.MAX_FRAME_BYTES,
        ping_interval=limits.PING_S,
        ping_timeout=limits.SILENCE_S,
        close_timeout=1,
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        house.url = f"ws://127.0.0.1:{port}/play"
        yield house
