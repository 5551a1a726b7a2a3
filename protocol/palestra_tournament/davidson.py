"""Estimates strengths, and how certain they are, from games with draws and an advantage for the first seat.

Davidson's model (1970): for strengths f (first seat) and s, in natural units, the probabilities that the first player
wins, loses and draws are proportional to e^(d/2), e^(-d/2) and e^v, with d = f - s + a. The seat advantage a and the
draw parameter v are per game. Strengths are normally distributed around a common mean, with an unknown spread: the
estimate averages over a grid of spreads, weighted by how well each explains the results (Laplace's approximation, with
the mean corrected to the next order as in Lindley 1980). This keeps ratings finite for players who won everything, and
shrinks the few results of a short tournament towards what is usual. A fixed spread does worse: in a Swiss, where
winners meet winners, the likelihood alone overstretches the scale by half.

The two matches of an opening aren't independent. If the results of pairs vary more than those of single games would,
all variances are multiplied by that factor, estimated from the pairs' residuals; they are never reduced. (A bootstrap
over pairs would be simpler, but seven pairs per player are too few: its 95 % intervals covered the truth in 77 to 91 %
of simulated Swiss tournaments. `benchmarks/coverage.py` measures the coverage.)
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ELO: Final = 400 / math.log(10)  # Elo points per unit of log odds: 400 points are odds of ten to one
# The grid of spreads (standard deviations of the strengths): 60 to 1920 Elo.
SPREADS: Final = tuple(60 * 2 ** (k / 2) / ELO for k in range(11))
USUAL: Final = (math.log(500 / ELO), 0.5)  # prior of the logarithm of the spread: mean and standard deviation
SEAT_SPREAD: Final = 200 / ELO
DRAW_PRIOR: Final = (-2.0, 1.0)  # prior of v: mean and standard deviation. About one draw in sixteen.
SHIFT_MAX: Final = 0.5  # how far a mean may be from the mode, in standard deviations
# Intervals are widened by this factor, which was chosen on simulated tournaments and validated on others.
WIDEN: Final = 1.06
Z95: Final = 1.959964
SAMPLES: Final = 2000  # sets of strengths sampled for the intervals of the ranks
STEPS: Final = 100
PRECISION: Final = 1e-7
NEGLIGIBLE: Final = 8.0  # spreads whose log evidence is lower than the best by more than this are ignored


@dataclass(frozen=True, slots=True)
class Games:
    """The rated games, as arrays of equal length.

    `score` is the result of the first seat: 1, 1/2 or 0. Players and `game` are indices; games with the same `pair`
    share an opening.
    """

    first: Ints
    second: Ints
    game: Ints
    score: Floats
    pair: Ints

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, float, int]]) -> Self:
        """From one row per game, with its values in the order of the fields."""
        return cls(*(np.array(column) for column in zip(*rows, strict=True)))


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths in natural units relative to the mean of all players, and their covariance."""

    mean: Floats
    covariance: Floats
    seat_advantage: Floats  # by game
    dispersion: float  # how much more the results of pairs vary than those of single games would; at least 1

    def interval(self, player: int, zero: int | None = None) -> tuple[float, float, float]:
        """Elo and its 95 % interval, relative to player `zero` (or to the mean of all, if None)."""
        value, variance = self.mean[player], self.covariance[player, player]
        if zero is not None:
            value = value - self.mean[zero]
            variance = variance + self.covariance[zero, zero] - 2 * self.covariance[player, zero]
        half = Z95 * math.sqrt(max(0.0, float(variance)))
        return ELO * float(value), ELO * (float(value) - half), ELO * (float(value) + half)

    def ranks(self, seed: int, among: Sequence[int]) -> list[tuple[int, int]]:
        """The 95 % intervals of the ranks of the players `among` themselves; rank 1 is the best."""
        count = len(self.mean)
        values, vectors = np.linalg.eigh(self.covariance)
        # The symmetric root, which doesn't depend on the signs that an algorithm gives to the eigenvectors.
        root = vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T
        drawn = self.mean + normal_numbers(seed, "ranks", SAMPLES, count) @ root
        ranks = (-drawn[:, among]).argsort(axis=1).argsort(axis=1) + 1
        ranks.sort(axis=0)
        cut = int(0.025 * SAMPLES)
        return [(int(ranks[cut, i]), int(ranks[-1 - cut, i])) for i in range(len(among))]


def normal_numbers(seed: int, label: str, rows: int, columns: int) -> Floats:
    """Standard normal numbers drawn from the seed: SHAKE-256 of `SEED|LABEL`, then the Box-Muller transform."""
    size = rows * columns
    bits = np.frombuffer(hashlib.shake_256(f"{seed}|{label}".encode()).digest(8 * size), dtype=">u4").reshape(2, size)
    uniform = (bits + 0.5) / 2**32
    normal: Floats = np.sqrt(-2 * np.log(uniform[0])) * np.cos(2 * np.pi * uniform[1])
    return normal.reshape(rows, columns)


def strengths(games: Games, players: int, kinds: int) -> Strengths:
    """The strengths of `players` players, who played `kinds` different games."""
    model = _Model(games, players, kinds)
    found = [model.fit(SPREADS[len(SPREADS) // 2], model.centre)]
    # From the middle outwards until the evidence is negligible: it has a single peak.
    for side in (range(len(SPREADS) // 2 + 1, len(SPREADS)), range(len(SPREADS) // 2 - 1, -1, -1)):
        fit = found[0]
        for index in side:
            fit = model.fit(SPREADS[index], fit.point)
            found.append(fit)
            if fit.evidence < max(one.evidence for one in found) - NEGLIGIBLE:
                break
    evidence = np.array([fit.evidence for fit in found])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    centring = np.eye(players) - 1 / players
    means = np.array([centring @ fit.mean[:players] for fit in found])
    mean = weights @ means
    dispersion = max(1.0, sum(float(w) * model.dispersion(fit) for w, fit in zip(weights, found, strict=True)))
    covariance = np.zeros((players, players))
    for weight, centred, fit in zip(weights, means, found, strict=True):
        inside = dispersion * centring @ fit.covariance[:players, :players] @ centring
        covariance += weight * (inside + np.outer(centred - mean, centred - mean))
    advantage = weights @ np.array([fit.point[players : players + kinds] for fit in found])
    return Strengths(mean, WIDEN**2 * covariance, advantage, dispersion)


@dataclass(frozen=True, slots=True)
class _Fit:
    point: Floats
    mean: Floats
    covariance: Floats
    evidence: float


class _Model:
    def __init__(self, games: Games, players: int, kinds: int) -> None:
        self.games = games
        self.players = players
        self.size = players + 2 * kinds
        self.advantage = players + games.game
        self.draw = players + kinds + games.game
        self.outcome = games.score - 0.5
        self.drawn = (games.score == 0.5).astype(np.float64)
        self.centre = np.zeros(self.size)
        self.centre[players + kinds :] = DRAW_PRIOR[0]
        self.other_weights = np.repeat([1 / SEAT_SPREAD**2, 1 / DRAW_PRIOR[1] ** 2], kinds)

    def chances(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        """The probabilities that the first seat wins, loses and draws, for each row."""
        difference = point[self.games.first] - point[self.games.second] + point[self.advantage]
        logs = np.stack([difference / 2, -difference / 2, point[self.draw]])
        weights = np.exp(logs - logs.max(axis=0))
        win, loss, draw = weights / weights.sum(axis=0)
        return win, loss, draw

    def gradient(self, win: Floats, loss: Floats, draw: Floats) -> Floats:
        surprise = self.outcome - (win - loss) / 2
        where = np.concatenate([self.games.first, self.games.second, self.advantage, self.draw])
        values = np.concatenate([surprise, -surprise, surprise, self.drawn - draw])
        return np.bincount(where, values, self.size).astype(np.float64)

    def information(self, win: Floats, loss: Floats, draw: Floats) -> Floats:
        mean = (win - loss) / 2
        spread = (win + loss) / 4 - mean**2
        places = [(self.games.first, 1.0), (self.games.second, -1.0), (self.advantage, 1.0)]
        where = [a * self.size + b for a, _ in places for b, _ in places]
        values = [sign * other * spread for _, sign in places for _, other in places]
        for a, sign in places:
            where += [a * self.size + self.draw, self.draw * self.size + a]
            values += [-sign * mean * draw] * 2
        where.append(self.draw * (self.size + 1))
        values.append(draw * (1 - draw))
        flat = np.bincount(np.concatenate(where), np.concatenate(values), self.size**2)
        return flat.reshape(self.size, self.size).astype(np.float64)

    def fit(self, spread: float, start: Floats) -> _Fit:
        """The posterior mode (by Newton's method), its covariance, and the log evidence."""
        prior = np.concatenate([np.full(self.players, 1 / spread**2), self.other_weights])
        point = start.copy()
        for _ in range(STEPS):
            chances = self.chances(point)
            gradient = self.gradient(*chances) - prior * (point - self.centre)
            # Far from the peak the likelihood is nearly flat, and a full step would overshoot.
            step = np.clip(np.linalg.solve(self.information(*chances) + np.diag(prior), gradient), -1.0, 1.0)
            point += step
            if np.abs(step).max() < PRECISION:
                break
        win, loss, draw = self.chances(point)
        curvature = self.information(win, loss, draw) + np.diag(prior)
        happened = np.where(self.outcome > 0, win, np.where(self.outcome < 0, loss, draw))
        evidence = float(
            np.log(happened).sum()
            - 0.5 * (prior * (point - self.centre) ** 2).sum()
            + 0.5 * np.log(prior).sum()
            - 0.5 * np.linalg.slogdet(curvature)[1]
            - 0.5 * ((math.log(spread) - USUAL[0]) / USUAL[1]) ** 2
        )
        covariance = np.linalg.inv(curvature).astype(np.float64)
        return _Fit(point, self._mean(point, covariance), covariance, evidence)

    def _mean(self, point: Floats, covariance: Floats) -> Floats:
        """The posterior mean: the mode, corrected by the third derivatives of the likelihood."""
        win, loss, draw = self.chances(point)
        mean = (win - loss) / 2
        skew = win * (0.5 - mean) ** 3 - loss * (0.5 + mean) ** 3 - draw * mean**3
        first, second, seat = self.games.first, self.games.second, self.advantage
        c = covariance
        variance = c[first, first] + c[second, second] + c[seat, seat]
        variance = variance + 2 * (c[first, seat] - c[first, second] - c[second, seat])
        pull = -0.5 * variance * skew
        where = np.concatenate([first, second, seat])
        shift = c @ np.bincount(where, np.concatenate([pull, -pull, pull]), self.size)
        # The expansion overshoots after a clean sweep.
        limit = SHIFT_MAX * np.sqrt(np.diag(c))
        moved: Floats = point + np.clip(shift, -limit, limit)
        return moved

    def dispersion(self, fit: _Fit) -> float:
        """How much more the scores of pairs vary than those of independent games, allowing for leverage."""
        win, loss, _ = self.chances(fit.point)
        mean = (win - loss) / 2
        spread = (win + loss) / 4 - mean**2
        _, leader, pair = np.unique(self.games.pair, return_index=True, return_inverse=True)
        sign = np.where(self.games.first == self.games.first[leader][pair], 1.0, -1.0)
        residual = np.bincount(pair, sign * (self.outcome - mean))
        expected = np.bincount(pair, spread)
        leverage = np.zeros((len(leader), self.players))
        np.add.at(leverage, (pair, self.games.first), sign * spread)
        np.add.at(leverage, (pair, self.games.second), -sign * spread)
        block = fit.covariance[: self.players, : self.players]
        explained = np.einsum("ij,jk,ik->i", leverage, block, leverage, optimize=True)
        left = float((expected - explained).sum())
        return float((residual**2).sum()) / left if left > 0 else 1.0
