"""The standings of a tournament, from its results alone.

A win counts 1, a draw 1/2, a loss 0; a void match, or one where neither player showed up, counts nothing, and neither
does a walkover for a player who never came to a match. A bye counts as a full win, unless its player never came.
Players are ranked by the criteria of the format, in order, and share a rank if they are level on all of them. Reference
bots come last, and have no rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from palestra_tournament.ended_early import before, counting
from palestra_tournament.model import Tournament
from palestra_tournament.rated import ratings, repeats
from palestra_tournament.scores import POINTS, Scores, counted, counted_byes


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings.

    Ratings are in Elo, with a 95 % interval; `rank_low` to `rank_high` is the 95 % interval of the rank by rating. All
    are None without a rated game. A reference bot has no ranks. `played` counts all results except byes and
    void matches.
    """

    rank: int | None
    player: str
    group: str
    reference: bool
    withdrawn: bool
    points: float
    tiebreaks: tuple[tuple[str, float], ...]  # the criteria besides points, as names and values
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
    repeats: int = 0  # games that repeat an earlier one move by move


@dataclass(frozen=True, slots=True)
class Crosstable:
    """`cells[i][j]`: what `players[i]` scored against `players[j]` as (points, matches); None on the diagonal."""

    players: tuple[str, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Everybody, best first, with the values that rank them; players with equal merits share a rank."""

    order: tuple[str, ...]
    scores: Scores
    values: Mapping[str, tuple[tuple[str, float], ...]]
    merits: Mapping[str, tuple[float, ...]]

    @property
    def ranks(self) -> dict[str, int]:
        ranks: dict[str, int] = {}
        last = None
        for position, name in enumerate(self.order, start=1):
            ranks[name] = ranks[last] if last is not None and self.merits[last] == self.merits[name] else position
            last = name
        return ranks


def ranking(t: Tournament) -> Ranking:
    """The ranking, which doesn't need ratings."""
    t = counting(t)
    results = t.results.values()
    scores = Scores(t.seeds, counted(results), counted_byes(t.byes, results))
    criteria = t.spec.format.criteria
    found = [criterion.values(t, scores) for criterion in criteria]
    values: dict[str, tuple[tuple[str, float], ...]] = {}
    merits: dict[str, tuple[float, ...]] = {}
    for name in t.seeds:
        figures = [(criterion, float(each.get(name, 0))) for criterion, each in zip(criteria, found, strict=True)]
        values[name] = tuple((criterion.label, figure) for criterion, figure in figures if criterion is not POINTS)
        better = (-figure if criterion.less_is_better else figure for criterion, figure in figures)
        merits[name] = (float(name not in t.references), *better)
    order = tuple(sorted(t.seeds, key=lambda name: ([-merit for merit in merits[name]], name)))
    return Ranking(order, scores, values, merits)


def standings(t: Tournament, *, rated: bool = True) -> tuple[Row, ...]:
    """The standings of everyone who takes part, best first.

    Most of the work is in the ratings (a second for 200 players): `rated=False` leaves them out.
    """
    t = counting(t)
    ranked = ranking(t)
    entrants = {entrant.name: entrant for entrant in t.entrants}
    byes = Counter(bye.player for bye in t.byes)
    again = Counter(name for identifier in repeats(t.results) for name in t.by_id[identifier].players)
    found = ratings(t).players if rated else {}
    rows: list[Row] = []
    for name, rank in ranked.ranks.items():
        wins, drawn, losses = (ranked.scores.tally[name, scored] for scored in (1.0, 0.5, 0.0))
        rating = found.get(name)
        rows.append(
            Row(
                rank=None if entrants[name].reference else rank,
                player=name,
                group=entrants[name].group,
                reference=entrants[name].reference,
                withdrawn=name in t.withdrawn,
                points=ranked.scores.points[name],
                tiebreaks=ranked.values[name],
                played=wins + drawn + losses,
                wins=wins,
                draws=drawn,
                losses=losses,
                byes=byes[name],
                rating=None if rating is None else rating.elo,
                rating_low=None if rating is None else rating.low,
                rating_high=None if rating is None else rating.high,
                rank_low=None if rating is None else rating.rank_low,
                rank_high=None if rating is None else rating.rank_high,
                repeats=again[name],
            )
        )
    return tuple(rows)


def earlier_ranks(t: Tournament) -> dict[str, int]:
    """Everybody's rank before the latest round that has a result; nobody's in the first round."""
    latest = max((result.fixture.round for result in t.results.values()), default=1)
    earlier = before(t, latest)
    return ranking(earlier).ranks if earlier.results else {}


def first_loss_of_leader(t: Tournament, match: str) -> str | None:
    """Who lost this match, if until then that player had lost none, and alone had most points before its round."""
    ended = next((result for result in t.results.values() if result.match == match), None)
    if ended is None or sum(ended.points) != 1 or 0 not in ended.points:
        return None
    loser = ended.fixture.players[ended.points.index(0)]
    lost = (
        loser in each.fixture.players
        and each.at_ms < ended.at_ms
        and (each.points[each.fixture.players.index(loser)], sum(each.points)) == (0, 1)
        for each in t.results.values()
    )
    if loser in t.references or any(lost):
        return None
    earlier = before(t, ended.fixture.round)
    points = Scores(t.seeds, earlier.results.values(), earlier.byes).points
    others = [points[name] for name in t.seeds if name != loser and name not in t.references]
    return loser if points[loser] > max(others, default=0) else None


def crosstable(t: Tournament) -> Crosstable:
    """Who scored what against whom, in the order of the standings."""
    ranked = ranking(t)
    against = ranked.scores.against
    return Crosstable(
        ranked.order,
        tuple(tuple(None if a == b else against[a].get(b, (0.0, 0)) for b in ranked.order) for a in ranked.order),
    )
