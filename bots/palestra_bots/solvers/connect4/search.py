"""The search: negamax with null windows, forced replies followed without a node, all children looked up first.

A *node* is a quiet position (see `quiet`); everything else is followed until it is quiet or over.

The search keeps its nodes in `frames`, one row a ply (no allocation while it runs): a child is written
into its parent's row and searched from there. `counters` is shared with the caller, who may raise `STOP` from another
thread to make the search unwind; the value of an unwound search means nothing.
"""

from __future__ import annotations

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, popcount
from palestra_bots.solvers.connect4.bitboard import BOTTOM, CELLS, COLUMN, Word, threats
from palestra_bots.solvers.connect4.quiet import BEST_MOVE, NODE_LIMIT, NODES, QUIET, STOP, Ints, settle, weigh
from palestra_bots.solvers.connect4.table import Words, find_slot, probe, store

# Lower than every score.
_NOTHING = -99

# Columns of `frames[row, child]`; a child that the table decides has nothing left in POSSIBLE.
OWN, MASK, POSSIBLE, STONES, DEAD, SLOT = range(6)
FRAME_WORDS = 6
# Columns of `limits[row, child]`: bounds of the child's score as its mover sees it.
LOWER, UPPER = range(2)
# Row of the root; a node at ply p writes its children into row p, and no node is as late as this.
ROOT_ROW = CELLS

# Threads do not avoid each other from this ply on: what is left takes too little time.
LAST_SHARED_PLY = 28

# Column masks from the middle outwards: of moves that look equal, the central one comes first.
_CENTRE_OUT = np.array([int(COLUMN) << (7 * col) for col in (3, 2, 4, 1, 5, 0, 6)], np.uint64)


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


@njit("UniTuple(int64, 2)(int64, int64, boolean, uint64[:, ::1], uint64[:, :, ::1], int64[:, :, ::1])")
def look_up(row: int, child: int, same_mover: bool, table: Words, frames: Words, limits: Ints) -> tuple[int, int]:
    """Bounds of a child with what the table knows, kept in `limits`; returned in the view of its parent's mover."""
    lower, upper = probe(frames[row, child, STONES], frames[row, child, DEAD], frames[row, child, SLOT], table)
    lower = max(lower, limits[row, child, LOWER])
    upper = min(upper, limits[row, child, UPPER])
    limits[row, child, LOWER] = lower
    limits[row, child, UPPER] = upper
    if same_mover:
        return lower, upper
    return -upper, -lower


@njit(
    "int64(int64, int64, int64, uint64[:, ::1], uint64[:, :, ::1], int64[:, :, ::1], "
    "uint64[:, ::1], int64[:, ::1], int64[::1], uint64[::1])"
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
    busy: Words,
) -> int:
    """Score of the node `frames[row, child]` against the null window (beta - 1, beta), fail-soft.

    A result of at least `beta` is a lower bound of the score, a smaller one an upper bound. Precondition: `limits`
    of the node leave the question open. After a result of at least `beta`, `counters[BEST_MOVE]` is the move that
    reached it. `busy` notes what the threads that share the table are at; it has no words if there is only one.
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
            same_mover = (popcount(frames[ply, index, MASK]) - ply) & 1 == 0
            at_least, at_most = look_up(ply, index, same_mover, table, frames, limits)
            if at_least >= beta:
                best = at_least
                counters[BEST_MOVE] = np.int64(moves[ply, index])
                break
            if at_most < beta:
                best = max(best, at_most)
                frames[ply, index, POSSIBLE] = ZERO

    # If threads share the table, one leaves a child that another is at to the end (simplified ABDADA: Tom Kerrigan;
    # Weill, "The ABDADA distributed minimax search algorithm", 1996). The first child is everybody's.
    shared = busy.size > 0 and ply < LAST_SHARED_PLY
    for last_call in range(2 if shared else 1):
        if best >= beta:
            break
        is_first = True
        for index in range(open_children):
            if frames[ply, index, POSSIBLE] == ZERO:
                continue
            same_mover = (popcount(frames[ply, index, MASK]) - ply) & 1 == 0
            mark = frames[ply, index, SLOT] + ONE
            at = (mark >> ONE) & (Word(busy.size) - ONE)
            if shared:
                if not last_call and not is_first and busy[at] == mark:
                    continue
                if last_call or not is_first:
                    at_least, at_most = look_up(ply, index, same_mover, table, frames, limits)
                    if at_least >= beta:
                        best = at_least
                        counters[BEST_MOVE] = np.int64(moves[ply, index])
                        break
                    if at_most < beta:
                        best = max(best, at_most)
                        frames[ply, index, POSSIBLE] = ZERO
                        continue
                busy[at] = mark
            is_first = False
            if same_mover:
                value = negamax(ply, index, beta, table, frames, limits, moves, scores, counters, busy)
            else:
                value = -negamax(ply, index, 1 - beta, table, frames, limits, moves, scores, counters, busy)
            if shared:
                busy[at] = ZERO
            if counters[STOP]:
                return 0
            frames[ply, index, POSSIBLE] = ZERO
            if value > best:
                best = value
                if best >= beta:
                    counters[BEST_MOVE] = np.int64(moves[ply, index])
                    break

    lower = best if best >= beta else limits[row, child, LOWER]
    upper = limits[row, child, UPPER] if best >= beta else best
    store(node[STONES], node[DEAD], node[SLOT], lower, upper, counters[NODES] - nodes_before, table)
    return best
