"""Bounds and keys of the connect-four solver at every position below some start, against plain minimax."""

from __future__ import annotations

import random

import numpy as np
from tests.support.connect4_positions import random_game

from palestra_bots.solvers.connect4.bitboard import Word


def below(plain, start, room):
    """The counts for all positions below a start; None if there is no room for so many."""
    counts = np.zeros(plain.FULL + 1, np.int64)
    plain.minimax(Word(start[0]), Word(start[1]), np.zeros((room, 4), np.uint64), counts)
    return None if counts[plain.FULL] else counts


def test_no_bound_and_no_key_is_wrong_below_a_start():
    import tests.support.plain_connect4 as plain

    dice = random.Random(1)
    trees = [below(plain, random_game(dice, dice.choice((23, 24, 25)))[1], 1 << 19) for _ in range(16)]
    counts = sum(tree for tree in trees if tree is not None)
    assert counts[plain.WRONG_BOUND] == counts[plain.WRONG_DEAD] == counts[plain.WRONG_KEY] == 0, counts
    assert counts[plain.POSITIONS] > 500_000, counts
    assert counts[plain.TIGHT] > 10_000, counts
    assert counts[plain.DEAD_LINES] > 10_000, counts
    assert counts[plain.SAME_KEY] > 100_000, counts
