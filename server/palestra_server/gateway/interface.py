"""What the runtime sees of the gateway (`PlayerConnection`), and the callbacks it provides (`PlayerHost`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeGuard

from palestra_protocol.limits import CloseCode
from palestra_protocol.messages import Action, Challenge, ErrorCode, Message, Ready, Resign
from palestra_server.gateway.arrivals import Arrival

# What reaches the runtime: the gateway itself handles hello, watch, unwatch and everything malformed.
PlayerMessage: TypeAlias = Ready | Action | Resign | Challenge


class Refusal(NamedTuple):
    """Why a client's request was refused."""

    code: ErrorCode
    message: str  # one sentence that says what to do


def name_taken(owner: str) -> str:
    """Why a guest may not stay whose name is a player's by now."""
    return (
        f"{owner} is on the roster now: connect again to play under another name, "
        "or with the token if the name is yours."
    )


class PlayerConnection(Protocol):
    """A connected player, after its `hello`. Every method may be called at any time, even after the connection has
    ended (then it does nothing).
    """

    player: str
    session: str
    challenges: bool
    client: str
    version: str  # of the bot, as it says itself
    joined: Arrival  # when the `hello` arrived

    @property
    def guest(self) -> bool:
        """Whether it proved nothing: its name is what it said, and another's tomorrow."""

    @property
    def address(self) -> str:
        """The client's IP address, as reported by our own reverse proxy if there is one."""

    @property
    def resumed(self) -> bool:
        """Whether this is known to be the same player as before: it sent a token, or resumed the session of the last
        guest with this name. A guest who merely reuses a name is somebody else.
        """

    @property
    def continued(self) -> bool:
        """Whether its `hello` resumed a session of this player: then it is the same program as before."""

    @property
    def left_at(self) -> int:
        """When the connection ended (ns of `time.monotonic_ns`), set before `on_leave`; 0 until then.

        If the other side ended it: the latest moment at which it is known to have been there, so that a stall of the
        server is not charged to a player who left during it; never before the last bytes read, and never later than
        now. If the server ended it: now; if a newer connection replaced it: when that one's `hello` arrived.
        """

    @property
    def last_read(self) -> int:
        """When the last bytes read from this player arrived (ns of `time.monotonic_ns`): messages, pongs, a close
        frame. Whatever was sent before that has, in all likelihood, been received.
        """

    def send(self, message: Message | Mapping[str, object]) -> None:
        """Queue one message. It leaves before the loop regains control; see `flush`."""

    def flush(self) -> None:
        """Hand everything sent so far to the socket now. Take the time of `turn` after this returns."""

    def reject(
        self,
        code: ErrorCode,
        message: str,
        *,
        match: str | None = None,
        ply: int | None = None,
        legal: Sequence[int] | None = None,
    ) -> None:
        """Send an `error` for a frame of this player; it counts towards the limit of rejected frames."""

    def dismiss(self, code: ErrorCode, message: str, close: CloseCode) -> None:
        """Send a fatal `error`, and close the connection for that."""

    def close(self, code: int, reason: str = "") -> None:
        """Start the closing handshake; `PlayerHost.on_leave` follows before this returns."""

    def drain(self) -> None:
        """Read and deliver now (`PlayerHost.on_message`) what has already arrived from this player.

        Call it when an alarm is due, before the verdict. At most 16 KiB; inside `on_message` of the same peer it does
        nothing.
        """


class ProvenConnection(PlayerConnection, Protocol):
    """A player who sent a token, or resumed a session that was opened with one: its name is its own."""

    @property
    def guest(self) -> Literal[False]: ...


def is_proven(peer: PlayerConnection) -> TypeGuard[ProvenConnection]:
    return not peer.guest


class PlayerHost(Protocol):
    """The callbacks. All run in the event loop's thread, must not block, and should not raise; an exception is logged
    and the connection continues.
    """

    def matches_of(self, player: str, guest: bool) -> Sequence[str]:
        """Unfinished matches of this player, for `welcome`. A guest is not the roster's player of the same name."""

    def busy(self, player: str) -> bool:
        """Whether anybody of this name has an unfinished match, which keeps the name taken."""

    def on_join(self, peer: PlayerConnection) -> None:
        """A player said hello; `welcome` has been sent. If the player was already connected, the new connection
        replaces the old: `on_leave(old)` comes before `on_join(new)`.
        """

    def on_leave(self, peer: PlayerConnection) -> None:
        """Called exactly once for every joined peer. No callback for that peer comes after it."""

    def on_message(self, peer: PlayerConnection, message: PlayerMessage, arrival: Arrival) -> None: ...
