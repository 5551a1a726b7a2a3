"""The schedule and the progress of a tournament."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from heapq import merge
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

from palestra_tournament.model import Bye, Fixture, Result, Tournament
from palestra_tournament.pending import first_open_round
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
    total: int | None
    round: int
    rounds: int | None


class _Drawn:
    """Where the fixtures of a round, and of a player, are."""

    def __init__(self) -> None:
        self.rounds: dict[int, array[int]] = {}
        self.of: dict[str, array[int]] = {}
        self._count = 0

    def add(self, fixture: Fixture) -> None:
        self.rounds.setdefault(fixture.round, array("I")).append(self._count)
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
    group = None if part.players or part.group is None else _members(t, part.group)
    found: list[Scheduled] = []
    following = None
    for place in _places(t, part, drawn):
        line = _line(t, t.fixtures[place], absent)
        if _is_wanted(line, part, group):
            if len(found) == part.limit:
                following = place
                break
            found.append(line)
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
    return tuple(RoundProgress(number, len(places), played.rounds[number]) for number, places in drawn.rounds.items())


def _places(t: Tournament, part: Part, drawn: _Drawn) -> Iterable[int]:
    """The places where fixtures of this part may be, in order."""
    first = max(part.start, t.settled if part.state == "waiting" else 0)

    def among(places: Sequence[int]) -> Sequence[int]:
        # `t` may be an earlier tournament than what was drawn.
        return places[bisect_left(places, first) : bisect_left(places, len(t.fixtures))]

    def of(player: str) -> Sequence[int]:
        return among(drawn.of.get(player, array("I")))

    if part.players:
        return of(part.players[0])
    if part.round is not None:
        return among(drawn.rounds.get(part.round, array("I")))
    if part.group is not None:
        return (place for place, _ in groupby(merge(*map(of, _members(t, part.group)))))
    return range(first, len(t.fixtures))


def _members(t: Tournament, group: str) -> frozenset[str]:
    return frozenset(entrant.name for entrant in t.entrants if entrant.group == group)


def _line(t: Tournament, fixture: Fixture, absent: Collection[str]) -> Scheduled:
    result = t.results.get(fixture.id)
    if result is not None:
        result = replace(result, reason="struck") if fixture.id in t.struck else as_counted(result, absent)
        return Scheduled(fixture, "ended", result.match, result)
    match = t.playing.get(fixture.id)
    return Scheduled(fixture, "waiting" if match is None else "playing", match, None)


def _is_wanted(line: Scheduled, part: Part, group: Collection[str] | None) -> bool:
    return (
        part.state in (None, line.state)
        and part.round in (None, line.fixture.round)
        and (group is None or any(name in group for name in line.fixture.players))
        and part.game in (None, line.fixture.game)
        and all(name in line.fixture.players for name in part.players)
    )


def progress(t: Tournament) -> Progress:
    """How many matches and rounds are over, and how many there will be."""
    total, rounds = t.spec.format.planned(t)
    if t.phase == "completed":
        total = len(t.results)
    now = first_open_round(t) or max(t.by_id.fold(_Drawn, _Drawn.add).rounds, default=0)
    return Progress(len(t.results), total, now, rounds)
