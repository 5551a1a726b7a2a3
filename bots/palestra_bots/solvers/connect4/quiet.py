"""What can be said of a position before it is searched: is it quiet, where do forced replies lead, what bounds hold.

A position is *quiet* if its mover cannot complete a four at once, and has at least two moves that do not let
the rival do so.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, popcount
from palestra_bots.solvers.connect4.bitboard import BOARD, BOTTOM, CELLS, Word, threats
from palestra_bots.solvers.connect4.bounds import live_cells, reply_bound
from palestra_bots.solvers.connect4.keys import key_of

Ints = npt.NDArray[np.int64]

# The value of `settle` for a quiet position; greater than every score.
QUIET = 99

# Columns of `counters`.
NODES, FORCED, NODE_LIMIT, STOP, BEST_MOVE = range(5)
COUNTERS = 5


@njit("uint64(uint64, uint64)")
def not_losing(mask: Word, rival_threats: Word) -> Word:
    """The cells a player may take without letting the rival complete a four with the next stone."""
    possible = (mask + BOTTOM) & BOARD
    forced = possible & rival_threats
    if forced:
        if forced & (forced - ONE):
            return ZERO
        possible = forced
    # A stone right below one of the rival's threats gives the game away.
    return possible & ~(rival_threats >> ONE)


@njit("Tuple((int64, uint64, uint64, uint64, uint64))(uint64, uint64, int64[::1])")
def settle(own: Word, mask: Word, counters: Ints) -> tuple[int, Word, Word, Word, Word]:
    """Play on while there is only one move that does not lose at once; the mover must not be able to win at once.

    Returns (value, own, mask, possible, rival threats) of where that ends: value is the score in the view of the
    player who is then to move, or QUIET; `possible` are their moves that do not lose at once (two or more if quiet).
    """
    moves = popcount(mask)
    while True:
        rival = own ^ mask
        rival_threats = threats(rival, mask)
        possible = not_losing(mask, rival_threats)
        if possible == ZERO:
            return -((CELLS - moves) // 2), own, mask, possible, rival_threats
        if moves >= CELLS - 2:
            # Neither of the last two stones completes a four.
            return 0, own, mask, possible, rival_threats
        if possible & (possible - ONE):
            return QUIET, own, mask, possible, rival_threats
        counters[FORCED] += 1
        own = rival
        mask |= possible
        moves += 1


@njit("Tuple((int64, int64, uint64, uint64))(uint64, uint64, uint64, int64)")
def weigh(own: Word, mask: Word, rival_threats: Word, beta: int) -> tuple[int, int, Word, Word]:
    """Bounds of a quiet position's score without search: distance, open lines, answering strategies.

    Returns (lower, upper, stones, dead); the last two are its key (see `keys`), and mean nothing if the bounds already
    tell whether the score reaches `beta`.
    """
    moves = popcount(mask)
    lower = -((CELLS - 2 - moves) // 2)
    upper = min((CELLS - 1 - moves) // 2, reply_bound(own, mask, rival_threats))
    own_live = live_cells(BOARD & ~(own ^ mask))
    if own_live == ZERO:
        upper = min(upper, 0)
    if upper < beta:
        return lower, upper, ZERO, ZERO
    rival_live = live_cells(BOARD & ~own)
    if rival_live == ZERO:
        lower = max(lower, 0)
    if lower >= beta:
        return lower, upper, ZERO, ZERO
    stones, dead = key_of(own, mask, own_live, rival_live)
    return lower, upper, stones, dead
