"""Coverage of the ratings' 95% confidence intervals, in 500 simulated competitions of each kind.

Players have true strengths, games are drawn from the model (the first seat is worth 60 Elo, one game in ten is a draw)
with openings that favour one side by about 50 Elo, and the real state machine makes the pairings. The constants of
`palestra_tournament.davidson` were tuned on seeds below 10,000; other seeds are used here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from palestra_tournament import Ended, Entrant, Tournament, begin, parse_spec, playable, step
from palestra_tournament.davidson import ELO
from palestra_tournament.rated import ratings

COMPETITIONS = 500
FIRST_SEED = 10_000
SEAT_ELO = 60.0
OPENING_ELO = 50.0
DRAW_WEIGHT = 0.22


class Kind(NamedTuple):
    """A kind of competition: its name, its file, the number of players, and the distribution of their strengths."""

    name: str
    toml: str
    players: int
    strengths: Callable[[np.random.Generator, int], Sequence[float]]


def normal(spread: float) -> Callable[[np.random.Generator, int], Sequence[float]]:
    """Normally distributed strengths with mean 0 and this standard deviation, in Elo."""
    return lambda rng, count: rng.normal(0, spread, count).tolist()


def skewed(rng: np.random.Generator, count: int) -> Sequence[float]:
    """Many similar players, and a few far above them."""
    return rng.exponential(300, count).tolist()


SWISS = 'name = "swiss"\ngames = ["connect4"]\nformat = "swiss"\nrounds = 7\n'
KINDS = (
    Kind("Swiss of 30, 7 rounds, strengths of 300 Elo", SWISS, 30, normal(300)),
    Kind("Swiss of 30, 7 rounds, strengths of 150 Elo", SWISS, 30, normal(150)),
    Kind("Swiss of 30, 7 rounds, a few far above the others", SWISS, 30, skewed),
    Kind("round robin of 10", 'name = "all"\ngames = ["connect4"]\nformat = "round-robin"\n', 10, normal(300)),
)


def simulate(kind: Kind, seed: int) -> tuple[Tournament, dict[str, float]]:
    """Play a whole competition; return it with the true strengths of its players, in Elo."""
    rng = np.random.default_rng(seed)
    names = [f"p{number}" for number in range(kind.players)]
    truth = dict(zip(names, kind.strengths(rng, kind.players), strict=True))
    t, _ = begin(parse_spec(kind.toml), [Entrant(name) for name in names], seed, 0)
    favours: dict[str, float] = {}
    count = 0
    while (fixture := next(playable(t), None)) is not None:
        first, second = fixture.players
        opening = favours.setdefault(fixture.pair, rng.normal(0, OPENING_ELO))
        better = math.exp((truth[first] - truth[second] + SEAT_ELO + opening) / ELO / 2)
        weights = np.array([better, DRAW_WEIGHT, 1 / better])
        outcome = float(rng.choice([1.0, 0.0, -1.0], p=weights / weights.sum()))
        count += 1
        event = Ended(fixture.id, f"m{count}", (outcome, -outcome), "rules", 1, (count,), (1,), 0)
        t, _ = step(t, event)
    return t, truth


class Coverage(NamedTuple):
    """`held`: the share of intervals that contain the true rating, ± `error` (two standard errors).

    `ranks`: the share of rank ranges that contain the true rank. `width`: mean width of the intervals, in Elo.
    """

    held: float
    error: float
    ranks: float
    width: float


def coverage(kind: Kind, seeds: range) -> Coverage:
    """Play and rate a competition for each seed. (The intervals of one competition are not independent.)"""
    held, ranks, widths = [], [], []
    for seed in seeds:
        t, truth = simulate(kind, seed)
        mean = sum(truth.values()) / len(truth)
        order = sorted(truth, key=lambda name: -truth[name])
        inside = []
        for name, rating in ratings(t).players.items():
            inside.append(rating.low <= truth[name] - mean <= rating.high)
            assert rating.rank_low is not None
            assert rating.rank_high is not None
            ranks.append(rating.rank_low <= order.index(name) + 1 <= rating.rank_high)
            widths.append(rating.high - rating.low)
        held.append(np.mean(inside))
    error = 2 * np.std(held) / math.sqrt(len(held))
    return Coverage(float(np.mean(held)), float(error), float(np.mean(ranks)), float(np.mean(widths)))


def run() -> list[tuple[str, str]]:
    """Rows of (kind of competition, coverage of intervals and rank ranges)."""
    rows = []
    for kind in KINDS:
        found = coverage(kind, range(FIRST_SEED, FIRST_SEED + COMPETITIONS))
        figure = (
            f"rating {found.held:.1%} ± {found.error:.1%}, rank {found.ranks:.1%} of {COMPETITIONS}; "
            f"mean width {found.width:.0f} Elo"
        )
        rows.append((kind.name, figure))
    return rows
