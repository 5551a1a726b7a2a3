"""Scores, error bars and the sequential test, against what can be worked out by hand and by brute force."""

import math
import random

import pytest

from palestra_client.arena.statistics import Sprt, elo, estimate, expected, most_likely


def test_elo_and_score_are_each_others_inverse():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0) == -math.inf
    assert elo(1) == math.inf
    for difference in (-120, 3, 55.5):
        assert elo(expected(difference)) == pytest.approx(difference)


def test_an_estimate_of_coins_is_wilsons_interval():
    # Wilson (1927) for 8 of 10: 0.4902 to 0.9433.
    measured = estimate([1.0] * 8 + [0.0] * 2)
    assert measured.score == 0.8
    assert (measured.low, measured.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_draws_and_split_pairs_make_the_interval_narrower():
    coins = estimate([1.0, 0.0] * 50)
    draws = estimate([0.5] * 90 + [1.0, 0.0] * 5)
    assert coins.score == draws.score == 0.5
    assert draws.high - draws.low < (coins.high - coins.low) / 2


def test_an_interval_has_a_width_when_all_results_are_alike():
    lost = estimate([0.0] * 6)
    assert lost.low == 0
    assert 0.3 < lost.high < 0.6
    assert estimate([]) is None


def test_the_interval_of_a_perfect_score_ends_at_it_exactly():
    # 10 pairs: the sum of centre and half a width is 1 but for the last bit, and that bit is 6000 Elo.
    for count in range(1, 200):
        won, lost = estimate([1.0] * count), estimate([0.0] * count)
        assert (won.high, lost.low) == (1, 0)
        assert won.low == pytest.approx(1 - lost.high)


def pair_of(rng):
    """The mean score of a pair whose two games hang together, as those from one opening do."""
    bias = rng.choice((-0.35, 0.35))
    return sum(rng.random() < 0.6 + sign * bias for sign in (1, -1)) / 2


def test_with_many_pairs_the_bar_is_1_96_standard_errors_of_their_mean():
    rng = random.Random(1)
    pairs = [pair_of(rng) for _ in range(5000)]
    mean = sum(pairs) / len(pairs)
    error = math.sqrt(sum((pair - mean) ** 2 for pair in pairs) / (len(pairs) - 1) / len(pairs))
    found = estimate(pairs)
    assert found.score == pytest.approx(mean)
    assert found.low == pytest.approx(mean - 1.959964 * error, abs=2e-4)
    assert found.high == pytest.approx(mean + 1.959964 * error, abs=2e-4)


def test_the_interval_holds_the_truth_about_19_times_in_20():
    rng = random.Random(2)
    found = [estimate([pair_of(rng) for _ in range(30)]) for _ in range(2000)]
    assert 0.93 <= sum(each.low <= 0.6 <= each.high for each in found) / 2000 <= 0.98


@pytest.mark.parametrize("mean", [0.3, 0.5, 0.61])
def test_the_most_likely_distribution_has_the_mean_and_no_neighbour_is_likelier(mean):
    outcomes, chances = [0.0, 0.25, 0.5, 0.75, 1.0], [0.1, 0.2, 0.3, 0.25, 0.15]
    found = most_likely(outcomes, chances, mean)
    assert sum(found) == pytest.approx(1)
    assert sum(p * a for p, a in zip(found, outcomes, strict=True)) == pytest.approx(mean)

    def likelihood(distribution):
        return sum(c * math.log(p) for c, p in zip(chances, distribution, strict=True))

    # Moves that keep both the sum and the mean: one outcome up, its neighbours half of it down, or the reverse.
    for middle in (1, 2, 3):
        for step in (1e-3, -1e-3):
            near = list(found)
            near[middle] += step
            near[middle - 1] -= step / 2
            near[middle + 1] -= step / 2
            assert likelihood(near) < likelihood(found)


def test_the_bounds_are_walds():
    low, high = Sprt(alpha=0.05, beta=0.1).bounds
    assert high == pytest.approx(math.log(0.9 / 0.05))
    assert low == pytest.approx(math.log(0.1 / 0.95))


def test_the_ratio_of_many_results_is_near_its_normal_approximation():
    # LLR ~ n (s1 - s0)(2 m - s0 - s1) / (2 v), Van den Bergh.
    units = [0.0] * 200 + [0.5] * 400 + [1.0] * 260
    test = Sprt(0, 10)
    s0, s1 = expected(0), expected(10)
    mean = sum(units) / len(units)
    variance = sum((unit - mean) ** 2 for unit in units) / len(units)
    approximate = len(units) * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert test.ratio(units) == pytest.approx(approximate, rel=0.05)


def test_the_test_decides_for_what_is_true_and_seldom_for_the_other():
    def decided(chance, dice):
        test, units = Sprt(0, 200, 0.05, 0.05), []
        while (verdict := test.verdict(units)) is None:
            # A pair: two independent matches without draws.
            units.append(((dice.random() < chance) + (dice.random() < chance)) / 2)
        return verdict

    dice = random.Random(3)
    stronger = [decided(expected(200), dice) for _ in range(30)]
    equal = [decided(expected(0), dice) for _ in range(30)]
    assert stronger.count("elo1") >= 26
    assert equal.count("elo0") >= 26


def test_a_test_that_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="elo0 must be below elo1"):
        Sprt(20, 0)
    with pytest.raises(ValueError, match="write finite numbers"):
        Sprt(0, float("inf"))
    with pytest.raises(ValueError, match="chances of an error"):
        Sprt(alpha=0.9)


@pytest.mark.parametrize(
    ("pairs", "elo0", "elo1", "said"),
    [
        ((253, 4282, 17604, 4431, 286), -0.25, 1.25, 2.94),
        ((58, 3302, 33130, 3518, 84), 0.25, 1.25, 2.97),
        ((491, 7345, 29693, 7670, 465), -0.25, 1.25, 2.96),
        ((17, 253, 1042, 337, 39), -0.5, 1.5, 2.96),
        ((11, 407, 3238, 513, 11), 0.25, 1.75, 2.93),
        ((665, 4806, 9333, 4893, 747), -0.5, 1.5, 2.95),
    ],
)
def test_the_ratio_is_what_fishtest_said_of_its_own_tests(pairs, elo0, elo1, said):
    """Published with Stockfish's pull requests 3209, 3098, 2971 and 2920: pairs by their points, 0 to 2."""
    units = [points / 4 for points, count in enumerate(pairs) for _ in range(count)]
    assert Sprt(elo0, elo1).ratio(units) == pytest.approx(said, abs=0.006)


def test_what_an_answer_still_needs_shrinks_as_the_ratio_grows():
    test = Sprt(0, 100)
    few, more = [1.0, 0.5] * 2, [1.0, 0.5] * 4
    low, high = test.bounds
    assert test.ratio(more) < high
    assert test.remaining(few) == pytest.approx(4 * (high / test.ratio(few) - 1))
    assert test.remaining(more) < test.remaining(few)
    assert test.remaining([0.0] * 10) == pytest.approx(max(0, 10 * (low / test.ratio([0.0] * 10) - 1)))
    assert Sprt(-10, 10).remaining([0.5] * 4) > 10**6, "equal play says nothing"
    assert math.isinf(test.remaining([]))
