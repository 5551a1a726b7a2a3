"""What can happen to a match, as the journal records it.

Times are nanoseconds on the match's own axis: a monotonic clock, read by the shell, that keeps increasing across
restarts of the server. `at` is when the shell noticed the event, unless an event says otherwise.

Events and effects that occur at every ply are NamedTuples: as immutable as a frozen dataclass, and built in a third of
the time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from palestra_games import Seat

# How an arrival was dated: as it was read, as the kernel knew it after a stall, or as of the previous poll.
Stamp: TypeAlias = Literal["read", "stall", "poll"]
# A reason that can be said in any language: a `code` and its values, which `palestra_protocol.english` says in English.
Why: TypeAlias = Mapping[str, str | int]
VOIDS: Final = {
    "refused": {"player"},
    "taken_back": {"player"},
    "name_taken": {"player"},
    "house_late": {"player"},
    "failed": {"game", "error"},
}


def check_why(why: Why, codes: Mapping[str, set[str]]) -> None:
    """Raises ValueError unless `why` is one of these codes with exactly its values."""
    values = codes.get(str(why.get("code")))
    if values is None or why.keys() != {"code", *values}:
        raise ValueError(f"There is no such 'why': {json.dumps(dict(why), ensure_ascii=False)}.")


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What is settled about a match before it begins. Times are in milliseconds, as on the wire.

    `guests` says which seats are played by guests, whose names may later belong to players on the roster. `away` says
    what pays while the mover is disconnected: its bank of `away_ms` first, or only the clock of the move. `seat_ms`
    replaces `move_ms` with a time for each seat. `fixture` is the fixture's id in the tournament's schedule.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}  # a record of a newer version is refused, not cut

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
    config: MatchConfig
    at: int


@dataclass(frozen=True, slots=True)
class Attached:
    """A seat is connected. `at` is when its `hello` arrived, stamped like an action.

    `fresh`: it didn't resume a session, so it may be a new process that has to warm up. `version` is what its `hello`
    said of the bot.
    """

    seat: Seat
    at: int
    fresh: bool = False
    version: str = ""


@dataclass(frozen=True, slots=True)
class Detached:
    """A seat lost its connection; everything received on it was fed before. `at` is stamped like an action."""

    seat: Seat
    at: int


@dataclass(frozen=True, slots=True)
class BecameReady:
    """A seat said `ready`. `at` is when that arrived, stamped like an action."""

    seat: Seat
    at: int


class TurnWritten(NamedTuple):
    """The `turn` frame of this ply was handed to the transport: the move's clock starts at `at`."""

    ply: int
    at: int


class Acted(NamedTuple):
    """A seat sent an action. `arrived_at` is when its bytes arrived, the only time that counts for the clock."""

    seat: Seat
    ply: int
    action: int
    arrived_at: int
    at: int
    stamp: Stamp = "read"
    info: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Resigned:
    """A seat gave up; `crashed`: its program says that it failed."""

    seat: Seat
    at: int
    crashed: bool = False


@dataclass(frozen=True, slots=True)
class AlarmDue:
    """The alarm went off; anything already received was fed first. It may be an outdated alarm."""

    at: int


@dataclass(frozen=True, slots=True)
class Restarted:
    """The server was restarted: no seat is connected."""

    at: int


@dataclass(frozen=True, slots=True)
class Voided:
    """The host ended the match without a winner; `why` is one of VOIDS."""

    why: Why
    at: int

    def __post_init__(self) -> None:
        check_why(self.why, VOIDS)


@dataclass(frozen=True, slots=True)
class Durable:
    """Everything journalled for this match so far is on disk. The only event that isn't journalled itself."""

    at: int


# Any event but Created.
LaterEvent: TypeAlias = (
    Attached | Detached | BecameReady | TurnWritten | Acted | Resigned | AlarmDue | Restarted | Voided | Durable
)

Event: TypeAlias = Created | LaterEvent
