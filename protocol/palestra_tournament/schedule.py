"""The schedule and the progress of a tournament."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import merge
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

from palestra_tournament.model import Bye, Fixture, Result, Tournament
from palestra_tournament.scores import Presence, as_counted

FixtureState: TypeAlias = Literal["waiting", "playing", "ended"]


class Scheduled(NamedTuple):
    """A fixture and its state; `match` is set once it begins, `result` once it ends."""

    fixture: Fixture
    state: FixtureState
    match: str | None
    result: Result | None


class Part(NamedTuple):
    """Which fixtures of a schedule: of a round, of all these players, of somebody in a group, in a game, in a state.

    At most `limit` of them, from place `start` on; places count from 0 over the whole schedule, and never change.
    """

    round: int | None = None
    players: tuple[str, ...] = ()
    group: str | None = None
    game: str | None = None
    state: FixtureState | None = None
    start: int = 0
    limit: int | None = None


WHOLE: Final = Part()


class Page(NamedTuple):
    """Fixtures in order, with results as they count, and the byes beside them; `next` is the `start` of the following
    page, None if there is none.
    """

    fixtures: tuple[Scheduled, ...]
    byes: tuple[Bye, ...]
    next: int | None


class RoundProgress(NamedTuple):
    """How many fixtures of a round there are, and how many are over."""

    round: int
    fixtures: int
    ended: int


class Progress(NamedTuple):
    """How far a tournament has got; `round` is the earliest unfinished round.

    `total` and `rounds` are None if they can't be known, as on a ladder.
    """

    played: int
    playing: int
    total: int | None
    round: int
    rounds: int | None


class _Drawn:
    """Where the fixtures of a round, and of a player, are."""

    def __init__(self) -> None:
        self.rounds: Counter[int] = Counter()
        self.of: dict[str, array[int]] = {}
        self._count = 0

    def add(self, fixture: Fixture) -> None:
        self.rounds[fixture.round] += 1
        for name in fixture.players:
            self.of.setdefault(name, array("I")).append(self._count)
        self._count += 1


class _Played:
    """Who came, and how many fixtures of each round are over."""

    def __init__(self) -> None:
        self.presence = Presence()
        self.rounds: Counter[int] = Counter()

    def add(self, result: Result) -> None:
        self.presence.add(result)
        self.rounds[result.fixture.round] += 1


def page(t: Tournament, part: Part = WHOLE) -> Page:
    """A part of the schedule. Costs as much as is looked at, not as much as was drawn."""
    drawn, played = t.by_id.fold(_Drawn, _Drawn.add), t.results.fold(_Played, _Played.add)
    absent = played.presence.absent
    found: list[Scheduled] = []
    following = None
    for place in _places(t, part, drawn):
        line = _line(t, t.fixtures[place], absent)
        if _is_wanted(line, part):
            if len(found) == part.limit:
                following = place
                break
            found.append(line)
    group = None if part.players or part.group is None else _members(t, part.group)
    byes = (
        bye._replace(points=0.0) if bye.player in absent else bye
        for bye in t.byes
        if part.round in (None, bye.round)
        and part.players in ((), (bye.player,))
        and (group is None or bye.player in group)
    )
    return Page(tuple(found), tuple(byes), following)


def schedule(t: Tournament) -> tuple[Scheduled, ...]:
    """All fixtures drawn so far, in order; results as they count."""
    return page(t).fixtures


def rounds(t: Tournament) -> tuple[RoundProgress, ...]:
    """All rounds drawn so far, in order."""
    drawn, played = t.by_id.fold(_Drawn, _Drawn.add), t.results.fold(_Played, _Played.add)
    return tuple(RoundProgress(number, count, played.rounds[number]) for number, count in drawn.rounds.items())


def _places(t: Tournament, part: Part, drawn: _Drawn) -> Iterable[int]:
    """The places where fixtures of this part may be, in order."""
    first, last = part.start, len(t.fixtures)
    if part.round is not None:  # rounds never descend
        first = max(first, bisect_left(t.fixtures, part.round, key=lambda fixture: fixture.round))
        last = bisect_left(t.fixtures, part.round + 1, key=lambda fixture: fixture.round)
    if part.state == "waiting":
        first = max(first, t.settled)

    def of(player: str) -> Sequence[int]:
        places = drawn.of.get(player, array("I"))
        return places[bisect_left(places, first) : bisect_left(places, last)]

    if part.players:
        return of(part.players[0])
    if part.group is not None:
        return (place for place, _ in groupby(merge(*map(of, _members(t, part.group)))))
    return range(first, last)


def _members(t: Tournament, group: str) -> list[str]:
    return [entrant.name for entrant in t.entrants if entrant.group == group]


def _line(t: Tournament, fixture: Fixture, absent: Collection[str]) -> Scheduled:
    result = t.results.get(fixture.id)
    if result is not None:
        return Scheduled(fixture, "ended", result.match, as_counted(result, absent))
    match = t.playing.get(fixture.id)
    return Scheduled(fixture, "waiting" if match is None else "playing", match, None)


def _is_wanted(line: Scheduled, part: Part) -> bool:
    return (
        part.state in (None, line.state)
        and part.game in (None, line.fixture.game)
        and all(name in line.fixture.players for name in part.players)
    )


def progress(t: Tournament) -> Progress:
    """How many matches and rounds are over, and how many there will be."""
    total, rounds = t.spec.format.planned(t)
    if t.phase == "completed":
        total = len(t.results)
    now = t.fixtures[t.settled].round if t.settled < len(t.fixtures) else t.round
    return Progress(len(t.results), len(t.playing), total, now, rounds)
