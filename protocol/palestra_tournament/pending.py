"""What is still to be played, by player: kept and not searched for, so that no event costs more the more was drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from heapq import merge

from palestra_tournament.model import Fixture, Meeting, Pending, Tournament


def with_fixtures(pending: Pending, fixtures: Iterable[tuple[int, Fixture]]) -> Pending:
    """With these fixtures, given with their places."""
    changed: dict[str, dict[tuple[int, int], Meeting]] = {}
    for place, fixture in fixtures:
        key = fixture.round, fixture.table
        for name, opponent in (fixture.players, fixture.players[::-1]):
            if name not in changed:
                changed[name] = dict(pending.get(name, {}))
            before = changed[name].get(key, Meeting(opponent, ()))
            changed[name][key] = Meeting(opponent, (*before.places, place))
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


def between(t: Tournament, players: Set[str]) -> Iterator[Fixture]:
    """The fixtures among these players that have no result yet, in order."""

    def of(player: str) -> Iterator[int]:
        for opponent, places in t.pending[player].values():
            if opponent in players and player < opponent:
                yield from places

    return (t.fixtures[place] for place in merge(*map(of, players & t.pending.keys())))
