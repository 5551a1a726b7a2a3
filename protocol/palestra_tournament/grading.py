"""Grades by the rubric in the tournament file, each with an explanation, line by line.

The lines are exported with the results: `verify` compares them, so changing one breaks old exports.
"""

from __future__ import annotations

from dataclasses import dataclass

from palestra_tournament.model import Result, Tournament
from palestra_tournament.scores import counted
from palestra_tournament.spec import BeatRule
from palestra_tournament.standings import Row, standings


@dataclass(frozen=True, slots=True)
class Grade:
    """`points` is between 0 and the rubric's maximum, rounded to hundredths; `lines` add up to it before clamping."""

    player: str
    group: str
    points: float
    lines: tuple[str, ...]


def grades(t: Tournament) -> tuple[Grade, ...]:
    """Everybody's grade, in the order of the standings; () without a rubric. Reference bots are left out."""
    if t.spec.grades.is_empty:
        return ()
    rows = [row for row in standings(t, rated=bool(t.spec.grades.rating)) if not row.reference]
    results = [result for result in counted(t.results.values(), t.rules) if result.reason != "void"]
    return tuple(_grade(t, results, row, 1 + sum(other.rank < row.rank for other in rows)) for row in rows)


def _grade(t: Tournament, all_results: list[Result], row: Row, place: int) -> Grade:
    """`place` is the rank without reference bots."""
    rubric = t.spec.grades
    results = [r for r in all_results if row.player in r.fixture.players]
    parts = [(rubric.base, "to begin with")] if rubric.base else []
    parts += [_beats(results, row.player, rule) for rule in rubric.beats]
    for rule in rubric.rating:
        reached = row.rating_low is not None and round(row.rating_low) >= rule.at_least
        found = "no rated game" if row.rating_low is None else f"rating at least {round(row.rating_low)} (95 %)"
        parts.append((rule.points if reached else 0.0, f"{found}, {rule.at_least} wanted"))
    if rubric.reliability:
        came = [r for r in results if r.reason != "walkover"]
        good = sum(not _failed(r, row.player) for r in came)
        share = good / len(came) if came else 0.0
        parts.append((rubric.reliability.points * share, f"{good} of {len(came)} matches without a fault or a crash"))
    if rubric.participation:
        # A walkover says nothing about whether the other player would have come.
        asked = [r for r in results if r.reason != "walkover" or _stayed_away(r, row.player)]
        came = [r for r in asked if not _stayed_away(r, row.player)]
        share = len(came) / len(asked) if asked else float(bool(results))
        parts.append((rubric.participation.points * share, f"came to {len(came)} of {len(asked)} matches"))
    for top in rubric.top:
        parts.append((top.points if place <= top.places else 0.0, f"place {place}, the first {top.places} count"))
    total = min(rubric.maximum, max(0.0, sum(points for points, _ in parts)))
    lines = tuple(f"{why}: {points:.4g}" for points, why in parts)
    return Grade(row.player, row.group, round(total, 2), lines)


def _beats(results: list[Result], player: str, rule: BeatRule) -> tuple[float, str]:
    met = [r for r in results if rule.level in r.fixture.players and rule.game in (None, r.fixture.game)]
    scored = sum(r.points[r.fixture.players.index(player)] for r in met)
    against = f"against {rule.level}" + (f" in {rule.game}" if rule.game else "")
    if not met:
        return 0.0, f"no match {against}"
    why = f"{scored:g} of {len(met)} points {against}, more than half wanted"
    return rule.points if scored > len(met) / 2 else 0.0, why


def _failed(result: Result, player: str) -> bool:
    """Whether it was lost by a fault or resigned, which is what the client does when a bot crashes."""
    seat = result.fixture.players.index(player)
    return result.at_fault[seat] or (result.reason == "resign" and result.points[seat] == 0)


def _stayed_away(result: Result, player: str) -> bool:
    seat = result.fixture.players.index(player)
    if result.reason == "walkover":
        return result.points[seat] == 0
    return result.reason == "not_ready" and result.at_fault[seat]
