"""The standings and grades of a season, from the tournaments as they stand.

Ratings and ranges of ranks count all rated games of the season alike, so they carry over from one tournament to the
next, and into its seeding if the file says so; a game that repeats an earlier one of the season adds nothing, as within
a tournament.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from palestra_tournament.csv_tables import csv_text, grades_table
from palestra_tournament.ended_early import counting
from palestra_tournament.grading import Grade, Part
from palestra_tournament.model import Carried, Earlier, Result, Tournament
from palestra_tournament.rated import Rating, rated_games, repeats
from palestra_tournament.scores import Presence, counted
from palestra_tournament.season import Season
from palestra_tournament.standings import standings

FULL = 100.0  # what the first place of a tournament of weight 1 is worth
# The tournaments of a season in the order of its file; None for one that has not begun.
Played: TypeAlias = Sequence[Tournament | None]


class LegScore(NamedTuple):
    """What a tournament is worth to a student: the place among the `students`, the points in it, its `score` (0 for who
    came to none of its matches), and whether that is among the best, which count.
    """

    place: int
    students: int
    points: float
    came: bool
    score: float
    counts: bool


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """A line of the standings. `legs` are those of the tournaments in order, None for one in which the student is not.

    The ratings are as in a tournament (`standings.Row`), from all matches of the season.
    """

    rank: int
    player: str
    group: str
    total: float
    legs: tuple[LegScore | None, ...]
    played: int
    wins: int
    draws: int
    losses: int
    rating: Rating | None


def season_standings(season: Season, played: Played) -> tuple[SeasonRow, ...]:
    """Everybody who is in one of the tournaments, best first; reference bots are left out."""
    played = [None if t is None else counting(t) for t in played]
    begun = [t for t in played if t is not None]
    named = [season.names(t) for t in begun]
    groups = {
        names.get(one.name, one.name): one.group
        for t, names in zip(begun, named, strict=True)
        for one in t.entrants
        if not one.reference
    }
    scored = [
        {} if t is None else _scores(season, t, leg.weight) for t, leg in zip(played, season.tournaments, strict=True)
    ]
    legs = {name: _best(season.counting, [each.get(name) for each in scored]) for name in groups}
    # Rounded, so that equal totals are equal whichever thirds they are made of.
    totals = {name: round(sum((leg.score for leg in legs[name] if leg and leg.counts), 0.0), 6) for name in groups}
    tally = Counter(
        (names.get(name, name), points)
        for t, names in zip(begun, named, strict=True)
        for result in counted(t.results.values())
        if result.reason != "void"
        for name, points in zip(result.fixture.players, result.points, strict=True)
    )
    ratings = season_ratings(begun, named) if season.ratings == "all" else {}
    above = Counter(totals.values())
    rows = []
    for name in sorted(groups, key=lambda each: (-totals[each], each)):
        wins, draws, losses = (tally[name, points] for points in (1.0, 0.5, 0.0))
        rank = 1 + sum(count for total, count in above.items() if total > totals[name])
        group, total = groups[name], totals[name]
        played_in_all = wins + draws + losses
        rows.append(
            SeasonRow(rank, name, group, total, legs[name], played_in_all, wins, draws, losses, ratings.get(name))
        )
    return tuple(rows)


def _scores(season: Season, t: Tournament, weight: float) -> dict[str, LegScore]:
    rows = [row for row in standings(t, rated=False) if not row.reference]
    level = Counter(row.rank or 0 for row in rows)  # only reference bots have none
    came, names = Presence.of(t.results.values()).came, season.names(t)
    found: dict[str, LegScore] = {}
    for row in rows:
        mine = level[row.rank or 0]
        above = sum(count for rank, count in level.items() if rank < (row.rank or 0))
        behind = len(rows) - above - mine
        if row.player not in came:
            score = 0.0
        elif season.scoring == "points":
            score = weight * row.points
        elif len(rows) == 1:
            score = weight * FULL
        else:
            score = weight * FULL * (behind + (mine - 1) / 2) / (len(rows) - 1)
        found[names.get(row.player, row.player)] = LegScore(
            1 + above, len(rows), row.points, row.player in came, score, False
        )
    return found


def _best(count: int, legs: Sequence[LegScore | None]) -> tuple[LegScore | None, ...]:
    """These, with the `count` best marked as those that count; of equal ones the earlier."""
    there = sorted((-leg.score, at) for at, leg in enumerate(legs) if leg is not None)
    best = {at for _, at in there[:count]}
    return tuple(None if leg is None else leg._replace(counts=at in best) for at, leg in enumerate(legs))


def season_ratings(begun: Sequence[Tournament], named: Sequence[Mapping[str, str]] = ()) -> Mapping[str, Rating]:
    """From all rated games of these tournaments, none twice; the ranks are among the students.

    `named`: who has another name than in the tournament, for each of them.
    """
    named = named or [{}] * len(begun)
    results = {
        (number, fixture): _renamed(result, named[number])
        for number, t in enumerate(begun)
        for fixture, result in t.results.items()
    }
    counted = sorted(results.keys() - repeats(results))
    return rated_games(
        [(results[key], (key[0], results[key].fixture.pair)) for key in counted if results[key].rated],
        names=_once(names.get(name, name) for t, names in zip(begun, named, strict=True) for name in t.seeds),
        kinds=_once(game for t in begun for game in t.spec.games),
        references=_once(name for t in begun for name in t.spec.reference),
        seed=begun[0].seed if begun else 0,
    ).players


def _renamed(result: Result, names: Mapping[str, str]) -> Result:
    first, second = result.fixture.players
    if first not in names and second not in names:
        return result
    players = names.get(first, first), names.get(second, second)
    return replace(result, fixture=result.fixture._replace(players=players))


def carry_over(season: str, earlier: Sequence[tuple[Tournament, int]], names: Iterable[str]) -> Carried:
    """What these tournaments, each with the number of its events, carry over to the one that these names enter."""
    rated = season_ratings([counting(t) for t, _ in earlier])
    counts = tuple(Earlier(t.spec.name, events) for t, events in earlier)
    return Carried(season, counts, {name: round(rated[name].elo) for name in names if name in rated})


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def season_grades(season: Season, played: Played) -> tuple[Grade, ...]:
    """Everybody's grade by the season's rubric, in the order of its standings; () without a rubric."""
    rubric = season.grades
    if rubric.is_empty:
        return ()
    begun = sum(t is not None for t in played)
    weights = sorted((leg.weight for leg in season.tournaments), reverse=True)[: season.counting]
    highest = sum((weight * FULL for weight in weights), 0.0)
    found = []
    for row in season_standings(season, played):
        parts = [Part("base", rubric.base, {})] if rubric.base else []
        if rubric.score:
            points = rubric.score.points * (row.total / highest)
            parts.append(Part("score", points, {"total": row.total, "highest": highest}))
        if rubric.participation:
            came = sum(leg is not None and leg.came for leg in row.legs)
            share = came / begun if begun else 0.0
            parts.append(Part("participation", rubric.participation.points * share, {"came": came, "begun": begun}))
        for rule in rubric.rating:
            low = None if row.rating is None else round(row.rating.low)
            reached = low is not None and low >= rule.at_least
            parts.append(Part(f"rating {rule.at_least}", rule.points if reached else 0.0, {"low": low}))
        for top in rubric.top:
            points = top.points if row.rank <= top.places else 0.0
            parts.append(Part(f"top {top.places}", points, {"place": row.rank}))
        total = min(rubric.maximum, max(0.0, sum(part.points for part in parts)))
        found.append(Grade(row.player, row.group, round(total, 2), tuple(parts)))
    return tuple(found)


def season_standings_csv(season: Season, played: Played) -> str:
    """Of each tournament the score, and whether it counts; empty for who isn't in it."""
    header = ["rank", "rank low", "rank high", "player", "group", "total"]
    for leg in season.tournaments:
        header += [leg.name, f"{leg.name} counts"]
    header += ["rating", "rating low", "rating high", "played", "wins", "draws", "losses"]
    lines: list[list[object]] = []
    for row in season_standings(season, played):
        of = row.rating
        line: list[object] = [row.rank, of and of.rank_low, of and of.rank_high, row.player, row.group, row.total]
        for leg_score in row.legs:
            line += [None, None] if leg_score is None else [leg_score.score, int(leg_score.counts)]
        line += [None] * 3 if of is None else [round(of.elo), round(of.low), round(of.high)]
        lines.append([*line, row.played, row.wins, row.draws, row.losses])
    return csv_text(header, lines)


def season_grades_csv(season: Season, played: Played) -> str:
    return grades_table(season_grades(season, played))
