"""What a tournament format has to tell: everything that depends on the format is a member of `Format`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict

from palestra_tournament.faults import Fault

if TYPE_CHECKING:
    from palestra_tournament.formats.pairing import PairRound
    from palestra_tournament.model import Bye, Fixture, Tournament
    from palestra_tournament.scores import Scores

# What the page shows of a tournament besides its standings, schedule and crosstable.
View: TypeAlias = Literal["bracket", "groups"]


class Draw(NamedTuple):
    """What a format adds to the schedule."""

    fixtures: tuple[Fixture, ...]
    byes: tuple[Bye, ...] = ()


class Planned(NamedTuple):
    """How many fixtures and rounds a tournament will have if all goes as planned; None if that can't be known."""

    fixtures: int | None
    rounds: int | None


class Tie(NamedTuple):
    """A meeting in a bracket. A player is None if not yet known, or if the place stays empty.

    `points` is what each has scored so far; `winner` is None until the meeting is decided.
    """

    round: int
    table: int
    players: tuple[str | None, str | None]
    points: tuple[float, float]
    winner: str | None


class Criterion(NamedTuple):
    """What players are ranked by. `label` heads its column, in tables and exports.

    `values` gives everybody's; whoever is left out has 0. More is better, unless `less_is_better`.
    """

    label: str
    values: Callable[[Tournament, Scores], Mapping[str, float]]
    less_is_better: bool = False


class Format(BaseModel, ABC):
    """A tournament format, with the values of its own keys in the tournament file.

    A format is a subclass, registered under its name in the entry-point group `palestra.formats`. Its fields are its
    keys, which pydantic validates; a key that another format has too should mean the same there. Its methods see
    neither a clock nor a random source (`draws` derives chance from the seed), and what they return depends on nothing
    but their arguments.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    name: ClassVar[str]  # in the file
    title: ClassVar[str]  # for people, in English
    about: ClassVar[str]  # a sentence
    keys: ClassVar[str] = ""  # each key with its default, as a comment in TOML: what a teacher reads in the example
    criteria: ClassVar[tuple[Criterion, ...]]  # players are ranked by the first, then by the second, and so on
    views: ClassVar[tuple[View, ...]] = ()
    # Whether it is played against reference bots only: then one player is enough, and no reference bot is not.
    needs_references: ClassVar[bool] = False
    # Whether its last round is known beforehand; if not, there is none to hide.
    has_last_round: ClassVar[bool] = True

    @abstractmethod
    def draw(self, t: Tournament, pair: PairRound) -> Draw | None:
        """The next fixtures; None while results are outstanding, or if nothing more is to come.

        Called when the tournament begins and after every event, again and again until it returns None. Rounds count
        from 1, and later fixtures are of the same round or a later one, but for what is drawn anew. `pair` pairs a
        large round; it may take long.
        """

    def join(self, _t: Tournament, /) -> Draw | None:
        """What the player who has just joined, the last of the seeds, plays besides what `draw` will draw for all; None
        if nobody can join, or not any more.
        """
        return None

    @abstractmethod
    def planned(self, t: Tournament) -> Planned:
        """Also for a tournament of which nothing has been drawn."""

    def faults(self, _players: int | None, /) -> Iterator[Fault]:
        """What its keys ask for and so many players can't give (None: any number); each fault names its `key`."""
        return iter(())

    def bracket(self, _t: Tournament, /) -> tuple[tuple[Tie, ...], ...]:
        """The rounds of its bracket as far as they are known; for the view "bracket"."""
        return ()

    def misplaced(self, _t: Tournament, /) -> Collection[str]:
        """The fixtures, by id, that were drawn for others than who plays there now, after a ruling: they are struck."""
        return ()

    def groups(self, _t: Tournament, /) -> tuple[tuple[str, ...], ...]:
        """The players of each group, best first; for the view "groups"."""
        return ()
