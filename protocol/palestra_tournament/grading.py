"""Grades by the rubric in the tournament file, each with the numbers that it is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from palestra_tournament.ended_early import counting
from palestra_tournament.model import Result, Tournament
from palestra_tournament.scores import counted
from palestra_tournament.spec import BeatRule
from palestra_tournament.standings import Row, standings


class Part(NamedTuple):
    """The points by one rule, such as "beats level1" or "reliability", and what was counted for it, by name."""

    rule: str
    points: float
    counted: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Grade:
    """`points` is between 0 and the rubric's maximum, rounded to hundredths; `parts` add up to it before clamping."""

    player: str
    group: str
    points: float
    parts: tuple[Part, ...]


def grades(t: Tournament) -> tuple[Grade, ...]:
    """Everybody's grade, in the order of the standings; () without a rubric. Reference bots are left out."""
    if t.spec.grades.is_empty:
        return ()
    t = counting(t)
    rows = [row for row in standings(t, rated=bool(t.spec.grades.rating)) if not row.reference]
    results = [result for result in counted(t.results.values()) if result.reason != "void"]
    return tuple(_grade(t, results, row, row.rank or 0) for row in rows)


def _grade(t: Tournament, all_results: list[Result], row: Row, place: int) -> Grade:
    rubric = t.spec.grades
    results = [r for r in all_results if row.player in r.fixture.players]
    parts = [Part("base", rubric.base, {})] if rubric.base else []
    parts += [_beats(results, row.player, rule) for rule in rubric.beats]
    for rule in rubric.rating:
        low = None if row.rating_low is None else round(row.rating_low)
        reached = low is not None and low >= rule.at_least
        parts.append(Part(f"rating {rule.at_least}", rule.points if reached else 0.0, {"low": low}))
    if rubric.reliability:
        came = [r for r in results if r.reason != "walkover"]
        good = sum(not r.failed(row.player) for r in came)
        share = good / len(came) if came else 0.0
        matches = {"good": good, "matches": len(came)}
        parts.append(Part("reliability", rubric.reliability.points * share, matches))
    if rubric.participation:
        # A walkover says nothing about whether the other player would have come.
        asked = [r for r in results if r.reason != "walkover" or _stayed_away(r, row.player)]
        lost = Counter(r.reason for r in asked if r.failed(row.player))
        absent = sum(_stayed_away(r, row.player) for r in asked)
        share = (len(asked) - absent) / len(asked) if asked else float(bool(results))
        matches = {"came": len(asked) - absent, "late": lost["timeout"], "crashed": lost["resign"] + lost["disconnect"]}
        matches |= {"absent": absent, "matches": len(asked)}
        parts.append(Part("participation", rubric.participation.points * share, matches))
    for top in rubric.top:
        parts.append(Part(f"top {top.places}", top.points if place <= top.places else 0.0, {"place": place}))
    total = min(rubric.maximum, max(0.0, sum(part.points for part in parts)))
    return Grade(row.player, row.group, round(total, 2), tuple(parts))


def _beats(results: list[Result], player: str, rule: BeatRule) -> Part:
    met = [r for r in results if rule.level in r.fixture.players and rule.game in (None, r.fixture.game)]
    scored = sum(r.points[r.fixture.players.index(player)] for r in met)
    against = f"beats {rule.level}" + (f" {rule.game}" if rule.game else "")
    return Part(against, rule.points if scored > len(met) / 2 else 0.0, {"scored": scored, "matches": len(met)})


def _stayed_away(result: Result, player: str) -> bool:
    seat = result.fixture.players.index(player)
    if result.reason == "walkover":
        return result.points[seat] == 0
    return result.reason == "not_ready" and result.at_fault[seat]
