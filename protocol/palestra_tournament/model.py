"""What a tournament is made of: entrants, fixtures, results, and the state that `step` advances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

from palestra_protocol.messages import EndReason
from palestra_referee.events import Why
from palestra_tournament.growing import GrowingMap
from palestra_tournament.spec import Spec

Phase: TypeAlias = Literal["running", "paused", "completed"]
# A walkover is a fixture that isn't played because a player was withdrawn; `ruled` was decided by the teacher.
# In tables, `struck` is the reason of what is void since a ruling changed who plays there.
ResultReason: TypeAlias = EndReason | Literal["walkover", "ruled", "struck"]
# What the teacher can rule about a match: `stands` brings back its own result, `replay` has its fixture played again.
Verdict: TypeAlias = Literal["void", "win", "draw", "replay", "stands"]

WHY_MAX: Final = 500  # characters of the reason for a ruling

# Endings that are the losing bot's fault, not the result of its play.
FAULTS: Final[frozenset[ResultReason]] = frozenset({"timeout", "illegal", "disconnect", "not_ready"})
# The faults of who is not there, which hold up others; several in a row get a bot withdrawn. Who is slow is there.
ABSENCES: Final[frozenset[ResultReason]] = frozenset({"disconnect", "not_ready"})
# Endings that tell nothing about strength.
UNPLAYED: Final[frozenset[ResultReason]] = frozenset({"void", "struck", "not_ready", "walkover"})


class Entrant(NamedTuple):
    """A participant. `reference`: a bot of known strength that the host runs; it doesn't compete for prizes."""

    name: str
    group: str = ""
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Earlier:
    """A tournament as it stood after so many of its events."""

    name: str
    events: int


@dataclass(frozen=True, slots=True)
class Carried:
    """What a season carries over into the seeding: whole Elo points, by name, from all games of these tournaments."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}  # as in `palestra_referee.events.MatchConfig`

    season: str
    tournaments: tuple[Earlier, ...]
    ratings: Mapping[str, int]

    def seeds(self, names: Iterable[str]) -> list[str]:
        """Those with a rating first, the highest first, and else in the order in which they come."""
        return sorted(names, key=lambda name: (name not in self.ratings, -self.ratings.get(name, 0)))


class Fixture(NamedTuple):
    """A match in the schedule. `players[0]` takes seat 0 and moves first.

    `id` is `ROUND-TABLE-GAME-NUMBER-LEG`; `pair` is the id without the leg, shared by the one or two matches of an
    opening (the second with the seats swapped). `round` and `table` count from 1; a table is one meeting of two
    players.
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
    round: int
    player: str
    points: float


@dataclass(frozen=True, slots=True)
class Result:
    """How a fixture ended. `actions` excludes the opening; `charged_ms` is the time charged for each of them."""

    fixture: Fixture
    returns: tuple[float, float]
    reason: ResultReason
    match: str | None = None
    plies: int = 0
    actions: tuple[int, ...] = ()
    charged_ms: tuple[int, ...] = ()
    drops: tuple[int, int] = (0, 0)  # lost connections, by seat
    at_ms: int = 0

    @property
    def rated(self) -> bool:
        """Whether it tells about strength; a ruling does if something was played (as in FIDE's rating rules)."""
        return self.reason not in UNPLAYED and (self.reason != "ruled" or bool(self.actions))

    @property
    def points(self) -> tuple[float, float]:
        """1, 1/2 or 0 for each seat; 0 for both if neither showed up or the match is void."""
        first, second = self.returns
        if first == second:
            return (0.0, 0.0) if self.reason in UNPLAYED else (0.5, 0.5)
        return (1.0, 0.0) if first > second else (0.0, 1.0)

    @property
    def at_fault(self) -> tuple[bool, bool]:
        """Which seats caused the end by a fault."""
        if self.reason not in FAULTS:
            return False, False
        first, second = self.returns
        return first <= second, second <= first

    def failed(self, player: str) -> bool:
        """Whether this player lost by a fault or resigned, which is what the client does when a bot crashes."""
        seat = self.fixture.players.index(player)
        return self.at_fault[seat] or (self.reason == "resign" and self.points[seat] == 0)


@dataclass(frozen=True, slots=True)
class Ruled:
    """The teacher ruled on a match that is over. Its records stay as they are; of several rulings the last one counts.

    `winner` is a player, for a `win`, and else empty; `why` is told to both players.
    """

    match: str
    verdict: Verdict
    winner: str
    why: str
    at_ms: int

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise ValueError(f"A ruling is one of {', '.join(get_args(Verdict))}, not {self.verdict!r}.")
        if (self.verdict == "win") != bool(self.winner):
            raise ValueError("A ruling names a winner if it is a win, and only then.")
        if not self.why.strip() or len(self.why) > WHY_MAX or not self.why.isprintable():
            raise ValueError(f"A ruling needs its reason, on one line of at most {WHY_MAX} characters.")


class Meeting(NamedTuple):
    """What a player still has to play against an opponent: the places in `Tournament.fixtures`, ascending."""

    opponent: str
    places: tuple[int, ...]


# By player, then by round and table, in the order of the schedule. Nothing in it is empty.
Pending: TypeAlias = Mapping[str, Mapping[tuple[int, int], Meeting]]


@dataclass(frozen=True, slots=True)
class Tournament:
    """The state of a tournament. Immutable, including its maps: `step` returns the next state."""

    spec: Spec
    entrants: tuple[Entrant, ...]  # in roster order
    seeds: tuple[str, ...]  # the names in order of seeding, highest first
    seed: int
    carried: Carried | None = None  # what else decided the order of seeding
    phase: Phase = "running"
    fixtures: tuple[Fixture, ...] = ()  # all fixtures drawn so far, in the order in which they should begin
    by_id: GrowingMap[Fixture] = field(default_factory=GrowingMap)  # the same, by fixture id
    pending: Pending = field(default_factory=dict)  # those without a result
    byes: tuple[Bye, ...] = ()
    # By fixture id, in the order in which they came in.
    results: GrowingMap[Result] = field(default_factory=GrowingMap)
    playing: Mapping[str, str] = field(default_factory=dict)  # the matches in progress, by fixture id
    voids: Mapping[str, int] = field(default_factory=dict)  # how often the match of a fixture was void, by fixture id
    rulings: tuple[Ruled, ...] = ()  # all, in order
    judged: Mapping[str, Result] = field(default_factory=dict)  # the own results of the matches ruled on, by match
    # The fixtures that rulings struck, void as long as they are here, with their results by fixture id.
    struck: Mapping[str, Result | None] = field(default_factory=dict)
    # How many matches in a row a player has lost by absence, by name.
    failures: Mapping[str, int] = field(default_factory=dict)
    # Why a player was withdrawn, by name: `host`, or `absent` with the `count` of matches in a row that it missed.
    withdrawn: Mapping[str, Why] = field(default_factory=dict)
    why_paused: Why | None = None
    revealed: bool = True  # no embargo, or none any more
    shown: Tournament | None = None  # how it stood before the hidden round began (`embargo`); None if nothing is hidden
    hidden: frozenset[str] = frozenset()  # the matches that were started since
    closed: bool = False  # nothing new begins
    counts_all: bool = False  # then also rounds count that aren't complete
    settled: int = 0  # all fixtures before this index have a result
    fixed: int = 0  # how many results there were when the latest fixtures were drawn, from them or after them
    at_ms: int = 0  # when the latest event was recorded

    @property
    def round(self) -> int:
        """The latest round drawn so far; 0 before the first."""
        return max((fixture.round for fixture in self.fixtures[-1:]), default=0)

    @property
    def references(self) -> frozenset[str]:
        return frozenset(entrant.name for entrant in self.entrants if entrant.reference)

    @property
    def active(self) -> tuple[str, ...]:
        """Everyone who isn't withdrawn, by name, in order of seeding."""
        return tuple(name for name in self.seeds if name not in self.withdrawn)

    def but(self, **changes: Any) -> Tournament:
        return replace(self, **changes)
