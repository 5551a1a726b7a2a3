"""Everybody meets everybody: the circle method for round robins.

Source: the circle (or polygon) method, as in the FIDE Handbook C.05 annex 1 (Berger tables) and Lucas,
"Les jeux de demoiselles", Récréations mathématiques II (1883): one player stays, the others turn round him.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match to be played: `players[0]` takes seat 0 and moves first. `round` counts from 1."""

    game: str
    round: int
    players: tuple[str, str]


def _rounds(players: Sequence[str]) -> list[list[tuple[str, str]]]:
    """The rounds of a single round robin; with an odd number, one player rests in each round."""
    circle: list[str | None] = [*players] if len(players) % 2 == 0 else [*players, None]
    rounds = []
    for turn in range(len(circle) - 1):
        pairs = []
        for left, right in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
            if left is not None and right is not None:
                # The player who stays in place would otherwise move first in every round.
                pairs.append((right, left) if turn % 2 and left is circle[0] else (left, right))
        rounds.append(pairs)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def double_round_robin(players: Sequence[str], game: str) -> tuple[Fixture, ...]:
    """Every pair twice with the seats swapped: n * (n - 1) fixtures in 2 * (n - 1) rounds (2 * n for odd n).

    Raises ValueError when there are fewer than two players or a name stands twice.
    """
    if len(players) < 2:
        raise ValueError(f"A round robin needs at least two players; there is {len(players)}.")
    if len(set(players)) != len(players):
        twice = sorted({name for name in players if list(players).count(name) > 1})
        raise ValueError(f"Every player may stand in the list once; {', '.join(twice)} stands there more often.")
    first = _rounds(players)
    second = [[(away, home) for home, away in pairs] for pairs in first]
    return tuple(
        Fixture(game, number, pair) for number, pairs in enumerate([*first, *second], start=1) for pair in pairs
    )
