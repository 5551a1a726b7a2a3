"""Two plain searches of connect four, compiled: all moves or alpha-beta, and nothing else.

Tests import this when they run: it takes seconds to compile, in each process that collects them.
"""

from __future__ import annotations

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, mix, popcount
from palestra_bots.solvers.connect4.bitboard import BOARD, BOTTOM, Word, has_four, threats
from palestra_bots.solvers.connect4.bounds import NO_BOUND, live_cells, reply_bound
from palestra_bots.solvers.connect4.keys import key_of
from palestra_bots.solvers.connect4.quiet import not_losing

# What `minimax` counts.
POSITIONS, BOUNDED, TIGHT, WRONG_BOUND, DEAD_LINES, WRONG_DEAD, SAME_KEY, WRONG_KEY, FULL = range(9)

_CENTRE_OUT = np.array([63 << 7 * col for col in (3, 2, 4, 1, 5, 0, 6)], np.uint64)
_KEY, _VALUE = Word((1 << 49) - 1), Word(127)
_VALUE_AT, _SIDE_AT = Word(49), Word(56)
_EXACT, _AT_LEAST, _AT_MOST = Word(0), Word(1), Word(2)
_UNSCORED = -60


@njit("int64(uint64, uint64, uint64[:, ::1], int64[::1])")
def minimax(own, mask, known, counts):
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
        best = max(best, -minimax(own ^ mask, mask | cell, known, counts))
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


@njit("int64(uint64, uint64, int64, int64, int64, uint64[::1])")
def alphabeta(own, mask, moves, alpha, beta, table):
    """Pascal Pons' score by fail-soft alpha-beta; a table entry is exact, or a bound to one side."""
    if moves == 42:
        return np.int64(0)
    key = own + mask
    slot = np.int64(key % Word(table.size))
    entry = table[slot]
    if entry and entry & _KEY == key:
        known = np.int64((entry >> _VALUE_AT) & _VALUE) - 50
        side = entry >> _SIDE_AT
        if side == _EXACT or (side == _AT_LEAST and known >= beta) or (side == _AT_MOST and known <= alpha):
            return known
    for column in _CENTRE_OUT:
        cell = (mask + BOTTOM) & column
        if cell and has_four(own | cell):
            return np.int64((43 - moves) // 2)
    low = alpha
    best = np.int64(-50)
    for column in _CENTRE_OUT:
        cell = (mask + BOTTOM) & column
        if cell:
            value = -alphabeta(own ^ mask, mask | cell, moves + 1, -beta, -low, table)
            best = max(best, value)
            low = max(low, best)
            if low >= beta:
                break
    side = _EXACT
    if best <= alpha:
        side = _AT_MOST
    elif best >= beta:
        side = _AT_LEAST
    table[slot] = key | (Word(best + 50) << _VALUE_AT) | (side << _SIDE_AT)
    return best
