"""What can happen to a tournament, and what it asks the shell to do.

`at_ms` is the wall clock when the event was fed, in milliseconds since 1970; it is stored, never compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from palestra_protocol import EndReason
from palestra_tournament.model import Bye, Entrant, Fixture, Tournament


@dataclass(frozen=True, slots=True)
class Began:
    """The tournament begins with these entrants, in roster order: always the first event, and never repeated.

    `rules` are those of `model.RULES`; the oldest records don't have them.
    """

    entrants: tuple[Entrant, ...]
    seed: int
    at_ms: int
    rules: int = 1


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match of this fixture started. If one was being played already, it was lost and this one replaces it."""

    fixture: str
    match: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The match of a fixture is over and its result is on disk; for the fields see `Result`."""

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
    """The host withdrew a player, who loses all matches not yet begun; `why` is a sentence."""

    player: str
    why: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Reinstated:
    """A withdrawn player is back: it is paired again, and its walkovers are reopened.

    Not those that later rounds were drawn from: a Swiss reopens only the current round, a bracket nothing.
    """

    player: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Paused:
    """Nothing new begins until Resumed; matches in progress are played to the end."""

    why: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Resumed:
    at_ms: int


@dataclass(frozen=True, slots=True)
class Revealed:
    at_ms: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The host is ending the tournament: nothing new begins, and it completes once nothing is being played."""

    at_ms: int


LaterEvent: TypeAlias = MatchStarted | Ended | Withdrew | Reinstated | Paused | Resumed | Revealed | Closed
Event: TypeAlias = Began | LaterEvent


@dataclass(frozen=True, slots=True)
class Record:
    """Append this event to the tournament's records, before any other effect of the step."""

    event: Event


@dataclass(frozen=True, slots=True)
class Drawn:
    """These fixtures were added to the schedule."""

    fixtures: tuple[Fixture, ...]


@dataclass(frozen=True, slots=True)
class Notify:
    """Tell this player, now or when it is back, why it was withdrawn, or the round in which it has a bye."""

    player: str
    about: str | Bye


@dataclass(frozen=True, slots=True)
class Completed:
    """Everything has been played; the standings are final."""


Effect: TypeAlias = Record | Drawn | Notify | Completed
# What a step returns: the tournament as it is now, and what to do, in order.
Step: TypeAlias = tuple[Tournament, tuple[Effect, ...]]
