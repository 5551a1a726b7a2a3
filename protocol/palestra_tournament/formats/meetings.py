"""A meeting of two players. Formats decide who meets; `openings` adds the first moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palestra_tournament.model import Fixture, Tournament


def meeting(
    t: Tournament, round_number: int, table: int, players: tuple[str, str], after: int = 0
) -> tuple[Fixture, ...]:
    """The fixtures of one meeting, as many as the spec asks for; `players[0]` moves first in the first of them. Their
    numbers come after `after`.
    """
    numbers = range(after + 1, after + t.spec.pairs + 1)
    return pairs_of_matches(t, round_number, table, players, [(game, n) for game in t.spec.games for n in numbers])


def pairs_of_matches(
    t: Tournament, round_number: int, table: int, players: tuple[str, str], wanted: Iterable[tuple[str, int]]
) -> tuple[Fixture, ...]:
    """The fixtures for each (game, number): two with the seats swapped, or one if the spec does not swap.

    Without swapping, players alternate in moving first from one match to the next.
    """
    fixtures = []
    for index, (game, number) in enumerate(wanted):
        pair = f"{round_number}-{table}-{game}-{number}"
        for leg in (1, 2) if t.spec.swap else (1,):
            seats = players if (leg == 1) == (t.spec.swap or index % 2 == 0) else players[::-1]
            fixtures.append(Fixture(f"{pair}-{leg}", round_number, table, pair, leg, game, seats))
    return tuple(fixtures)


def meetings_of_latecomer(
    t: Tournament, others: Sequence[str], cycles: int = 1, *, in_this_round: bool = False
) -> tuple[Fixture, ...]:
    """What the last of the seeds plays against each of these, moving first in turns: one meeting a round after all that
    was drawn, or all in the latest round, at further tables.
    """
    newcomer = t.seeds[-1]
    last = max((fixture.table for fixture in t.fixtures if fixture.round == t.round), default=0)
    fixtures: list[Fixture] = []
    for cycle in range(cycles):
        for at, other in enumerate(others):
            seats = (newcomer, other) if (cycle + at) % 2 == 0 else (other, newcomer)
            number = cycle * len(others) + at + 1
            round_number, table = (t.round, last + number) if in_this_round else (t.round + number, 1)
            fixtures += meeting(t, round_number, table, seats)
    return tuple(fixtures)


def matches_of_a_meeting(t: Tournament) -> int:
    return len(t.spec.games) * t.spec.pairs * (2 if t.spec.swap else 1)


def meeting_goes_on(t: Tournament) -> bool:
    """Whether the latest event is a result that left its meeting undecided, so that a bracket has nothing new to draw.

    A walkover may be one of several simultaneous results, so it can't tell.
    """
    latest = next(reversed(t.results.values()), None)
    if latest is None or latest.match is None or latest.at_ms < t.at_ms or t.struck:
        return False
    fixture = latest.fixture
    return (fixture.round, fixture.table) in t.pending.get(fixture.players[0], {})
