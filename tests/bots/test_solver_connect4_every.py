"""Bounds and keys of the connect-four solver at every position below some start, against plain minimax."""

from __future__ import annotations

import random

import numpy as np
from tests.support.connect4_positions import random_game

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, mix, popcount
from palestra_bots.solvers.connect4.bitboard import BOARD, BOTTOM, Word, threats
from palestra_bots.solvers.connect4.bounds import NO_BOUND, live_cells, reply_bound
from palestra_bots.solvers.connect4.keys import key_of
from palestra_bots.solvers.connect4.quiet import not_losing

POSITIONS, BOUNDED, TIGHT, WRONG_BOUND, DEAD_LINES, WRONG_DEAD, SAME_KEY, WRONG_KEY, FULL = range(9)
_VALUE_AT = Word(49)
_KEY = Word((1 << 49) - 1)
_UNSCORED = -60


@njit("int64(uint64, uint64, uint64[:, ::1], int64[::1])")
def examine(own, mask, known, counts):
    """Pons' score by minimax over all moves, each position once; what it says of every quiet position is counted.

    `known` rows: the position and its score; the key words of the first position with this key and its score.
    """
    moves = popcount(mask)
    if moves == 42:
        return np.int64(0)
    size = Word(known.shape[0])
    name = own + mask + BOTTOM
    at = mix(name) % size
    while known[at, 0] != ZERO:
        if known[at, 0] & _KEY == name:
            return np.int64(known[at, 0] >> _VALUE_AT) - 50
        at = (at + ONE) % size
    if counts[POSITIONS] * 2 > known.shape[0]:
        counts[FULL] = 1
        return np.int64(0)
    counts[POSITIONS] += 1
    known[at, 0] = name

    wins = threats(own, mask) & (mask + BOTTOM)
    best = np.int64(_UNSCORED)
    todo = (mask + BOTTOM) & BOARD & ~wins
    while todo:
        cell = todo & (~todo + ONE)
        todo ^= cell
        best = max(best, -examine(own ^ mask, mask | cell, known, counts))
    if wins:
        best = np.int64((43 - moves) // 2)
    known[at, 0] = name | (Word(best + 50) << _VALUE_AT)

    rival = own ^ mask
    own_live, rival_live = live_cells(BOARD & ~rival), live_cells(BOARD & ~own)
    stones, dead = key_of(own, mask, own_live, rival_live)
    value = Word(best + 50)
    at = mix(stones ^ mix(dead)) % size
    while known[at, 1] != ZERO:
        if known[at, 1] == stones and known[at, 2] == dead:
            counts[SAME_KEY] += 1
            counts[WRONG_KEY] += known[at, 3] != value
            break
        at = (at + ONE) % size
    if known[at, 1] == ZERO:
        known[at, 1], known[at, 2], known[at, 3] = stones, dead, value

    if not own_live:
        counts[DEAD_LINES] += 1
        counts[WRONG_DEAD] += best > 0
    rival_threats = threats(rival, mask)
    open_moves = not_losing(mask, rival_threats)
    if not wins and open_moves & (open_moves - ONE) and moves < 40:
        bound = reply_bound(own, mask, rival_threats)
        if bound != NO_BOUND:
            counts[BOUNDED] += 1
            counts[TIGHT] += bound == best
            counts[WRONG_BOUND] += best > bound
    return best


def below(start, room):
    """The counts for all positions below a start; None if there is no room for so many."""
    counts = np.zeros(FULL + 1, np.int64)
    examine(Word(start[0]), Word(start[1]), np.zeros((room, 4), np.uint64), counts)
    return None if counts[FULL] else counts


def test_no_bound_and_no_key_is_wrong_below_a_start():
    dice = random.Random(1)
    trees = [below(random_game(dice, dice.choice((23, 24, 25)))[1], 1 << 19) for _ in range(16)]
    counts = sum(tree for tree in trees if tree is not None)
    assert counts[WRONG_BOUND] == counts[WRONG_DEAD] == counts[WRONG_KEY] == 0, counts
    assert counts[POSITIONS] > 500_000, counts
    assert counts[TIGHT] > 10_000, counts
    assert counts[DEAD_LINES] > 10_000, counts
    assert counts[SAME_KEY] > 100_000, counts
