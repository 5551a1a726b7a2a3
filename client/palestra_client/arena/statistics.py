"""Strength estimates from match results: score, confidence interval, Elo difference, and a sequential test.

Matches come in pairs: the same opening twice, with the seats swapped. The two results of a pair are correlated (an
opening may be winning for whoever moves first), so the unit is the pair: its five outcomes, 0 to 2 points in steps of
a half, form the "pentanomial" model of engine testing. If there are only single matches, the three results of a match
are used in the same way.

Sources: M. Van den Bergh, "A Practical Introduction to the GSPRT" and "Comments on Normalized Elo"; the statistics of
fishtest, which tests Stockfish; A. Wald, "Sequential Tests of Statistical Hypotheses" (1945).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Z_95 = 1.959963984540054  # two-sided 95 % quantile of the normal distribution
SMALLEST = 1e-3  # replaces a count of 0, so that an outcome not seen yet isn't treated as impossible (as in fishtest)


@dataclass(frozen=True, slots=True)
class Estimate:
    """One player's mean score against another, 0 to 1, with its 95 % confidence interval."""

    score: float
    low: float
    high: float

    @property
    def elo(self) -> tuple[float, float, float]:
        return elo(self.score), elo(self.low), elo(self.high)


def elo(score: float) -> float:
    """The Elo difference that predicts this mean score (logistic model)."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def expected(difference: float) -> float:
    """The mean score predicted by this Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))


def estimate(units: Iterable[float]) -> Estimate | None:
    """Estimate from the mean scores of the units (pairs or single matches), each 0 to 1; None if there are none.

    Uses the Wilson score interval, with the number of units scaled by their observed variance. It stays within 0 to 1,
    and doesn't collapse when all results are equal.
    """
    scores = list(units)
    count = len(scores)
    if not count:
        return None
    mean = sum(scores) / count
    variance = sum((score - mean) ** 2 for score in scores) / count
    binomial = mean * (1 - mean)
    # Effective sample size: how many coin flips have the same standard error. Pairs and draws vary less than coins.
    coins = count * binomial / variance if variance > 0 and binomial > 0 else count
    centre = (mean + Z_95**2 / (2 * coins)) / (1 + Z_95**2 / coins)
    half = Z_95 / (1 + Z_95**2 / coins) * math.sqrt(binomial / coins + Z_95**2 / (4 * coins**2))
    # If all units are losses or wins, the bound is exactly 0 or 1; a rounding error there would show as 6000 Elo.
    low = 0.0 if mean == 0 else max(0.0, centre - half)
    return Estimate(mean, low, 1.0 if mean == 1 else min(1.0, centre + half))


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test of elo1 against elo0, with error rates alpha and beta."""

    elo0: float = 0.0
    elo1: float = 100.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be below elo1, and {self.elo0:g} is not below {self.elo1:g}.")
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1)):
            raise ValueError("elo0 and elo1 are differences in Elo, such as 0 and 20: write finite numbers.")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta are chances of an error: between 0 and 0.5, such as 0.05.")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test stops (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, units: Iterable[float]) -> float:
        """The log-likelihood ratio of elo1 against elo0 after these units (mean scores, 0 to 1); 0 for none."""
        counts: Mapping[float, int] = Counter(units)
        total = sum(counts.values())
        if not total:
            return 0.0
        outcomes = sorted({0.0, 0.25, 0.5, 0.75, 1.0} if 0.25 in counts or 0.75 in counts else {0.0, 0.5, 1.0})
        weights = [max(counts.get(outcome, 0), SMALLEST) for outcome in outcomes]
        whole = sum(weights)
        chances = [weight / whole for weight in weights]
        under0 = most_likely(outcomes, chances, expected(self.elo0))
        under1 = most_likely(outcomes, chances, expected(self.elo1))
        return total * sum(p * math.log(p1 / p0) for p, p0, p1 in zip(chances, under0, under1, strict=True))

    def remaining(self, units: Iterable[float]) -> float:
        """About how many more units like these an answer needs; infinite if they say nothing."""
        scores = list(units)
        ratio, (low, high) = self.ratio(scores), self.bounds
        if ratio == 0:
            return math.inf
        return max(0.0, len(scores) * ((high if ratio > 0 else low) / ratio - 1))

    def verdict(self, units: Iterable[float]) -> Literal["elo0", "elo1"] | None:
        """The accepted hypothesis; None while the test is undecided."""
        ratio = self.ratio(units)
        low, high = self.bounds
        return "elo0" if ratio <= low else "elo1" if ratio >= high else None


def most_likely(outcomes: list[float], chances: list[float], mean: float) -> list[float]:
    """The maximum-likelihood distribution over `outcomes` with this mean, given the observed `chances`.

    It is p / (1 + x (a - mean)) for each outcome a, with x such that the sum is 1 (Van den Bergh).
    """
    # Between the poles, where a probability would turn negative, the sum decreases with x: bisection finds the root.
    low, high = -1 / (outcomes[-1] - mean), -1 / (outcomes[0] - mean)
    for _ in range(60):  # to the last bit of a double
        x = (low + high) / 2
        slope = sum(p * (a - mean) / (1 + x * (a - mean)) for a, p in zip(outcomes, chances, strict=True))
        if slope > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * (a - mean)) for a, p in zip(outcomes, chances, strict=True)]
