"""A match as a value: everything the referee knows, and nothing about sockets or disks.

What is made anew at every ply is a NamedTuple: as frozen as a frozen dataclass, and built in a third of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from palestra_games import Seat, State
from palestra_protocol import EndReason
from palestra_referee.clock import Clock
from palestra_referee.events import MatchConfig, Stamp

Phase: TypeAlias = Literal["starting", "playing", "finished"]
Why: TypeAlias = Mapping[str, Any]
"""How a match ended, to be told in any language: `code`, and what belongs into its sentence (see `sentences`)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended. `returns` by seat: (1, -1), (-1, 1) or (0, 0); `detail`: a sentence for people.

    `why`: the same in parts; None where somebody else wrote the sentence.
    """

    returns: tuple[float, float]
    reason: EndReason
    detail: str
    why: Why | None = None


class Move(NamedTuple):
    """One accepted action: `charged_ns` is what it cost of the move's budget, `stamp` how its arrival was found.

    `away_ns`: how long the mover had no connection in this ply. `info`: what the mover said about its search.
    """

    ply: int
    seat: Seat
    action: int
    charged_ns: int
    stamp: Stamp
    away_ns: int = 0
    info: Mapping[str, object] | None = None


class Match(NamedTuple):
    """`legal` belongs to `state`, computed once a ply; `ready_by`: the last instant at which `ready` is waited for.

    `ready_by` is anew after a restart of the server. `attached` is kept up to the end of the match only. `announced`:
    the outcome is durable and may be told. `owed`: the seat has not been here since a restart of the server, so that it
    is waited for if it comes back as a new process. `restarts`: of the server, so far.
    """

    config: MatchConfig
    phase: Phase
    state: State
    legal: tuple[int, ...]
    moves: tuple[Move, ...]
    attached: tuple[bool, bool]
    ready: tuple[bool, bool]
    ready_by: int
    clock: Clock
    outcome: Outcome | None = None
    announced: bool = False
    owed: tuple[bool, bool] = (False, False)
    restarts: int = 0

    @property
    def ply(self) -> int:
        """Actions played before the one to come; those of the opening count."""
        return len(self.config.opening) + len(self.moves)

    @property
    def actions(self) -> tuple[int, ...]:
        """All actions from the initial state on, the opening first."""
        return self.config.opening + tuple(move.action for move in self.moves)

    @property
    def last(self) -> Move | None:
        """The action accepted last; None before the first (an opening is not played by anybody)."""
        return self.moves[-1] if self.moves else None

    @property
    def charged_ns(self) -> tuple[int, int]:
        """What each seat was charged for all its accepted actions."""
        totals = [0, 0]
        for move in self.moves:
            totals[move.seat] += move.charged_ns
        return totals[0], totals[1]

    @property
    def waits(self) -> bool:
        """Whether the match, in play, waits for the mover to get ready again (see `automaton`)."""
        seat = self.clock.seat
        return self.phase == "playing" and self.attached[seat] and not self.ready[seat]

    @property
    def alarm(self) -> int | None:
        """The first instant at which time alone would change something, or None while it changes nothing."""
        if self.phase == "playing":
            deadline = self.clock.deadline
            if deadline is None:
                return self.ready_by + 1 if self.waits else None
            return deadline + 1
        return self.ready_by + 1 if self.phase == "starting" else None

    def remaining_ns(self, seat: Seat, at: int) -> int:
        """What `seat` has left of the budget of the ply in play; all of it while it is not its turn."""
        return self.clock.remaining(at) if seat == self.clock.seat else self.clock.budgets[seat]
