"""The table of a tournament, from its results alone.

A win counts 1, a draw 1/2, a loss 0; a void match and one that neither player came to give nothing. A bye counts as
won in full. What ranks the players, the first counting first; who is level in all of it shares a rank:

| format                | ranked by                                                                     |
|-----------------------|-------------------------------------------------------------------------------|
| round-robin, gauntlet | points, head to head, Sonneborn-Berger, wins                                  |
| swiss, ladder         | points, Buchholz, Sonneborn-Berger, head to head                              |
| elimination           | rounds survived, points, wins                                                 |
| groups                | rounds of the bracket survived, place in the group, points, Sonneborn-Berger  |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from palestra_tournament.formats import bracket, group_places
from palestra_tournament.model import Tournament
from palestra_tournament.scores import Scores
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
    """What ranks the players besides the points, as names and values."""
    played: int
    wins: int
    draws: int
    losses: int
    byes: int
    rating: float | None = None
    rating_low: float | None = None
    rating_high: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    repeats: int = 0
    """Games that equal an earlier one move by move."""


@dataclass(frozen=True, slots=True)
class Crosstable:
    """`cells[i][j]`: what `players[i]` scored against `players[j]` as (points, matches); None on the diagonal."""

    players: tuple[str, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]


Criterion = Callable[[Scores, str], float]
_HEAD: Final = ("head to head", Scores.head_to_head)
_BERGER: Final = ("Sonneborn-Berger", Scores.sonneborn_berger)
_BUCHHOLZ: Final = ("Buchholz", Scores.buchholz)
_WINS: Final = ("wins", Scores.wins)
TIE_BREAKS: Final[Mapping[Format, tuple[tuple[str, Criterion], ...]]] = {
    "round-robin": (_HEAD, _BERGER, _WINS),
    "gauntlet": (_HEAD, _BERGER, _WINS),
    "swiss": (_BUCHHOLZ, _BERGER, _HEAD),
    "ladder": (_BUCHHOLZ, _BERGER, _HEAD),
    "elimination": (_WINS,),
    "groups": (_BERGER,),
}


def scores_of(t: Tournament) -> Scores:
    """The scores of everybody in the whole tournament."""
    return Scores(t.seeds, t.results.values(), t.byes)


def survived(t: Tournament) -> dict[str, float]:
    """Rounds of the bracket that each player won, those without an opponent included."""
    won = dict.fromkeys(t.seeds, 0.0)
    for ties in bracket(t):
        for tie in ties:
            if tie.winner is not None:
                won[tie.winner] += 1
    return won


def standings(t: Tournament) -> tuple[Row, ...]:
    """The table, best first; everyone who takes part is in it."""
    scores = scores_of(t)
    stage: list[tuple[str, dict[str, float]]] = []
    if t.spec.format in ("elimination", "groups"):
        stage.append(("rounds survived", survived(t)))
    if t.spec.format == "groups":
        stage.append(("place in the group", group_places(t)))
    values: dict[str, tuple[tuple[str, float], ...]] = {}
    merits: dict[str, tuple[float, ...]] = {}
    for name in t.seeds:
        before = [(label, reached.get(name, 0.0)) for label, reached in stage]
        after = [(label, criterion(scores, name)) for label, criterion in TIE_BREAKS[t.spec.format]]
        values[name] = (*before, *after)
        better = (-value if label == "place in the group" else value for label, value in before)
        merits[name] = (*better, scores.points[name], *(value for _, value in after))
    entrants = {entrant.name: entrant for entrant in t.entrants}
    byes = [bye.player for bye in t.byes]
    rows: list[Row] = []
    for position, name in enumerate(sorted(t.seeds, key=lambda name: ([-m for m in merits[name]], name)), start=1):
        level = bool(rows) and merits[rows[-1].player] == merits[name]
        wins, drawn, losses = (scores.tally[name, scored] for scored in (1.0, 0.5, 0.0))
        rows.append(
            Row(
                rank=rows[-1].rank if level else position,
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
                byes=byes.count(name),
            )
        )
    return tuple(rows)


def crosstable(t: Tournament) -> Crosstable:
    """Who scored what against whom, players in the order of the standings."""
    against = scores_of(t).against
    players = tuple(row.player for row in standings(t))
    return Crosstable(
        players, tuple(tuple(None if a == b else against[a].get(b, (0.0, 0)) for b in players) for a in players)
    )
