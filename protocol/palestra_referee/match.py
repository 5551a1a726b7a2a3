"""A match as a value: everything the referee knows, and nothing about sockets or disks.

Whatever is rebuilt at every ply is a NamedTuple: as immutable as a frozen dataclass, and built in a third of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from palestra_games import Seat, State
from palestra_protocol.english import sentence
from palestra_protocol.messages import EndReason
from palestra_referee.clock import Clock
from palestra_referee.events import MatchConfig, Stamp, Why

Phase: TypeAlias = Literal["starting", "playing", "finished"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended: `returns` is (1, -1), (-1, 1) or (0, 0) by seat; `whys` makes `why`."""

    returns: tuple[float, float]
    reason: EndReason
    why: Why

    @property
    def detail(self) -> str:
        """A sentence in English, as on the wire."""
        return sentence("why", self.why)


class Move(NamedTuple):
    """An accepted action. `charged_ns` is what it took from the move's budget, `stamp` how its arrival was dated,
    `away_ns` how long the mover was disconnected during the ply, and `info` what it said about its search.
    """

    ply: int
    seat: Seat
    action: int
    charged_ns: int
    stamp: Stamp
    away_ns: int = 0
    info: Mapping[str, object] | None = None


class Match(NamedTuple):
    """`legal` has the legal actions of `state`, computed once per ply. `ready_by` is the last instant for `ready` to be
    in time; a restart of the server resets it. `attached` isn't updated once the match has ended. `announced` means
    that the outcome is durable and may be sent. `owed` means that the seat hasn't connected since a restart of the
    server, so it gets time to warm up if it comes back as a new process. `restarts` counts them, `drops` the lost
    connections of each seat. `versions`: those of the bots that connected last.
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
    drops: tuple[int, int] = (0, 0)
    versions: tuple[str, str] = ("", "")

    @property
    def ply(self) -> int:
        """The number of actions played so far, including the opening."""
        return len(self.config.opening) + len(self.moves)

    @property
    def actions(self) -> tuple[int, ...]:
        return self.config.opening + tuple(move.action for move in self.moves)

    @property
    def last(self) -> Move | None:
        """None before the first (nobody plays the opening)."""
        return self.moves[-1] if self.moves else None

    @property
    def charged_ns(self) -> tuple[int, int]:
        """The total charged to each seat."""
        totals = [0, 0]
        for move in self.moves:
            totals[move.seat] += move.charged_ns
        return totals[0], totals[1]

    @property
    def waits(self) -> bool:
        """Whether the match is in play and waits for the mover to be ready again (see `automaton`)."""
        seat = self.clock.seat
        return self.phase == "playing" and self.attached[seat] and not self.ready[seat]

    @property
    def alarm(self) -> int | None:
        """The first instant at which the passing of time alone has an effect; None if it has none."""
        if self.phase == "playing":
            deadline = self.clock.deadline
            if deadline is None:
                return self.ready_by + 1 if self.waits else None
            return deadline + 1
        return self.ready_by + 1 if self.phase == "starting" else None
