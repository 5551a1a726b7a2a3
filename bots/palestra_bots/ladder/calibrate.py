"""Calibration: how far must a level look, so that the one above it scores about two points of three against it?

From the top down: for each level the number of plies is fitted to batches of paired games against the level above (a
logistic curve over the plies, by Newton's method), then measured anew on openings that the fit has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from palestra_bots import levels, registry
from palestra_bots.bots import LevelBot
from palestra_bots.ladder.games import meet
from palestra_bots.registry import Factory
from palestra_client import Bot
from palestra_games import Game
from palestra_tournament.ratings import ELO, Z95, Matrix

TARGET: Final = 0.67
"""What a level should score against the one below; 0.60 to 0.70 is as wanted."""
BATCH: Final = 15
"""Openings of one batch of the fit; twice as many games."""
BATCHES: Final = 5
MAX_PLIES: Final = 14.0
"""The farthest that a level looks: it is to answer within tenths of a second."""
LEAST_PLIES: Final = 0.05
PRIOR_SLOPE: Final = 0.9
"""Log odds of a ply, before anything is known; it counts as PRIOR_GAMES games."""
PRIOR_GAMES: Final = 8.0
TRIES: Final = 3
"""Measurements of a level, with the plies corrected in between, before the nearest one is taken."""

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """What the level above scored: `pairs` are the points of each pair of games, 0 to 2."""

    plies: float | None
    pairs: Matrix

    @property
    def score(self) -> float:
        return float(self.pairs.mean()) / 2

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval: the pairs are independent, the two games of a pair are not."""
        return Z95 * float(self.pairs.std(ddof=1)) / 2 / math.sqrt(len(self.pairs))


def horizon(plies: float) -> Factory:
    """A level that is not in the table yet."""

    def candidate() -> Bot:
        return LevelBot(lambda _: plies)

    candidate.__name__ = f"{plies:.3f}"
    return candidate


def calibrate(
    game: Game, openings: Sequence[Sequence[int]], games: int, *, seed: int, move_s: float, report: Report
) -> tuple[levels.Level, ...]:
    """All eight levels of a game, level 1 first.

    The first third of the `openings` is for the fit, the rest for the measurement, which plays `games` games (an even
    number) between neighbours. Level 8 takes `move_s` seconds for a move. `report` is told of each step.
    """
    third = len(openings) // 3
    fitting, measuring = openings[:third], openings[third:]
    above: Factory = _full_strength(move_s)
    # Level 8 is the only one that takes its time: it is measured by a quarter of the games.
    steps: list[Measured] = []
    upper = MAX_PLIES
    for number in range(levels.COUNT - 1, 0, -1):
        count = games // 2 if number < levels.COUNT - 1 else games // 8
        plies = _fit(game, above, fitting, upper, f"{seed} fit {number}", report)
        tried: list[Measured] = []
        for again in range(TRIES):
            starts = [measuring[(index + again * count) % len(measuring)] for index in range(count)]
            scores = meet(game, (above, horizon(plies)), starts, seed=f"{seed} measure {number} {again}")
            tried.append(Measured(plies, scores.sum(axis=1)))
            report(f"level {number}: {plies:.2f} plies, beaten with {tried[-1].score:.3f} +- {tried[-1].error:.3f}")
            if abs(tried[-1].score - TARGET) <= 0.03:
                break
            plies = min(max(plies + (_odds(tried[-1].score) - _odds(TARGET)) / PRIOR_SLOPE, LEAST_PLIES), upper)
        steps.append(min(tried, key=lambda each: abs(each.score - TARGET)))
        assert steps[-1].plies is not None
        upper = steps[-1].plies
        above = horizon(upper)
    starts = [measuring[index % len(measuring)] for index in range(games // 2)]
    lowest = Measured(None, meet(game, (above, registry.random), starts, seed=f"{seed} random").sum(axis=1))
    report(f"level 1 scores {lowest.score:.3f} +- {lowest.error:.3f} against random")
    return _table(steps, lowest)


def _full_strength(move_s: float) -> Factory:
    def level8() -> Bot:
        return registry.mtdf(move_s=move_s)

    return level8


def _fit(
    game: Game, above: Factory, openings: Sequence[Sequence[int]], upper: float, seed: str, report: Report
) -> float:
    """The plies at which `above` scores TARGET, from batches of games at the best guess so far."""
    plies = max(upper - 1.0, upper / 2)
    tried: list[tuple[float, float]] = []
    for batch in range(BATCHES):
        starts = [openings[(batch * BATCH + index) % len(openings)] for index in range(BATCH)]
        scores = meet(game, (above, horizon(plies)), starts, seed=f"{seed} {batch}")
        tried.append((plies, float(scores.mean())))
        plies = min(max(_solved(tried, upper), LEAST_PLIES), upper)
    report(f"  fitted {plies:.2f} to " + ", ".join(f"{at:.2f}: {score:.2f}" for at, score in tried))
    return plies


def _solved(tried: Sequence[tuple[float, float]], upper: float) -> float:
    """Where the logistic curve through the batches crosses TARGET; score = 1 / (1 + exp(-(a - b (plies - upper))))."""
    at = np.array([plies - upper for plies, _ in tried])
    score = np.array([score for _, score in tried])
    weight = np.full(len(tried), 2.0 * BATCH)
    a, b = 0.0, PRIOR_SLOPE
    for _ in range(50):
        chance = 1 / (1 + np.exp(-(a - b * at)))
        slope = weight * (score - chance)
        curve = weight * chance * (1 - chance) + 1e-9
        gradient = np.array([slope.sum() - a * 0.5, (-at * slope).sum() - PRIOR_GAMES * (b - PRIOR_SLOPE)])
        hessian = np.array(
            [[curve.sum() + 0.5, (-at * curve).sum()], [(-at * curve).sum(), (at * at * curve).sum() + PRIOR_GAMES]]
        )
        change = np.linalg.solve(hessian, gradient)
        a, b = a + change[0], max(b + change[1], 0.05)
        if abs(change).max() < 1e-9:
            break
    return upper + float((a - _odds(TARGET)) / b)


def _odds(score: float) -> float:
    bounded = min(max(score, 0.02), 0.98)
    return math.log(bounded / (1 - bounded))


def _table(steps: Sequence[Measured], lowest: Measured) -> tuple[levels.Level, ...]:
    """`steps`: what levels 8, 7, ... 2 scored against the one below; `lowest`: level 1 against random."""
    found: list[levels.Level] = []
    elo, variance = 0.0, 0.0
    horizons = [step.plies for step in reversed(steps)] + [None]
    for number, (plies, step) in enumerate(zip(horizons, [lowest, *reversed(steps)], strict=True), start=1):
        if number > 1:
            elo += ELO * _odds(step.score)
            variance += (ELO * step.error / (step.score * (1 - step.score))) ** 2
        score, error = round(step.score, 4), round(step.error, 4)
        rounded = None if plies is None else round(plies, 3)
        found.append(levels.Level(rounded, score, error, 2 * len(step.pairs), round(elo), round(variance**0.5)))
    return tuple(found)
