"""Calibration: how far must a level look, so that the one above it scores about two points of three against it?

From the top down: for each level the number of plies is fitted to batches of paired games against the level above (a
logistic curve over the plies, by Newton's method), then measured on fresh openings. No clock is read: level 8 is
limited by nodes, the others by plies, so the same seed gives the same table on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from palestra_bots import levels, registry
from palestra_bots.bots import LevelBot
from palestra_bots.ladder.games import meet
from palestra_bots.levels import Ladder, Level
from palestra_bots.registry import Factory
from palestra_client import Bot
from palestra_games import Game
from palestra_tournament.davidson import ELO, Z95, Floats

WANTED: Final = (0.60, 0.70)  # what a level may score against the one below
BATCH: Final = 20  # openings of one batch of the fit; twice as many games
BATCHES: Final = 6
MAX_PLIES: Final = 14.0  # the farthest that a level looks: it should answer within tenths of a second
LEAST_PLIES: Final = 0.05
PRIOR_SLOPE: Final = 0.9  # log odds of a ply, before anything is known; it counts as PRIOR_GAMES games
PRIOR_GAMES: Final = 8.0
TRIES: Final = 4  # measurements of a level, each one added to the fit, before the nearest to the target is taken

Report = Callable[[str], None]
Openings = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Measured:
    """What one player scored: `pairs` are the points of each pair of games, 0 to 2.

    Pair i was played from opening i modulo `openings`; by default each has its own.
    """

    plies: float | None
    pairs: Floats
    openings: int | None = None

    @property
    def score(self) -> float:
        return float(self.pairs.mean()) / 2

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval: openings are independent, the games of one opening are not."""
        count = len(self.pairs)
        opening = np.arange(count) % (self.openings or count)
        sums = np.bincount(opening, self.pairs - self.pairs.mean())
        return Z95 * math.sqrt(float((sums**2).sum()) * len(sums) / (len(sums) - 1)) / (2 * count)


def horizon(plies: float) -> Factory:
    """Makes a level that is not in the table yet."""

    def candidate() -> Bot:
        return LevelBot(lambda _: plies)

    candidate.__name__ = f"{plies:.3f}"
    return candidate


class Calibration:
    """For one game. A third of the `openings` is for the fit, the others for the measurements.

    Those are of `games` games each (an even number). Level 8 searches `nodes` nodes for a move. `report` is called with
    each step.
    """

    def __init__(
        self, game: Game, openings: Openings, games: int, *, seed: int, nodes: int, target: float, report: Report
    ) -> None:
        third = len(openings) // 3
        self.fitting, self.measuring = openings[:third], openings[third:]
        self.game, self.games, self.seed, self.nodes, self.target = game, games, seed, nodes, target
        self.report = report

    def run(self, known: Mapping[int, float]) -> Ladder:
        """The ladder. `known` has plies of some levels, which are kept where these score as wanted."""
        above = self._full_strength
        steps: list[Measured] = []
        upper = MAX_PLIES
        for number in range(levels.COUNT - 1, 0, -1):
            steps.append(self._step(number, above, upper, known.get(number)))
            assert steps[-1].plies is not None
            upper = steps[-1].plies
            above = horizon(upper)
        lowest = self._measure(above, registry.random, None, "random")
        self.report(f"level 1 scores {_text(lowest)} against random")
        careful = self._measure(registry.careful, above, None, "careful")
        self.report(f"careful scores {_text(careful)} against level 1")
        if careful.score - careful.error <= 0.5:
            self.report("Level 1 does not lose to a careful beginner; a greater --target puts it lower.")
        return Ladder(self.nodes, careful.score, careful.error, 2 * len(careful.pairs), _table(steps, lowest))

    def _full_strength(self) -> Bot:
        return registry.mtdf(nodes=self.nodes)

    def _step(self, number: int, above: Factory, upper: float, known: float | None) -> Measured:
        """Level `number`: as it is if that will do, else fitted."""
        batches: list[Batch] = []
        plies = known if known is not None and known <= upper else self._fit(batches, number, above, upper)
        tried: list[Measured] = []
        while len(tried) < TRIES:
            found = self._measure(above, horizon(plies), plies, f"measure {number} {len(tried)}")
            tried.append(found)
            self.report(f"level {number}: {plies:.2f} plies, beaten with {_text(found)}")
            if WANTED[0] <= found.score <= WANTED[1]:
                return found
            if not batches:
                plies = self._fit(batches, number, above, upper)
            batches.append(Batch(found.plies or 0.0, found.score, 2 * len(found.pairs)))
            plies = _solved(batches, upper, self.target)
        return min(tried, key=lambda each: abs(each.score - self.target))

    def _measure(self, above: Factory, below: Factory, plies: float | None, label: str) -> Measured:
        starts = [self.measuring[index % len(self.measuring)] for index in range(self.games // 2)]
        scores = meet(self.game, (above, below), starts, seed=f"{self.seed} {label}")
        return Measured(plies, scores.sum(axis=1), min(len(starts), len(self.measuring)))

    def _fit(self, batches: list[Batch], number: int, above: Factory, upper: float) -> float:
        """The plies at which `above` scores the target, from `batches` of games at the best guess so far."""
        plies = max(upper - 1.0, upper / 2)
        for batch in range(BATCHES):
            starts = [self.fitting[(batch * BATCH + index) % len(self.fitting)] for index in range(BATCH)]
            scores = meet(self.game, (above, horizon(plies)), starts, seed=f"{self.seed} fit {number} {batch}")
            batches.append(Batch(plies, float(scores.mean()), scores.size))
            plies = _solved(batches, upper, self.target)
        tried = ", ".join(f"{each.plies:.2f}: {each.score:.2f}" for each in batches)
        self.report(f"  fitted {plies:.2f} to {tried}")
        return plies


@dataclass(frozen=True, slots=True)
class Batch:
    """What the level above scored in `games` games against one that looks `plies` ahead."""

    plies: float
    score: float
    games: int


def _solved(batches: Sequence[Batch], upper: float, target: float) -> float:
    """Where the logistic curve through the batches crosses `target`.

    score = 1 / (1 + exp(-(a - b (plies - upper))))
    """
    at = np.array([batch.plies - upper for batch in batches])
    score = np.array([batch.score for batch in batches])
    weight = np.array([float(batch.games) for batch in batches])
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
    return round(min(max(upper + float((a - _odds(target)) / b), LEAST_PLIES), upper), 3)


def _bounded(score: float) -> float:
    """A score that has finite odds, also after a clean sweep."""
    return min(max(score, 0.02), 0.98)


def _odds(score: float) -> float:
    return math.log(_bounded(score) / (1 - _bounded(score)))


def _text(measured: Measured) -> str:
    return f"{measured.score:.3f} +- {measured.error:.3f}"


def _table(steps: Sequence[Measured], lowest: Measured) -> tuple[Level, ...]:
    """`steps`: what levels 8, 7, ... 2 scored against the one below; `lowest`: level 1 against random."""
    found: list[Level] = []
    elo, variance = 0.0, 0.0
    horizons = [step.plies for step in reversed(steps)] + [None]
    for number, (plies, step) in enumerate(zip(horizons, [lowest, *reversed(steps)], strict=True), start=1):
        if number > 1:
            elo += ELO * _odds(step.score)
            variance += (ELO * step.error / (_bounded(step.score) * (1 - _bounded(step.score)))) ** 2
        score, error = round(step.score, 4), round(step.error, 4)
        found.append(Level(plies, score, error, 2 * len(step.pairs), round(elo), round(variance**0.5)))
    return tuple(found)
