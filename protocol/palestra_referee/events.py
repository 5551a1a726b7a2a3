"""What can happen to a match, and how the journal writes it down.

Every time here is in nanoseconds on the match's own axis: a monotonic clock that the shell reads and that goes on
upwards after a restart of the server. `at` is the instant at which the shell took notice of the event, except where
an event says otherwise.

What comes at every ply is a NamedTuple, here and among the effects: as frozen as a frozen dataclass, and built in a
third of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from palestra_games import Seat

Stamp: TypeAlias = Literal["read", "stall", "poll"]
"""How the arrival was found: on reading, credited with a stall of the loop, or as the time of the previous poll."""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What is fixed about a match before it begins. Times are in milliseconds, as on the wire.

    `guests`: which seats are a guest's, whose name a player of the roster may have later. `away`: who pays while the
    mover has no connection, its bank of `away_ms` first, or the clock of its move alone. `seat_ms`: the time for a move
    of each seat, in place of `move_ms`. `fixture`: which one of the tournament's schedule.
    """

    match: str
    game: str
    players: tuple[str, str]
    move_ms: int
    grace_ms: int
    ready_ms: int
    away_ms: int
    ply_limit: int
    opening: tuple[int, ...] = ()
    tournament: str | None = None
    rated: bool = False
    guests: tuple[bool, bool] = (False, False)
    away: Literal["bank", "clock"] = "bank"
    seat_ms: tuple[int, int] | None = None
    fixture: str | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """The match exists. It is the first event of every match and comes once."""

    config: MatchConfig
    at: int


@dataclass(frozen=True, slots=True)
class Attached:
    """A seat has a connection. `at`: when the bytes that brought it (its `hello`) arrived, stamped like an action.

    `fresh`: it does not resume a session, so that it may be a new process that has to warm up.
    """

    seat: Seat
    at: int
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Detached:
    """A seat lost its connection; all that had arrived on it was handed in before. `at`: stamped like an action."""

    seat: Seat
    at: int


@dataclass(frozen=True, slots=True)
class BecameReady:
    """A seat said `ready`. `at`: when its bytes arrived, stamped like an action."""

    seat: Seat
    at: int


class TurnWritten(NamedTuple):
    """The `turn` frame of this ply was handed to the transport: the clock of the move starts at `at`."""

    ply: int
    at: int


class Acted(NamedTuple):
    """A seat sent an action. `arrived_at`: when its bytes arrived, which alone counts for the clock."""

    seat: Seat
    ply: int
    action: int
    arrived_at: int
    at: int
    stamp: Stamp = "read"
    info: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Resigned:
    """A seat gave the match up. `at`: when its bytes arrived, stamped like an action."""

    seat: Seat
    at: int


@dataclass(frozen=True, slots=True)
class AlarmDue:
    """The alarm went off; what had arrived on the sockets by then was handed in first. It may be outdated."""

    at: int


@dataclass(frozen=True, slots=True)
class Restarted:
    """The server came back: no seat has a connection."""

    at: int


@dataclass(frozen=True, slots=True)
class Voided:
    """The host ends the match without a winner; `detail` is a sentence for people."""

    detail: str
    at: int


@dataclass(frozen=True, slots=True)
class Durable:
    """All that was journalled for this match so far is on disk. The only event that is not journalled itself."""

    at: int


LaterEvent: TypeAlias = (
    Attached | Detached | BecameReady | TurnWritten | Acted | Resigned | AlarmDue | Restarted | Voided | Durable
)
"""What may come after Created."""

Event: TypeAlias = Created | LaterEvent
