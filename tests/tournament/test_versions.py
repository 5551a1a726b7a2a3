"""Comparing two versions of a bot: pairs, intervals, and where they part."""

import random

import pytest

from palestra_tournament.versions import PAIRS_MIN, Compared, VersionResult, compare, parting, scored


def results(scores, setting="{}"):
    return [VersionResult(setting.format(number), score) for number, score in enumerate(scores)]


def test_few_pairs_are_not_relied_on():
    old, new = results([0] * (PAIRS_MIN - 1)), results([1] * (PAIRS_MIN - 1))
    assert compare(old, new)[3:] == (PAIRS_MIN - 1, False)
    assert compare([*old, VersionResult("7", 0)], [*new, VersionResult("7", 1)])[3:] == (PAIRS_MIN, True)


def test_pairs_leave_out_what_is_hard_about_each_opening():
    """Half of the openings are lost for everybody; the new version wins two more of the others."""
    old = results([0] * 20 + [0.5] * 20)
    new = results([0] * 20 + [1] * 8 + [0.5] * 12)
    paired = compare(old, new)
    apart = compare([each._replace(setting="old " + each.setting) for each in old], new)
    assert (paired.difference, apart.difference) == pytest.approx((0.1, 0.1))
    assert paired.low > 0 > apart.low


def test_an_interval_never_collapses_and_stays_within_its_bounds():
    for old, new in (([0] * 9, [1] * 9), ([1] * 9, [1] * 9), ([1], [1]), ([0], [1])):
        found = compare(results(old), results(new))
        assert -1 <= found.low < found.high <= 1
        assert found.low <= found.difference <= found.high


def test_the_order_of_the_versions_is_only_the_sign():
    old, new = results([0, 1, 0.5, 0, 0, 1, 0, 0.5, 0]), results([1, 1, 0.5, 0, 1, 1, 0, 1, 0])
    there, back = compare(old, new), compare(new, old)
    assert there == pytest.approx(Compared(-back.difference, -back.high, -back.low, 9, True))


def test_nineteen_of_twenty_intervals_hold_the_truth():
    chance, held = random.Random(1), 0
    for _ in range(1000):
        hard = [chance.random() for _ in range(25)]
        old = results([float(chance.random() < each) for each in hard])
        new = results([float(chance.random() < min(1, each + 0.1)) for each in hard])
        truth = sum(min(1, each + 0.1) - each for each in hard) / 25
        found = compare(old, new)
        held += found.low <= truth <= found.high
    assert 930 <= held <= 990


def test_a_score_has_wilsons_interval():
    # Newcombe (1998), table I: 81 of 263.
    assert scored([1.0] * 81 + [0.0] * 182)[1:] == pytest.approx((0.3080, 0.2553, 0.3662), abs=5e-5)


def test_where_two_versions_part():
    old = [("o1", (3, 3, 2, 2), {0, 2}), ("o2", (3, 4, 1), {0, 2})]
    new = [("n1", (3, 3, 2, 5, 1), {0, 2, 4}), ("n2", (3, 4, 0), {0, 2}), ("n3", (0, 3), {1})]
    assert parting(old, new) == (2, 1, 0, "o2", "n2")
    assert parting(old, new[:1]) is None
