"""Standings and crosstable, from results alone.

A win counts 1, a draw 1/2, a loss 0. Players level on points are ranked by Sonneborn-Berger (the points of the
opponents beaten, plus half the points of those drawn with; FIDE Handbook C.07, 9.1), then by wins, and share a
rank when all three are equal. A `void` match counts for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """A finished match: `returns` as the game gives them, (1, -1), (-1, 1) or (0, 0)."""

    game: str
    players: tuple[str, str]
    returns: tuple[float, float]
    reason: str

    @property
    def points(self) -> tuple[float, float]:
        """1, 1/2 or 0 for each seat."""
        first = 0.5 + 0.5 * ((self.returns[0] > self.returns[1]) - (self.returns[0] < self.returns[1]))
        return first, 1.0 - first


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings."""

    rank: int
    player: str
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    sonneborn_berger: float


@dataclass(frozen=True, slots=True)
class Crosstable:
    """`cells[i][j]`: what `players[i]` scored against `players[j]` as (points, matches); None on the diagonal."""

    players: tuple[str, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]


def _counted(results: Iterable[Result]) -> list[Result]:
    return [result for result in results if result.reason != "void"]


def standings(players: Sequence[str], results: Iterable[Result]) -> tuple[Row, ...]:
    """The table, best first. Players without a match are in it with 0."""
    counted = _counted(results)
    played: Counter[str] = Counter()
    tally: Counter[tuple[str, float]] = Counter()
    totals = dict.fromkeys(players, 0.0)
    for result in counted:
        for player, scored in zip(result.players, result.points, strict=True):
            totals[player] += scored
            played[player] += 1
            tally[player, scored] += 1
    berger = dict.fromkeys(players, 0.0)
    for result in counted:
        for seat, player in enumerate(result.players):
            berger[player] += result.points[seat] * totals[result.players[1 - seat]]

    def merit(player: str) -> tuple[float, float, int]:
        return totals[player], berger[player], tally[player, 1.0]

    ordered = sorted(players, key=lambda player: (*(-m for m in merit(player)), player))
    rows: list[Row] = []
    for place, player in enumerate(ordered, start=1):
        shares = bool(rows) and merit(rows[-1].player) == merit(player)
        rows.append(
            Row(
                rank=rows[-1].rank if shares else place,
                player=player,
                points=totals[player],
                played=played[player],
                wins=tally[player, 1.0],
                draws=tally[player, 0.5],
                losses=tally[player, 0.0],
                sonneborn_berger=berger[player],
            )
        )
    return tuple(rows)


def crosstable(players: Sequence[str], results: Iterable[Result]) -> Crosstable:
    """Who scored what against whom, players in the given order."""
    scored: dict[tuple[str, str], tuple[float, int]] = {}
    for result in _counted(results):
        for seat, player in enumerate(result.players):
            pair = (player, result.players[1 - seat])
            points, matches = scored.get(pair, (0.0, 0))
            scored[pair] = (points + result.points[seat], matches + 1)
    return Crosstable(
        tuple(players),
        tuple(
            tuple(None if row == column else scored.get((row, column), (0.0, 0)) for column in players)
            for row in players
        ),
    )


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
