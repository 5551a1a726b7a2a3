"""Ratings from results: the Bradley-Terry model, on the Elo scale, with error bars.

Sources: Zermelo 1929; Bradley and Terry 1952; Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
Statistics 32 (2004). The likelihood is concave, and with a handful of players Newton's method is the quickest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

ELO: Final = 400 / math.log(10)  # Elo points per unit of log odds: 400 points are odds of ten to one
PRIOR_ELO: Final = 1000.0  # the prior standard deviation of the strengths; see `bradley_terry`
Z95: Final = 1.959964
STEPS: Final = 200
PRECISION: Final = 1e-10

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Elo ratings relative to player 0, and their uncertainty."""

    elo: tuple[float, ...]
    # Of the ratings, in Elo points squared; row and column 0 are 0, because player 0 is the reference point.
    covariance: Matrix

    def bar(self, player: int, other: int = 0) -> float:
        """Half the width of the 95 % interval of the difference between two players."""
        c = self.covariance
        variance = float(c[player, player] + c[other, other] - 2 * c[player, other])
        return Z95 * math.sqrt(max(0.0, variance))


def bradley_terry(points: Matrix, prior_elo: float = PRIOR_ELO) -> Ratings:
    """Ratings of n players; `points[i, j]` is what player i scored against player j (a draw is half a point each).

    The probability that i beats j is 1 / (1 + 10^((elo_j - elo_i) / 400)). That alone gives no finite rating to a
    player who won or lost everything, hence a weak prior: strengths are normal around their common mean with standard
    deviation `prior_elo`. At 1000 points it shifts a rating based on dozens of wins and losses by a few points;
    infinity turns it off. The errors come from the inverse Fisher information (including the prior), as if all games
    were independent.

    Raises ValueError if the ratings aren't finite: use a prior, or connected results without a clean sweep.
    """
    points = np.asarray(points, dtype=np.float64)
    count = len(points)
    if points.shape != (count, count) or count < 2 or (points < 0).any() or np.diag(points).any():
        raise ValueError("The points must be a square table of at least two players, without negatives or self-play.")
    games = points + points.T
    weight = (ELO / prior_elo) ** 2
    spread = weight * (np.eye(count) - 1 / count)

    def expected(strengths: Matrix) -> Matrix:
        # Differences beyond 700 would overflow the exponential; at 100 the probability already rounds to 1.
        chance: Matrix = 1 / (1 + np.exp(np.clip(strengths[None, :] - strengths[:, None], -100, 100)))
        return chance

    def information(strengths: Matrix) -> Matrix:
        chance = expected(strengths)
        pairs = games * chance * (1 - chance)
        fisher: Matrix = np.diag(pairs.sum(axis=1)) - pairs + spread
        return fisher[1:, 1:]

    strengths: Matrix = np.zeros(count)
    for _ in range(STEPS):
        gradient = (points - games * expected(strengths)).sum(axis=1) - spread @ strengths
        try:
            step = np.linalg.solve(information(strengths), gradient[1:])
        except np.linalg.LinAlgError:
            break
        # Far from the peak the likelihood is nearly flat, and a full step would overshoot.
        step = np.clip(step, -1.0, 1.0)
        strengths[1:] += step
        if np.abs(step).max() < PRECISION:
            covariance = np.zeros((count, count))
            covariance[1:, 1:] = ELO**2 * np.linalg.inv(information(strengths))
            return Ratings(tuple(float(ELO * s) for s in strengths), covariance)
    raise ValueError("These results have no finite ratings: someone won everything, or some never met. Use a prior.")
