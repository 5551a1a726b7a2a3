"""A meeting of two players: the same games and openings for both, with the seats swapped."""

from __future__ import annotations

from typing import NamedTuple

from palestra_tournament.model import Bye, Fixture, Tournament
from palestra_tournament.openings import draw_opening


class Draw(NamedTuple):
    """What a format adds to the schedule."""

    fixtures: tuple[Fixture, ...]
    byes: tuple[Bye, ...] = ()


def meeting(
    t: Tournament, round_number: int, table: int, players: tuple[str, str], numbers: range | None = None
) -> tuple[Fixture, ...]:
    """The fixtures of one meeting; `players[0]` moves first in the first of each pair.

    `numbers`: which pairs of matches it has in each game, counted from 1; those of the spec if None.
    """
    spec = t.spec
    fixtures = []
    for game in spec.games:
        for number in numbers or range(1, spec.pairs + 1):
            pair = f"{round_number}-{table}-{game}-{number}"
            opening = draw_opening(spec, game, t.seed, pair)
            for leg in (1, 2) if spec.swap else (1,):
                seats = players if leg == 1 else players[::-1]
                fixtures.append(Fixture(f"{pair}-{leg}", round_number, table, pair, leg, game, seats, opening))
    return tuple(fixtures)


def matches_of_a_meeting(t: Tournament) -> int:
    """How many fixtures a meeting has."""
    return len(t.spec.games) * t.spec.pairs * (2 if t.spec.swap else 1)
