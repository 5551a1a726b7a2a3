"""The corrections of the ratings, against the same written game by game, with derivatives taken numerically."""

import math

import numpy as np
import pytest

from palestra_tournament import davidson
from palestra_tournament.davidson import SHIFT_MAX, Games, Strengths, _Fit, _Model, normal_numbers

PLAYERS, KINDS = 4, 2
SIZE = PLAYERS + 2 * KINDS
# first, second, kind, score, pair: pairs with swapped seats, one in the same seats, one that is single
ROWS = [
    (0, 1, 0, 1.0, 7),
    (1, 0, 0, 1.0, 7),
    (2, 0, 1, 0.5, 3),
    (0, 2, 1, 0.0, 3),
    (3, 1, 0, 0.0, 5),
    (3, 1, 0, 1.0, 5),
    (2, 3, 1, 1.0, 9),
    (1, 2, 0, 0.5, 1),
    (2, 1, 0, 0.0, 1),
]


def log_total(d, v):
    """The logarithm of what Davidson's three weights add up to; its derivatives by d are the moments of the result."""
    return math.log(math.exp(d / 2) + math.exp(-d / 2) + math.exp(v))


def derivative(order, d, v, h=1e-2):
    """By d, of order 1, 2 or 3; central differences, extrapolated once."""

    def coarse(h):
        f = [log_total(d + k * h, v) for k in (-2, -1, 0, 1, 2)]
        if order == 1:
            return (f[3] - f[1]) / (2 * h)
        if order == 2:
            return (f[3] - 2 * f[2] + f[1]) / h**2
        return (f[4] - 2 * f[3] + 2 * f[1] - f[0]) / (2 * h**3)

    return (4 * coarse(h / 2) - coarse(h)) / 3


def drawn(seed, scale):
    """A point, and a covariance, with nothing that is zero."""
    rng = np.random.default_rng(seed)
    root = rng.normal(0, scale, (SIZE, SIZE))
    return rng.normal(0, 1, SIZE), root @ root.T


def game(row, point):
    """d, v and u: which unknowns a game's difference depends on, and how."""
    first, second, kind, _, _ = row
    u = np.zeros(SIZE)
    u[first] += 1
    u[second] -= 1
    u[PLAYERS + kind] += 1
    return float(u @ point), point[PLAYERS + KINDS + kind], u


@pytest.mark.parametrize(("seed", "scale", "clipped"), [(1, 0.05, False), (2, 0.3, False), (3, 3.0, True)])
def test_the_mean_is_the_mode_corrected_by_third_derivatives(seed, scale, clipped):
    point, covariance = drawn(seed, scale)
    towards = np.zeros(SIZE)
    for row in ROWS:
        d, v, u = game(row, point)
        towards -= u * (u @ covariance @ u) * derivative(3, d, v) / 2
    shift = covariance @ towards
    limit = SHIFT_MAX * np.sqrt(np.diag(covariance))
    assert (abs(shift) > limit).any() == clipped
    found = _Model(Games.of(ROWS), PLAYERS, KINDS)._mean(point, covariance)
    assert found == pytest.approx(point + np.minimum(np.maximum(shift, -limit), limit), rel=1e-5, abs=1e-7)
    if clipped:
        assert {float(s) for s in np.sign(found - point)} == {-1.0, 1.0}


def expected_dispersion(rows, point, covariance):
    squared = left = 0.0
    for pair in sorted({row[4] for row in rows}):
        games = [row for row in rows if row[4] == pair]
        residual = variance = 0.0
        leverage = np.zeros(PLAYERS)
        for row in games:
            d, v, u = game(row, point)
            sign = 1 if row[0] == games[0][0] else -1
            residual += sign * (row[3] - 0.5 - derivative(1, d, v))
            variance += derivative(2, d, v)
            leverage += sign * derivative(2, d, v) * u[:PLAYERS]
        squared += residual**2
        left += variance - leverage @ covariance[:PLAYERS, :PLAYERS] @ leverage
    return squared / left, left


def dispersion(rows, point, covariance):
    return _Model(Games.of(rows), PLAYERS, KINDS).dispersion(_Fit(point, point, covariance, 0.0))


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], ROWS[2:6]], ids=["all", "one game", "two pairs"])
@pytest.mark.parametrize("seed", [4, 5])
def test_dispersion_is_how_much_pairs_scatter_beyond_single_games_less_their_leverage(rows, seed):
    point, covariance = drawn(seed, 0.2)
    expected, left = expected_dispersion(rows, point, covariance)
    assert left > 0
    assert left < 1 or len(rows) > 1, "also with little left to judge by"
    assert dispersion(rows, point, covariance) == pytest.approx(expected, rel=1e-5)


def test_where_nothing_is_left_to_judge_by_nothing_is_widened():
    point, covariance = drawn(6, 30.0)
    assert expected_dispersion(ROWS, point, covariance)[1] < 0
    assert dispersion(ROWS, point, covariance) == 1.0
    point[PLAYERS + KINDS :] = 2000.0  # every game is drawn, for sure: exactly nothing is left
    assert dispersion(ROWS, point, np.zeros((SIZE, SIZE))) == 1.0


def test_ranks_are_those_of_the_drawn_strengths_of_the_players_asked_for(monkeypatch):
    monkeypatch.setattr(davidson, "SAMPLES", 80)
    mean = np.array([0.9, 0.1, -0.3, -0.7])
    root = np.diag([0.5, 0.9, 0.4, 0.8])
    among = (3, 0, 1)
    ranks = {one: [] for one in among}
    for row in normal_numbers(7, "ranks", 80, 4):
        strength = mean + root @ row
        for one in among:
            ranks[one].append(1 + sum(strength[other] > strength[one] for other in among))
    expected = [(sorted(ranks[one])[2], sorted(ranks[one])[-3]) for one in among]
    assert Strengths(mean, root @ root, np.zeros(1), 1.0).ranks(7, among) == expected
