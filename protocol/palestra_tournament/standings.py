"""The table of a tournament, from its results alone.

A win counts 1, a draw 1/2, a loss 0; a void match and one that neither player came to give nothing. A bye counts as
won in full. Players level on points are ranked by the tie-breaks of their format, and share a rank if they are
level in all of them (FIDE Handbook C.07 for the names):

| format                       | tie-breaks                                          |
|------------------------------|-----------------------------------------------------|
| round-robin, gauntlet        | head to head, Sonneborn-Berger, wins                |
| swiss, ladder                | Buchholz, Sonneborn-Berger, head to head            |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from palestra_tournament.model import Tournament
from palestra_tournament.spec import Format


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings.

    `rank_low` to `rank_high` are the ranks that the player may truly have (95 %), by the ratings, which are in Elo
    with their 95 % interval; None without a game to rate. `played` counts every result but byes and void matches.
    """

    rank: int
    player: str
    group: str
    reference: bool
    withdrawn: bool
    points: float
    tiebreaks: tuple[tuple[str, float], ...]
    """Names and values, the first counting first."""
    played: int
    wins: int
    draws: int
    losses: int
    byes: int
    rating: float | None = None
    rating_low: float | None = None
    rating_high: float | None = None
    rank_low: int = 0
    rank_high: int = 0
    repeats: int = 0
    """Games that equal an earlier one move by move."""


@dataclass(frozen=True, slots=True)
class Crosstable:
    """`cells[i][j]`: what `players[i]` scored against `players[j]` as (points, matches); None on the diagonal."""

    players: tuple[str, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]


class Scores:
    """What everybody scored, counted once for all tie-breaks."""

    def __init__(self, t: Tournament) -> None:
        self.results = [result for result in t.results.values() if result.reason != "void"]
        self.points = dict.fromkeys(t.seeds, 0.0)
        self.tally: Counter[tuple[str, str]] = Counter()
        self.against: dict[tuple[str, str], tuple[float, int]] = {}
        self.byes = Counter(bye.player for bye in t.byes)
        for bye in t.byes:
            self.points[bye.player] += bye.points
        for result in self.results:
            for seat, player in enumerate(result.fixture.players):
                scored = result.points[seat]
                other = result.fixture.players[1 - seat]
                self.points[player] += scored
                self.tally[player, "draws" if scored == 0.5 else "wins" if scored else "losses"] += 1
                points, matches = self.against.get((player, other), (0.0, 0))
                self.against[player, other] = (points + scored, matches + 1)

    def buchholz(self, player: str) -> float:
        """The points of everyone met, once for each match."""
        return sum(self.points[b] * matches for (a, b), (_, matches) in self.against.items() if a == player)

    def sonneborn_berger(self, player: str) -> float:
        """The points of everyone met, times what was scored against them."""
        return sum(self.points[b] * points for (a, b), (points, _) in self.against.items() if a == player)

    def wins(self, player: str) -> float:
        """Matches won."""
        return float(self.tally[player, "wins"])

    def head_to_head(self, player: str) -> float:
        """What was scored against those who have as many points."""
        level = self.points[player]
        return sum(points for (a, b), (points, _) in self.against.items() if a == player and self.points[b] == level)


TieBreak = Callable[[Scores, str], float]
_HEAD: Final = ("head to head", Scores.head_to_head)
_BERGER: Final = ("Sonneborn-Berger", Scores.sonneborn_berger)
_BUCHHOLZ: Final = ("Buchholz", Scores.buchholz)
_WINS: Final = ("wins", Scores.wins)
TIE_BREAKS: Final[Mapping[Format, tuple[tuple[str, TieBreak], ...]]] = {
    "round-robin": (_HEAD, _BERGER, _WINS),
    "gauntlet": (_HEAD, _BERGER, _WINS),
    "swiss": (_BUCHHOLZ, _BERGER, _HEAD),
    "ladder": (_BUCHHOLZ, _BERGER, _HEAD),
    "elimination": (_WINS,),
    "groups": (_HEAD, _BERGER, _WINS),
}


def standings(t: Tournament) -> tuple[Row, ...]:
    """The table, best first; everyone who takes part is in it."""
    scores = Scores(t)
    breaks = TIE_BREAKS[t.spec.format]
    values = {name: tuple((label, tie_break(scores, name)) for label, tie_break in breaks) for name in t.seeds}

    def merit(name: str) -> tuple[float, ...]:
        return scores.points[name], *(value for _, value in values[name])

    entrants = {entrant.name: entrant for entrant in t.entrants}
    rows: list[Row] = []
    for place, name in enumerate(sorted(t.seeds, key=lambda name: ([-m for m in merit(name)], name)), start=1):
        level = bool(rows) and merit(rows[-1].player) == merit(name)
        wins, drawn, losses = (scores.tally[name, kind] for kind in ("wins", "draws", "losses"))
        rows.append(
            Row(
                rank=rows[-1].rank if level else place,
                player=name,
                group=entrants[name].group,
                reference=entrants[name].reference,
                withdrawn=name in t.withdrawn,
                points=scores.points[name],
                tiebreaks=values[name],
                played=wins + drawn + losses,
                wins=wins,
                draws=drawn,
                losses=losses,
                byes=scores.byes[name],
            )
        )
    return tuple(rows)


def crosstable(t: Tournament) -> Crosstable:
    """Who scored what against whom, players in the order of the standings."""
    against = Scores(t).against
    players = tuple(row.player for row in standings(t))
    return Crosstable(
        players,
        tuple(tuple(None if a == b else against.get((a, b), (0.0, 0)) for b in players) for a in players),
    )
