"""A server on this machine for bots that are processes of their own: real WebSockets, and a token for each bot.

It knows nothing of matches: whoever uses it hears what each bot sends, with the time of its arrival, and sends what it
likes. The arena plays matches over it; the doctor does with a bot all that a server may do.
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

from palestra_protocol import (
    SUBPROTOCOLS,
    BadMessage,
    ClientMessage,
    Codec,
    Error,
    Hello,
    Limits,
    Message,
    Welcome,
    codec_for,
    limits,
)

SERVER = "palestra-arena/1"


@dataclass(frozen=True, slots=True)
class Joined:
    """The bot said hello, on a new connection. `resumed`: it named the session that it had before."""

    hello: Hello
    resumed: bool


@dataclass(frozen=True, slots=True)
class Left:
    """The bot's connection is gone, with this close code."""

    code: int


@dataclass(frozen=True, slots=True)
class Gone:
    """The bot's process ended, so that nobody can come back."""


Heard: TypeAlias = ClientMessage | BadMessage | Joined | Left | Gone


@dataclass(frozen=True, slots=True)
class Arrival:
    """What was heard, and when its bytes came (ns, monotonic)."""

    heard: Heard
    at: int


@dataclass(slots=True, eq=False)
class Guest:
    """A bot that may dial in with `token`. `listen` is called with all that is heard of it, in the loop's thread."""

    name: str
    # In hexadecimal: with a hyphen before it, it would be taken for an option of a contender's command.
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    session: str = ""
    matches: tuple[str, ...] = ()
    """Its unfinished matches, for `welcome`."""
    listen: Callable[[Arrival], None] = lambda _: None
    ready_to_play: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while it has a connection."""
    _connection: Connection | None = None
    _codec: Codec = field(default_factory=lambda: codec_for(None))

    @property
    def connected(self) -> bool:
        """Whether it has a connection."""
        return self._connection is not None

    def send(self, message: Message | dict[str, object]) -> None:
        """Writes the message at once; without a connection it does nothing."""
        if self._connection is not None:
            frame = self._codec.encode(message)
            broadcast((self._connection,), frame if self._codec.binary else frame.decode())

    @property
    def is_connected(self) -> bool:
        """Whether its bot has a connection."""
        return self._connection is not None

    async def hang_up(self, code: int = 1001) -> None:
        """Closes the bot's connection, if it has one."""
        if self._connection is not None:
            await self._connection.close(code)

    def break_off(self) -> None:
        """The connection vanishes without a closing handshake, as when a network fails."""
        if self._connection is not None:
            self._connection.transport.abort()

    def hear(self, heard: Heard, at: int | None = None) -> None:
        """Passes on what happened; for who watches the process, too."""
        self.listen(Arrival(heard, time.monotonic_ns() if at is None else at))

    def _attach(self, connection: Connection, codec: Codec, hello: Hello) -> None:
        resumed = self.session != "" and hello.resume == self.session
        self._connection, self._codec = connection, codec
        self.session = secrets.token_urlsafe(9)
        bounds = Limits(frame_bytes=limits.MAX_FRAME_BYTES, ping_s=limits.PING_S, hello_s=limits.HELLO_S)
        self.send(Welcome(session=self.session, player=self.name, server=SERVER, limits=bounds, matches=self.matches))
        self.ready_to_play.set()
        self.hear(Joined(hello, resumed), connection.arrived_ns)

    def _detach(self, connection: Connection) -> None:
        if self._connection is connection:
            self._connection = None
            self.ready_to_play.clear()
            # What this side closed it for says more than that nobody answered.
            sent = connection.protocol.close_sent
            self.hear(Left(sent.code if sent is not None else connection.close_code or 1006))


class Connection(ServerConnection):
    """Notes when bytes came in, before anybody had time to look at them."""

    arrived_ns = 0

    def data_received(self, data: bytes) -> None:
        self.arrived_ns = time.monotonic_ns()
        super().data_received(data)


class House:
    """The open house: `url` is where the guests dial in."""

    def __init__(self, url: str = "") -> None:
        self.url = url
        self._guests: dict[str, Guest] = {}

    def admit(self, name: str) -> Guest:
        """A new guest of this name."""
        guest = Guest(name)
        self._guests[guest.token] = guest
        return guest

    def dismiss(self, guest: Guest) -> None:
        """The guest's token is worth nothing from now on."""
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
    """The best that is offered; whoever offers none gets MessagePack."""
    return next((Subprotocol(name) for name in SUBPROTOCOLS if name in offered), None)


@asynccontextmanager
async def open_house() -> AsyncIterator[House]:
    """A house on a free port of this machine, for as long as the context lasts."""
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
