"""What a tournament is made of: entrants, fixtures, results, and the state that `step` goes through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from palestra_protocol import EndReason
from palestra_tournament.spec import Spec

Phase: TypeAlias = Literal["running", "paused", "completed"]
ResultReason: TypeAlias = EndReason | Literal["walkover"]
"""A walkover is a fixture that is not played, as a player of it is withdrawn."""

FAULTS: Final[frozenset[ResultReason]] = frozenset({"timeout", "illegal", "disconnect", "not_ready"})
"""Endings that the losing bot brought about by something else than its play."""
ABSENCES: Final[frozenset[ResultReason]] = frozenset({"timeout", "disconnect", "not_ready"})
"""The faults that hold others up; several in a row withdraw a bot."""
UNPLAYED: Final[frozenset[ResultReason]] = frozenset({"void", "not_ready", "walkover"})
"""Endings that say nothing about strength."""


class Entrant(NamedTuple):
    """One who takes part. `reference`: a bot of known strength that the host starts; it is not ranked for prizes."""

    name: str
    group: str = ""
    reference: bool = False


class Fixture(NamedTuple):
    """One match to be played once. `players[0]` takes seat 0 and moves first.

    `id` is `ROUND-TABLE-GAME-NUMBER-LEG`. `pair` is the id without the leg: the one or two matches that share an
    opening, with the seats swapped. `round` and `table` count from 1; a table is one meeting of two players.
    """

    id: str
    round: int
    table: int
    pair: str
    leg: int
    game: str
    players: tuple[str, str]
    opening: tuple[int, ...] = ()


class Bye(NamedTuple):
    """A player without an opponent in a round, and the points it gets for that."""

    round: int
    player: str
    points: float


@dataclass(frozen=True, slots=True)
class Result:
    """How a fixture ended. `actions` are those played after the opening, `charged_ms` the time of each of them."""

    fixture: Fixture
    returns: tuple[float, float]
    reason: ResultReason
    match: str | None = None
    plies: int = 0
    actions: tuple[int, ...] = ()
    charged_ms: tuple[int, ...] = ()
    drops: tuple[int, int] = (0, 0)
    """Lost connections of each seat."""
    at_ms: int = 0

    @property
    def points(self) -> tuple[float, float]:
        """1, 1/2 or 0 for each seat; nothing for either if nobody came, or if the match is void."""
        first, second = self.returns
        if first == second:
            return (0.0, 0.0) if self.reason in UNPLAYED else (0.5, 0.5)
        return (1.0, 0.0) if first > second else (0.0, 1.0)

    @property
    def at_fault(self) -> tuple[bool, bool]:
        """Which seats brought about the end by a fault of theirs."""
        if self.reason not in FAULTS:
            return False, False
        first, second = self.returns
        return first <= second, second <= first


@dataclass(frozen=True, slots=True)
class Tournament:
    """Where a tournament stands. Never changed: `step` makes the next one. Maps are not to be written to either."""

    spec: Spec
    entrants: tuple[Entrant, ...]
    """In the order of the roster."""
    seeds: tuple[str, ...]
    """The names in the order of the seeding, the first being seeded highest."""
    seed: int
    phase: Phase = "running"
    fixtures: tuple[Fixture, ...] = ()
    """All that have been drawn so far, in the order in which they are to begin."""
    by_id: Mapping[str, Fixture] = field(default_factory=dict)
    """The same, by fixture id."""
    byes: tuple[Bye, ...] = ()
    results: Mapping[str, Result] = field(default_factory=dict)
    """By fixture id, in the order in which they came."""
    playing: Mapping[str, str] = field(default_factory=dict)
    """The match that plays a fixture, by fixture id."""
    voids: Mapping[str, int] = field(default_factory=dict)
    """How often the match of a fixture came to nothing, by fixture id."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Matches in a row that a player lost by its absence."""
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    """Why a player is out, by name."""
    why_paused: str = ""
    revealed: bool = True
    closed: bool = False
    """Nothing new begins."""
    settled: int = 0
    """All fixtures before this index have a result."""

    @property
    def round(self) -> int:
        """The number of the latest round that is drawn; 0 before the first."""
        return max((fixture.round for fixture in self.fixtures[-1:]), default=0)

    @property
    def references(self) -> frozenset[str]:
        """The names of the reference bots."""
        return frozenset(entrant.name for entrant in self.entrants if entrant.reference)

    @property
    def active(self) -> tuple[str, ...]:
        """The names, in the order of the seeding, of those who are not withdrawn."""
        return tuple(name for name in self.seeds if name not in self.withdrawn)

    def but(self, **changes: Any) -> Tournament:
        """The same tournament with these fields changed."""
        return replace(self, **changes)
