"""The search: negamax with null windows, forced replies followed without a node, all children looked up first.

A *node* is a quiet position: its mover cannot complete a four at once, and has at least two moves that do not let
the rival do so. Everything else is followed by `settle` until it is quiet or over.

The search keeps its nodes in `frames`, one row a ply (no allocation while it runs): a child is written
into its parent's row and searched from there. `counters` is shared with the caller, who may raise `STOP` from another
thread to make the search unwind; the value of an unwound search means nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palestra_bots.kernels.bits import ONE, ZERO, popcount
from palestra_bots.solvers.connect4.bitboard import (
    BOARD,
    BOTTOM,
    CELLS,
    COLUMN,
    Word,
    threats,
)
from palestra_bots.solvers.connect4.bounds import live_cells, reply_bound
from palestra_bots.solvers.connect4.keys import key_of
from palestra_bots.solvers.connect4.native import njit
from palestra_bots.solvers.connect4.table import Words, find_slot, probe, store

Ints = npt.NDArray[np.int64]

# The value of `settle` for a quiet position; greater than every score.
QUIET = 99
# Lower than every score.
_NOTHING = -99

# Columns of `counters`.
NODES, FORCED, NODE_LIMIT, STOP, BEST_MOVE = range(5)
COUNTERS = 5

# Columns of `frames[row, child]`; a child that the table decides has nothing left in POSSIBLE.
OWN, MASK, POSSIBLE, STONES, DEAD, SLOT = range(6)
FRAME_WORDS = 6
# Columns of `limits[row, child]`: bounds of the child's score as its mover sees it.
LOWER, UPPER = range(2)
# Row of the root; a node at ply p writes its children into row p, and no node is as late as this.
ROOT_ROW = CELLS

# Column masks from the middle outwards: of moves that look equal, the central one comes first.
_CENTRE_OUT = np.array([int(COLUMN) << (7 * col) for col in (3, 2, 4, 1, 5, 0, 6)], np.uint64)


@njit("uint64(uint64, uint64)")
def not_losing(mask: Word, rival_threats: Word) -> Word:
    """The cells a player may take without letting the rival complete a four with the next stone."""
    possible = (mask + BOTTOM) & BOARD
    forced = possible & rival_threats
    if forced:
        if forced & (forced - ONE):
            return ZERO
        possible = forced
    # A stone right below one of the rival's threats hands him the win.
    return possible & ~(rival_threats >> ONE)


@njit("Tuple((int64, uint64, uint64, uint64, uint64))(uint64, uint64, int64[::1])")
def settle(own: Word, mask: Word, counters: Ints) -> tuple[int, Word, Word, Word, Word]:
    """Play on while there is only one move that does not lose at once; the mover must not be able to win at once.

    Returns (value, own, mask, possible, rival threats) of where that ends: value is the score in the view of the
    player who is then to move, or QUIET; `possible` are his moves that do not lose at once (two or more if quiet).
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


@njit("int64(uint64, uint64, uint64, uint64[::1], int64[::1])")
def _order(own: Word, mask: Word, possible: Word, moves: Words, scores: Ints) -> int:
    """Sort the moves by the threats the mover has after each; one that is playable now, and so met now, counts half.

    Returns the number of moves, or -1 if one of them wins with the next stone whatever the rival does: it makes
    two threats that are playable at once, or one with another right above it.
    """
    count = 0
    for column in _CENTRE_OUT:
        move = possible & column
        if move == ZERO:
            continue
        after = mask | move
        found = threats(own | move, after)
        now = found & (after + BOTTOM)
        if now & (now - ONE) or (now << ONE) & found:
            moves[0] = move
            return -1
        score = 2 * popcount(found) - (1 if now else 0)
        at = count
        while at > 0 and scores[at - 1] < score:
            scores[at] = scores[at - 1]
            moves[at] = moves[at - 1]
            at -= 1
        scores[at] = score
        moves[at] = move
        count += 1
    return count


@njit(
    "int64(int64, int64, int64, uint64[:, ::1], uint64[:, :, ::1], int64[:, :, ::1], "
    "uint64[:, ::1], int64[:, ::1], int64[::1])"
)
def negamax(
    row: int,
    child: int,
    beta: int,
    table: Words,
    frames: Words,
    limits: Ints,
    moves: Words,
    scores: Ints,
    counters: Ints,
) -> int:
    """Score of the node `frames[row, child]` against the null window (beta - 1, beta), fail-soft.

    A result of at least `beta` is a lower bound of the score, a smaller one an upper bound. Precondition: `limits`
    of the node leave the question open. After a result of at least `beta`, `counters[BEST_MOVE]` is the move that
    reached it.
    """
    counters[NODES] += 1
    if counters[NODES] > counters[NODE_LIMIT]:
        counters[STOP] = 1
    if counters[STOP]:
        return 0
    nodes_before = counters[NODES]
    node = frames[row, child]
    own = node[OWN]
    mask = node[MASK]
    rival = own ^ mask
    ply = popcount(mask)
    count = _order(own, mask, node[POSSIBLE], moves[ply], scores[ply])
    if count < 0:
        counters[BEST_MOVE] = np.int64(moves[ply, 0])
        return (CELLS - 1 - ply) // 2

    # First every child is settled, weighed and looked up: one of them may decide this node without any search
    # (enhanced transposition cut-off: Schaeffer and Plaat, "New advances in alpha-beta searching", 1996).
    best = _NOTHING
    open_children = 0
    for index in range(count):
        move = moves[ply, index]
        value, child_own, child_mask, possible, rival_threats = settle(rival, mask | move, counters)
        same_mover = (popcount(child_mask) - ply) & 1 == 0
        if value != QUIET:
            at_least = value if same_mover else -value
            at_most = at_least
        else:
            child_beta = beta if same_mover else 1 - beta
            lower, upper, stones, dead = weigh(child_own, child_mask, rival_threats, child_beta)
            at_least = lower if same_mover else -upper
            at_most = upper if same_mover else -lower
            if at_least < beta <= at_most:
                frame = frames[ply, open_children]
                frame[OWN] = child_own
                frame[MASK] = child_mask
                frame[POSSIBLE] = possible
                frame[STONES] = stones
                frame[DEAD] = dead
                frame[SLOT] = find_slot(stones, dead, table)
                limits[ply, open_children, LOWER] = lower
                limits[ply, open_children, UPPER] = upper
                moves[ply, open_children] = move
                open_children += 1
                continue
        if at_least >= beta:
            best = at_least
            counters[BEST_MOVE] = np.int64(move)
            break
        best = max(best, at_most)

    if best < beta:
        # The table last: by now its memory has arrived.
        for index in range(open_children):
            frame = frames[ply, index]
            lower, upper = probe(frame[STONES], frame[DEAD], frame[SLOT], table)
            lower = max(lower, limits[ply, index, LOWER])
            upper = min(upper, limits[ply, index, UPPER])
            if (popcount(frame[MASK]) - ply) & 1 == 0:
                at_least, at_most = lower, upper
            else:
                at_least, at_most = -upper, -lower
            if at_least >= beta:
                best = at_least
                counters[BEST_MOVE] = np.int64(moves[ply, index])
                break
            if at_most < beta:
                best = max(best, at_most)
                frame[POSSIBLE] = ZERO
            limits[ply, index, LOWER] = lower
            limits[ply, index, UPPER] = upper

    if best < beta:
        for index in range(open_children):
            if frames[ply, index, POSSIBLE] == ZERO:
                continue
            if (popcount(frames[ply, index, MASK]) - ply) & 1 == 0:
                value = negamax(ply, index, beta, table, frames, limits, moves, scores, counters)
            else:
                value = -negamax(ply, index, 1 - beta, table, frames, limits, moves, scores, counters)
            if counters[STOP]:
                return 0
            if value > best:
                best = value
                if best >= beta:
                    counters[BEST_MOVE] = np.int64(moves[ply, index])
                    break

    lower = best if best >= beta else limits[row, child, LOWER]
    upper = limits[row, child, UPPER] if best >= beta else best
    store(node[STONES], node[DEAD], node[SLOT], lower, upper, counters[NODES] - nodes_before, table)
    return best
