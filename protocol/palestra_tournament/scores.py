"""Everybody's scores and tie-breaks (named as in the FIDE Handbook, C.07)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from palestra_tournament.model import Bye, Result


class Scores:
    """Scores of `players` in these results. A void match doesn't count; a bye counts its points."""

    def __init__(self, players: Iterable[str], results: Iterable[Result], byes: Iterable[Bye] = ()) -> None:
        self.points = dict.fromkeys(players, 0.0)
        # How often each player scored 1, 1/2 and 0.
        self.tally: Counter[tuple[str, float]] = Counter()
        # For each player and opponent: (points, matches).
        self.against: dict[str, dict[str, tuple[float, int]]] = {name: {} for name in self.points}
        for bye in byes:
            self.points[bye.player] += bye.points
        for result in results:
            if result.reason == "void":
                continue
            for seat, player in enumerate(result.fixture.players):
                scored, other = result.points[seat], result.fixture.players[1 - seat]
                self.points[player] += scored
                self.tally[player, scored] += 1
                points, matches = self.against[player].get(other, (0.0, 0))
                self.against[player][other] = (points + scored, matches + 1)

    def buchholz(self, player: str) -> float:
        """The sum of the opponents' points, once per match."""
        return sum(self.points[other] * matches for other, (_, matches) in self.against[player].items())

    def sonneborn_berger(self, player: str) -> float:
        """The sum of the opponents' points, weighted by what was scored against them."""
        return sum(self.points[other] * points for other, (points, _) in self.against[player].items())

    def head_to_head(self, player: str) -> float:
        """Points scored against those with the same points."""
        level = self.points[player]
        return sum(points for other, (points, _) in self.against[player].items() if self.points[other] == level)

    def wins(self, player: str) -> float:
        """Matches won."""
        return float(self.tally[player, 1.0])
