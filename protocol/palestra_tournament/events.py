"""What can happen to a tournament, and what it asks the shell to do.

`at_ms` is the wall clock of whoever hands the event in, in milliseconds since 1970; the machine only keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from palestra_protocol import EndReason
from palestra_tournament.model import Entrant, Fixture, Tournament


@dataclass(frozen=True, slots=True)
class Began:
    """The tournament begins with these entrants, in the order of the roster. The first event, and it comes once."""

    entrants: tuple[Entrant, ...]
    seed: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match plays this fixture. For a fixture that is being played: a new match, since the other one is lost."""

    fixture: str
    match: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The match of a fixture is over and its result is on disk; the fields are those of `Result`."""

    fixture: str
    match: str
    returns: tuple[float, float]
    reason: EndReason
    plies: int
    actions: tuple[int, ...]
    charged_ms: tuple[int, ...]
    at_ms: int
    drops: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Withdrew:
    """The host takes a player out; `why` is a sentence. What it has not begun to play is lost."""

    player: str
    why: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Reinstated:
    """A withdrawn player is back: it is paired again, and what it lost unplayed is open again.

    The latter not if something was drawn by it: in a Swiss only in the round that is being played, in a bracket never.
    """

    player: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Paused:
    """Nothing new begins until Resumed; matches in progress are played to their end."""

    why: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """The pause is over."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Revealed:
    """The embargo on the last results is lifted."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The host ends the tournament: nothing new begins, and it is completed once nothing is being played."""

    at_ms: int


LaterEvent: TypeAlias = MatchStarted | Ended | Withdrew | Reinstated | Paused | Resumed | Revealed | Closed
Event: TypeAlias = Began | LaterEvent


@dataclass(frozen=True, slots=True)
class Record:
    """Append this event to the tournament's records, before anything else of this step."""

    event: Event


@dataclass(frozen=True, slots=True)
class Drawn:
    """These fixtures are new in the schedule."""

    fixtures: tuple[Fixture, ...]


@dataclass(frozen=True, slots=True)
class Notify:
    """Tell this player, at once or when it is back; `code` is that of the wire's `notice`."""

    player: str
    code: Literal["withdrawn", "tournament"]
    message: str


@dataclass(frozen=True, slots=True)
class Completed:
    """All is played; the standings are final."""


Effect: TypeAlias = Record | Drawn | Notify | Completed
Step: TypeAlias = tuple[Tournament, tuple[Effect, ...]]
"""What a step gives: the tournament as it is now, and what to do, in order."""
