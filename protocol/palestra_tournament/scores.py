"""What everybody scored, counted once for all tie-breaks (FIDE Handbook C.07 for their names)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from palestra_tournament.model import Bye, Result


class Scores:
    """Points of `players` in these results. A void match counts for nothing, a bye as the points it gives."""

    def __init__(self, players: Iterable[str], results: Iterable[Result], byes: Iterable[Bye] = ()) -> None:
        self.points = dict.fromkeys(players, 0.0)
        # How often a player scored 1, 1/2 and 0.
        self.tally: Counter[tuple[str, float]] = Counter()
        # (points, matches) of a player against another.
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
        """The points of everyone met, once for each match."""
        return sum(self.points[other] * matches for other, (_, matches) in self.against[player].items())

    def sonneborn_berger(self, player: str) -> float:
        """The points of everyone met, times what was scored against them."""
        return sum(self.points[other] * points for other, (points, _) in self.against[player].items())

    def head_to_head(self, player: str) -> float:
        """What was scored against those who have as many points."""
        level = self.points[player]
        return sum(points for other, (points, _) in self.against[player].items() if self.points[other] == level)

    def wins(self, player: str) -> float:
        """Matches won."""
        return float(self.tally[player, 1.0])
