"""Two versions of one bot, compared by the results of their matches.

Paired, as far as both played the same opening from the same seat against the same bot: the differences leave out what
is hard about each of these. Without enough of them, the scores of all matches are compared, whoever the opponents were.

Sources: A. Agresti and Y. Min, "Simple improved confidence intervals for comparing matched proportions" (2005), whose
two pseudo-observations keep an interval from collapsing when all differences are equal; R. Newcombe, "Interval
estimation for the difference between independent proportions" (1998), method 10, on Wilson's intervals.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

Z: Final = 1.959963984540054  # two-sided 95 % quantile of the normal distribution
PAIRS_MIN: Final = 8  # with fewer, all matches say more than the pairs do


class VersionResult(NamedTuple):
    """A match of one version: its score (1, 1/2 or 0) and its `setting`: game, opening, seat, opponent."""

    setting: Hashable
    score: float


class Scored(NamedTuple):
    """A mean score, 0 to 1, of so many matches, with its 95 % interval."""

    matches: int
    score: float
    low: float
    high: float


class Compared(NamedTuple):
    """By how much the newer version scores more a match (-1 to 1), with a 95 % interval; `pairs`: the settings that
    both played; `paired`: whether the difference is of these alone.
    """

    difference: float
    low: float
    high: float
    pairs: int
    paired: bool


class Parting(NamedTuple):
    """The first position, reached by the actions before `ply`, in which two matches of two versions part."""

    ply: int
    older: int
    newer: int
    older_match: str
    newer_match: str


def scored(scores: Sequence[float]) -> Scored:
    """Wilson's interval, for one score or more."""
    count, mean = len(scores), fmean(scores)
    centre = (mean + Z**2 / (2 * count)) / (1 + Z**2 / count)
    half = Z / (1 + Z**2 / count) * math.sqrt(mean * (1 - mean) / count + Z**2 / (4 * count**2))
    return Scored(count, mean, max(0.0, centre - half), min(1.0, centre + half))


def compare(older: Sequence[VersionResult], newer: Sequence[VersionResult]) -> Compared:
    """Each has one match or more."""
    before, after = _by_setting(older), _by_setting(newer)
    differences = [after[setting] - before[setting] for setting in before.keys() & after.keys()]
    pairs = len(differences)
    if pairs >= PAIRS_MIN:
        # With a pseudo-pair for each version, of half a weight each.
        mean = sum(differences) / (pairs + 1)
        variance = (sum(each**2 for each in differences) + 1) / (pairs + 1) - mean**2
        half = _t(pairs) * math.sqrt(variance / (pairs + 1))
        return Compared(fmean(differences), max(-1.0, mean - half), min(1.0, mean + half), pairs, True)
    one, two = scored([each.score for each in older]), scored([each.score for each in newer])
    difference = two.score - one.score
    low = difference - math.hypot(two.score - two.low, one.high - one.score)
    high = difference + math.hypot(two.high - two.score, one.score - one.low)
    return Compared(difference, low, high, pairs, False)


def _by_setting(results: Iterable[VersionResult]) -> Mapping[Hashable, float]:
    found: defaultdict[Hashable, list[float]] = defaultdict(list)
    for each in results:
        found[each.setting].append(each.score)
    return {setting: fmean(scores) for setting, scores in found.items()}


def _t(freedom: int) -> float:
    """Student's two-sided 95 % quantile; its expansion in 1/freedom is right to 0.01 from 5 on."""
    return Z + (Z**3 + Z) / (4 * freedom) + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * freedom**2)


def parting(
    older: Iterable[tuple[str, Sequence[int], Collection[int]]],
    newer: Iterable[tuple[str, Sequence[int], Collection[int]]],
) -> Parting | None:
    """Where the versions first do something else in the same position, reached by the same moves: in matches of one
    game, each with its id, all its actions, and the plies that were the player's own. None if they nowhere do.
    """
    known: dict[tuple[int, ...], tuple[int, str]] = {}
    for match, actions, own in older:
        for ply in own:
            known.setdefault(tuple(actions[:ply]), (actions[ply], match))
    found: list[Parting] = []
    for match, actions, own in newer:
        for ply in sorted(own):
            action, before = known.get(tuple(actions[:ply]), (actions[ply], ""))
            if action != actions[ply]:
                found.append(Parting(ply, action, actions[ply], before, match))
                break
    return min(found, key=lambda each: each.ply, default=None)
