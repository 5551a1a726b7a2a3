"""What the referee asks the shell to do, in order.

Anything else that a frame needs (`state`, `legal`, names of players and actions) comes from the match returned with
the effects: a step accepts at most one action, so that match is right for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, final

from palestra_games import Seat
from palestra_protocol.messages import ErrorCode
from palestra_referee.events import Event
from palestra_referee.match import Match, Move, Outcome


@final
class Append(NamedTuple):
    """Append this event to the journal, before any other effect of the step."""

    event: Event


@final
class SetAlarm(NamedTuple):
    """Feed AlarmDue at this instant or soon after. Replaces the previous alarm; None cancels it."""

    at: int | None


@final
@dataclass(frozen=True, slots=True)
class SendStart:
    seat: Seat


@final
class SendTurn(NamedTuple):
    """Send `turn` to this seat, then feed TurnWritten(ply, at)."""

    seat: Seat
    ply: int
    remaining_ns: int
    last: Move | None


@final
class SendPlayed(NamedTuple):
    """Send `played` to this seat, or to those watching the match (None)."""

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
    """Feed Durable as soon as everything journalled so far is on disk."""


@final
@dataclass(frozen=True, slots=True)
class Finish:
    """Announce the result: send `match_end` to each connected seat and to those watching. Happens once per match."""

    outcome: Outcome


@final
@dataclass(frozen=True, slots=True)
class SendEnd:
    """Send `match_end` to this seat, which was away for the announcement. The result is in `match.outcome`."""

    seat: Seat


Effect: TypeAlias = Append | SetAlarm | SendStart | SendTurn | SendPlayed | Reject | AwaitDurable | Finish | SendEnd

# What a step returns: the match as it is now, and what to do, in order.
Step: TypeAlias = tuple[Match, tuple[Effect, ...]]
