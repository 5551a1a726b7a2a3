"""What the referee asks the shell to do, in order.

What a frame needs beyond the fields here (`state`, `legal`, names of players and actions) is read from the match
that came with the effects: at most one action is accepted in one step, so it fits all effects of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, final

from palestra_games import Seat
from palestra_protocol import EndReason, ErrorCode
from palestra_referee.events import Event
from palestra_referee.match import Match, Move


@final
class Append(NamedTuple):
    """Append this event to the journal, before anything else of this step."""

    event: Event


@final
class SetAlarm(NamedTuple):
    """Hand in AlarmDue at this instant or soon after. It replaces the alarm set before; None takes it away."""

    at: int | None


@final
@dataclass(frozen=True, slots=True)
class SendStart:
    """Send `match_start` to this seat."""

    seat: Seat


@final
class SendTurn(NamedTuple):
    """Send `turn` to this seat and then hand in TurnWritten(ply, at)."""

    seat: Seat
    ply: int
    remaining_ns: int
    last: Move | None


@final
class SendPlayed(NamedTuple):
    """Send `played` to this seat, or to those who watch the match (None)."""

    to: Seat | None
    move: Move


@final
@dataclass(frozen=True, slots=True)
class Reject:
    """Send `error` to this seat. `legal` is set for illegal_action only."""

    seat: Seat
    code: ErrorCode
    message: str
    ply: int
    legal: tuple[int, ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class AwaitDurable:
    """Hand in Durable as soon as everything journalled up to here is on disk."""


@final
@dataclass(frozen=True, slots=True)
class Finish:
    """Announce the result: `match_end` to both seats that are connected and to those who watch. Comes once a match."""

    returns: tuple[float, float]
    reason: EndReason
    detail: str


@final
@dataclass(frozen=True, slots=True)
class SendEnd:
    """Send `match_end` to this seat, which was away when the result was announced. The result is `match.outcome`."""

    seat: Seat


Effect: TypeAlias = Append | SetAlarm | SendStart | SendTurn | SendPlayed | Reject | AwaitDurable | Finish | SendEnd

Step: TypeAlias = tuple[Match, tuple[Effect, ...]]
"""What a step gives: the match as it is now, and what to do, in order."""
