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
