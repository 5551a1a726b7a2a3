"""What the runtime sees of the gateway (`PlayerConnection`), and the callbacks it must offer (`PlayerHost`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from palestra_protocol import Action, Challenge, ErrorCode, Message, Ready, Resign
from palestra_server.gateway.arrivals import Arrival

PlayerMessage: TypeAlias = Ready | Action | Resign | Challenge
"""What reaches the runtime: the gateway itself deals with hello, watch, unwatch and everything malformed."""


class Refusal(NamedTuple):
    """Why a request of a client was refused."""

    code: ErrorCode
    message: str
    """One sentence that says what to do."""


class PlayerConnection(Protocol):
    """One connected player, after its `hello`. Every method may be called at any time, also after the
    connection ended (then it does nothing)."""

    player: str
    session: str
    guest: bool
    challenges: bool
    client: str
    joined: Arrival
    """When the `hello` arrived."""

    @property
    def address(self) -> str:
        """The client's IP address; behind our own reverse proxy, the one that it reports."""

    @property
    def resumed(self) -> bool:
        """Whether this is known to be the same player as before: it sent a token, or resumed the session of whoever
        had this name last. A guest who merely has the name of one who left is somebody else."""

    @property
    def continued(self) -> bool:
        """Whether its `hello` resumed a session of this player: then it is the same program as before."""

    @property
    def left_at(self) -> int:
        """When the connection ended (ns of `time.monotonic_ns`), set before `on_leave`; 0 until then.

        If the other side ended it: the latest moment at which it is known to have been there still, so that a stall
        of the server is not charged to who left in it. It is never before the last bytes that were read, and never
        later than now. If the server ended it: now; if a newer connection replaced it: when that one's `hello`
        arrived.
        """

    @property
    def last_read(self) -> int:
        """When the last bytes that were read from this player arrived (ns of `time.monotonic_ns`): messages, pongs,
        a close frame. What was sent before has then, in all likelihood, been received."""

    @property
    def connected(self) -> bool:
        """False from the moment the connection ends or is being closed."""

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
        fatal: bool = False,
    ) -> None:
        """Send an `error` for a frame of this player; it counts towards the limit of rejected frames."""

    def close(self, code: int, reason: str = "") -> None:
        """Start the closing handshake; `PlayerHost.on_leave` follows before this returns."""

    def drain(self) -> None:
        """Read and deliver now (`PlayerHost.on_message`) what has already arrived from this player.

        Call it when an alarm comes due, before the verdict. 16 KiB at most; inside `on_message` of the same peer
        it does nothing.
        """


class PlayerHost(Protocol):
    """The callbacks. All run in the event loop's thread, must not block, and should not raise; an exception
    is logged and the connection goes on."""

    def matches_of(self, player: str, guest: bool) -> Sequence[str]:
        """Unfinished matches of this player, for `welcome`. A guest is not the player of the roster of that name."""

    def busy(self, player: str) -> bool:
        """Has anybody of this name an unfinished match? It keeps the name taken."""

    def on_join(self, peer: PlayerConnection) -> None:
        """A player said hello; `welcome` has been sent. A second connection of a player that is connected
        replaces the first: `on_leave(old)` comes before `on_join(new)`."""

    def on_leave(self, peer: PlayerConnection) -> None:
        """Called exactly once for every joined peer. No callback for that peer comes after it."""

    def on_message(self, peer: PlayerConnection, message: PlayerMessage, arrival: Arrival) -> None:
        """A well-formed frame of a joined player."""
