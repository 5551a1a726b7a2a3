"""What is still to be played, by player: kept and not searched for, so that no event costs more the more was drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from heapq import merge

from palestra_tournament.growing import GrowingMap
from palestra_tournament.model import Fixture, Meeting, Pending, Result, Tournament


def with_fixtures(pending: Pending, fixtures: Iterable[tuple[int, Fixture]]) -> Pending:
    """With these fixtures, given with their places."""
    changed: dict[str, dict[tuple[int, int], Meeting]] = {}
    for place, fixture in fixtures:
        key = fixture.round, fixture.table
        for name, opponent in (fixture.players, fixture.players[::-1]):
            if name not in changed:
                changed[name] = dict(pending.get(name, {}))
            before = changed[name].get(key, Meeting(opponent, ()))
            changed[name][key] = Meeting(opponent, tuple(sorted((*before.places, place))))
    for name, meetings in changed.items():
        changed[name] = dict(sorted(meetings.items(), key=lambda item: item[1].places))
    return {**pending, **changed}


def without_fixtures(pending: Pending, fixtures: Iterable[tuple[int, Fixture]]) -> Pending:
    """Without these fixtures, given with their places."""
    changed: dict[str, dict[tuple[int, int], Meeting]] = {}
    for place, fixture in fixtures:
        key = fixture.round, fixture.table
        for name in fixture.players:
            if name not in changed:
                changed[name] = dict(pending[name])
            opponent, places = changed[name][key]
            left = tuple(each for each in places if each != place)
            changed[name][key] = Meeting(opponent, left)
            if not left:
                del changed[name][key]
    return {name: left for name, left in {**pending, **changed}.items() if left}


def with_results(t: Tournament, results: Sequence[Result]) -> Tournament:
    """With these, of fixtures that had none."""
    known = t.results.plus((result.fixture.id, result) for result in results)
    ended = ((t.by_id.place(result.fixture.id), result.fixture) for result in results)
    settled = t.settled
    while settled < len(t.fixtures) and t.fixtures[settled].id in known:
        settled += 1
    return t.but(results=known, pending=without_fixtures(t.pending, ended), settled=settled)


def without_results(t: Tournament, fixtures: Collection[str]) -> Tournament:
    """With these fixtures, given by id, open again."""
    places = [t.by_id.place(identifier) for identifier in fixtures]
    return t.but(
        results=GrowingMap((key, result) for key, result in t.results.items() if key not in fixtures),
        pending=with_fixtures(t.pending, ((place, t.fixtures[place]) for place in places)),
        settled=min([t.settled, *places]),
        fixed=t.fixed - sum(t.results.place(identifier) < t.fixed for identifier in fixtures),
    )


def first_open_round(t: Tournament) -> int | None:
    """The first round that has fixtures without a result; None if there is none."""
    if t.settled == len(t.fixtures):
        return None
    if not t.rulings or "bracket" not in t.spec.format.views:
        return t.fixtures[t.settled].round
    # In a bracket, what was drawn anew after a ruling stands behind later rounds.
    meetings = (meeting for meetings in t.pending.values() for meeting in meetings.values())
    return min(t.fixtures[meeting.places[0]].round for meeting in meetings)


def between(t: Tournament, players: Set[str]) -> Iterator[Fixture]:
    """The fixtures among these players that have no result yet, in order."""

    def of(player: str) -> Iterator[int]:
        for opponent, places in t.pending[player].values():
            if opponent in players and player < opponent:
                yield from places

    return (t.fixtures[place] for place in merge(*map(of, players & t.pending.keys())))
