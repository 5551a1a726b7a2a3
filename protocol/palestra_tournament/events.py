"""What can happen to a tournament, and what it asks the shell to do.

`at_ms` is the wall clock when the event was fed, in milliseconds since 1970. It decides nothing, and never descends in
the records: an event dated before the one it follows, by a clock that was set back, is recorded at that one's time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from palestra_protocol.messages import EndReason
from palestra_referee.events import Why, check_why
from palestra_tournament.model import Bye, Carried, Entrant, Ruled, Tournament

# Why a tournament is paused: by the host, or for a break, whose times of day are written HH:MM.
PAUSES: Final = {"host": set(), "break": {"begin", "end"}}


@dataclass(frozen=True, slots=True)
class Created:
    """The teacher made the tournament: always the first event, and never repeated.

    `file` is the SHA-256 of its file, in hex; `commitment` that of the seed and a salt (`draws.commitment`), so that
    the seed can't be chosen once it is known who takes part.
    """

    file: str
    commitment: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Began:
    """The tournament begins with these entrants, in roster order: always the second event, and never repeated."""

    entrants: tuple[Entrant, ...]
    seed: int
    at_ms: int
    salt: str = ""
    carried: Carried | None = None


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match of this fixture started."""

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
class Joined:
    """A player joined a tournament that was under way, as the last entrant and the last in order of seeding."""

    player: str
    group: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Withdrew:
    """The host withdrew a player, who loses all matches not yet begun."""

    player: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Reinstated:
    """A withdrawn player is back: it is paired again, and its walkovers are reopened.

    Not those from before the latest fixtures were drawn, which may depend on them. A tournament that was over goes on.
    """

    player: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Paused:
    """Nothing new begins until Resumed; matches in progress are played to the end. `why` is one of PAUSES."""

    why: Why
    at_ms: int

    def __post_init__(self) -> None:
        check_why(self.why, PAUSES)


@dataclass(frozen=True, slots=True)
class Resumed:
    """The end of a pause, or of an end before time: Closed is taken back."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Revealed:
    at_ms: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The host is ending the tournament: nothing new begins, and it completes once nothing is being played.

    `counts_all`: results of rounds that aren't complete count, too.
    """

    at_ms: int
    counts_all: bool = False


LaterEvent: TypeAlias = (
    MatchStarted | Ended | Joined | Withdrew | Reinstated | Paused | Resumed | Revealed | Closed | Ruled
)
Event: TypeAlias = Created | Began | LaterEvent


@dataclass(frozen=True, slots=True)
class Record:
    """Append this event to the tournament's records, before any other effect of the step."""

    event: Event


@dataclass(frozen=True, slots=True)
class Notify:
    """Tell this player, now or when it is back: why it was withdrawn, its bye, a ruling, or that it is in."""

    player: str
    about: Why | Bye | Ruled | Joined


@dataclass(frozen=True, slots=True)
class Completed:
    """Everything has been played; the standings are final."""


Effect: TypeAlias = Record | Notify | Completed
# What a step returns: the tournament as it is now, and what to do, in order.
Step: TypeAlias = tuple[Tournament, tuple[Effect, ...]]
