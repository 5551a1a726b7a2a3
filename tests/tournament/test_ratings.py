"""Bradley-Terry ratings: against closed forms, another algorithm, and results drawn from known strengths."""

import math

import numpy as np
import pytest

from palestra_tournament.ratings import ELO, bradley_terry


def points_between(*scores):
    """The table of two or more players from (player, other, points, games)."""
    size = 1 + max(max(one, other) for one, other, _, _ in scores)
    table = np.zeros((size, size))
    for one, other, points, games in scores:
        table[one, other] += points
        table[other, one] += games - points
    return table


@pytest.mark.parametrize(("won", "games"), [(30, 40), (5, 40), (20.5, 40), (999, 1000)])
def test_two_players_have_a_closed_form(won, games):
    ratings = bradley_terry(points_between((1, 0, won, games)), math.inf)
    chance = won / games
    assert ratings.elo[0] == 0
    assert ratings.elo[1] == pytest.approx(400 * math.log10(chance / (1 - chance)), abs=1e-6)
    # The error of log odds is 1 / sqrt(n p q).
    assert ratings.bar(1) == pytest.approx(1.959964 * ELO / math.sqrt(games * chance * (1 - chance)), rel=1e-6)


def test_a_chain_of_players_adds_up():
    """Without a circle, each step is rated by its own games alone, and the variances add up."""
    ratings = bradley_terry(points_between((1, 0, 30, 40), (2, 1, 24, 40)), math.inf)
    first, second = 400 * math.log10(30 / 10), 400 * math.log10(24 / 16)
    assert ratings.elo == pytest.approx((0, first, first + second), abs=1e-6)
    assert ratings.bar(2) ** 2 == pytest.approx(ratings.bar(1) ** 2 + ratings.bar(2, 1) ** 2)


def minorization_maximization(table):
    """Hunter 2004, equation (3): another road to the same maximum."""
    games, wins = table + table.T, table.sum(axis=1)
    strength = np.ones(len(table))
    for _ in range(20_000):
        strength = wins / (games / (strength[:, None] + strength[None, :])).sum(axis=1)
        strength /= strength[0]
    return 400 * np.log10(strength)


def test_newton_finds_what_hunter_s_algorithm_finds():
    rng = np.random.default_rng(3)
    for _ in range(5):
        table = rng.integers(1, 20, size=(6, 6)) / 2
        np.fill_diagonal(table, 0)
        assert bradley_terry(table, math.inf).elo == pytest.approx(minorization_maximization(table), abs=1e-4)


def drawn(rng, truth, games):
    table = np.zeros((len(truth), len(truth)))
    for i in range(len(truth)):
        for j in range(i):
            won = rng.binomial(games, 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400)))
            table[i, j], table[j, i] = won, games - won
    return table


TRUTH = (0, 150, 230, 420, 500, 660, 840, 1000)


def test_true_strengths_are_found_again():
    ratings = bradley_terry(drawn(np.random.default_rng(4), TRUTH, 20_000))
    assert ratings.elo == pytest.approx(TRUTH, abs=15)
    assert max(ratings.bar(player) for player in range(8)) < 20


def test_the_error_bars_hold_the_truth_about_19_times_in_20():
    rng = np.random.default_rng(5)
    held = tried = 0
    for _ in range(250):
        ratings = bradley_terry(drawn(rng, TRUTH, 40))
        for player in range(1, 8):
            for other in (0, player - 1):
                error = (ratings.elo[player] - ratings.elo[other]) - (TRUTH[player] - TRUTH[other])
                held += abs(error) <= ratings.bar(player, other)
                tried += 1
    assert 0.93 <= held / tried <= 0.97


def test_the_prior_keeps_the_unbeaten_finite_and_leaves_others_alone():
    swept = points_between((1, 0, 20, 20))
    assert 400 < bradley_terry(swept).elo[1] < 1500
    assert bradley_terry(swept).bar(1) > 400
    more = points_between((1, 0, 200, 200))
    assert bradley_terry(more).elo[1] > bradley_terry(swept).elo[1]
    even = drawn(np.random.default_rng(6), TRUTH, 100)
    moved = np.subtract(bradley_terry(even).elo, bradley_terry(even, math.inf).elo)
    assert np.abs(moved).max() < 10


def test_without_a_prior_a_clean_sweep_has_no_rating():
    with pytest.raises(ValueError, match="no finite ratings"):
        bradley_terry(points_between((1, 0, 20, 20)), math.inf)
    with pytest.raises(ValueError, match="no finite ratings"):
        bradley_terry(points_between((1, 0, 5, 10), (3, 2, 5, 10)), math.inf)


def test_a_long_ladder_of_clean_sweeps_still_has_ratings():
    ratings = bradley_terry(points_between(*((i, j, 40, 40) for i in range(8) for j in range(i))))
    steps = np.diff(ratings.elo)
    assert (steps > 50).all()


@pytest.mark.parametrize("table", [np.zeros((2, 3)), np.zeros((1, 1)), [[0, -1], [1, 0]], [[1, 1], [1, 0]]])
def test_a_table_that_is_none_is_refused(table):
    with pytest.raises(ValueError, match="square table"):
        bradley_terry(table)
