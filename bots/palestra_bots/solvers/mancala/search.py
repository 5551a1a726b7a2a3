"""The search: alpha-beta with null windows over rests, without recursion.

`prove` asks one question: is the value of the root at least `beta`? It answers with a bound that may say more
(fail-soft). All values of rests with the same number of seeds are odd or all are even, so a window steps by two.

A node, before it searches any move, plays them all: a move into the endgame table is settled by it, and the
transposition table may hold a bound of the child that settles the move or the whole node (enhanced transposition
cut-off; Plaat, Schaeffer, Pijls and de Bruin, "Exploiting graph properties of game trees", 1996). What is left is
searched: moves that give another move, then the others by seeds won, of equals the pit nearest the store first.
That order is a fixed one on purpose. Best moves from the table change nothing, and killers or history make the tree
several times larger (measured): the order of two moves often hardly matters, and when it is always the same, more
lines meet in the same positions.

Everything a recursive function would hold in local variables is in a row of `frames` and `boards`, one for
each ply. `counters` is shared with the caller, who may raise STOP from another thread to break the search off.
"""

from __future__ import annotations

from typing import Final

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest
from palestra_bots.solvers.mancala.endgame import Numbers, Values, number_of
from palestra_bots.solvers.mancala.rows import MAX_PITS, MAX_SEEDS, Words, filled, play, seeds_in
from palestra_bots.solvers.mancala.table import probe, store

# No game is as long: with s seeds in the pits there are at most (MAX_PITS - 1) * s moves that win nothing, since each
# brings seeds nearer to their owner's store (see `endgame`), and then one that does.
MAX_PLIES: Final = sum((MAX_PITS - 1) * seeds + 1 for seeds in range(MAX_SEEDS + 1))

# Columns of `counters`.
NODES, NODE_LIMIT, STOP, BEST_MOVE, TABLE_SEEDS = range(5)
COUNTERS: Final = 5

# Columns of `frames`; the last are two for each move: seeds won (what the child's value is added to or taken from),
# and 1 if the same player moves again.
BETA, VALUE, BEST, TODO, TRIED, BEGAN, WON = range(7)
AGAIN: Final = WON + MAX_PITS
FRAME: Final = AGAIN + MAX_PITS
# Columns of `boards`: own and other row, then the rows of each child, as its mover sees them.
OWN, OTHER, CHILDREN = range(3)
BOARD: Final = CHILDREN + 2 * MAX_PITS

_NOTHING: Final = -10_000
_OPEN: Final = 10_000  # what `_enter` returns for a node that has moves to search

# Scores for the order of moves, below 256.
_MOVES_AGAIN: Final = 200
_OTHERS: Final = 10

_ARRAYS: Final = (
    "uint64[:, ::1], int64[:, ::1], uint64[:, :, ::1], int64[:, ::1], int8[::1], uint64[:, ::1], int64[::1]"
)


@njit(f"int64(int64, int64, {_ARRAYS})")
def _enter(
    ply: int,
    beta: int,
    boards: Words,
    frames: Numbers,
    sow: Words,
    numbers: Numbers,
    endgame: Values,
    table: Words,
    counters: Numbers,
) -> int:
    """Looks at the node in row `ply` of `boards`: a bound that settles it against `beta`, or _OPEN and its frame."""
    own, other = boards[ply, OWN], boards[ply, OTHER]
    lower, upper = probe(own, other, table)
    if ply > 0:
        if lower >= beta:
            return lower
        if upper < beta:
            return upper
    counters[NODES] += 1
    table_seeds = counters[TABLE_SEEDS]
    frame = frames[ply]
    frame[BETA] = beta
    frame[BEGAN] = counters[NODES]
    best_value = _NOTHING
    # The moves to search, and their scores: sorted lists of 4 and of 8 bits a move, the first in the lowest bits.
    todo = scores = 0
    actions = filled(own)
    while actions != ZERO:
        action = lowest(actions)
        actions &= actions - ONE
        mine, theirs, won, again = play(own, other, action, sow)
        if not again:
            mine, theirs = theirs, mine
        if mine == ZERO:
            lower = upper = won
        else:
            left = seeds_in(mine) + seeds_in(theirs)
            if left <= table_seeds:
                lower = upper = int(endgame[number_of(mine, theirs, numbers)])
            else:
                lower, upper = probe(mine, theirs, table)
                lower = max(lower, -left)
                upper = min(upper, left)
            if again:
                lower, upper = won + lower, won + upper
            else:
                lower, upper = won - upper, won - lower
        if lower >= beta:
            counters[BEST_MOVE] = action
            return lower
        if upper < beta:
            best_value = max(best_value, upper)
            continue
        boards[ply, CHILDREN + 2 * action] = mine
        boards[ply, CHILDREN + 2 * action + 1] = theirs
        frame[WON + action] = won
        frame[AGAIN + action] = 1 if again else 0
        score = _MOVES_AGAIN - action if again else _OTHERS + 2 * won
        place = 0
        while (scores >> (8 * place)) & 255 >= score:
            place += 1
        before = (1 << (8 * place)) - 1
        scores = (scores & before) | (score << (8 * place)) | ((scores & ~before) << 8)
        before = (1 << (4 * place)) - 1
        todo = (todo & before) | ((action + 1) << (4 * place)) | ((todo & ~before) << 4)
    if todo == 0:
        return best_value
    frame[VALUE] = best_value
    frame[TODO] = todo
    return _OPEN


@njit(f"int64(int64, {_ARRAYS})")
def prove(
    beta: int,
    boards: Words,
    frames: Numbers,
    sow: Words,
    numbers: Numbers,
    endgame: Values,
    table: Words,
    counters: Numbers,
) -> int:
    """A bound of the value of the root, the rest in row 0 of `boards`: a lower one if >= `beta`, else an upper one.

    With a lower bound comes a move that reaches it in counters[BEST_MOVE]. If the search was broken off,
    counters[STOP] is not zero and the result means nothing.
    """
    value = _enter(0, beta, boards, frames, sow, numbers, endgame, table, counters)
    if value != _OPEN:
        return value
    ply = 0
    while True:
        frame = frames[ply]
        beta, todo, value = frame[BETA], frame[TODO], frame[VALUE]
        if todo == 0 or value >= beta:
            own, other = boards[ply, OWN], boards[ply, OTHER]
            lower, upper = probe(own, other, table)
            if value >= beta:
                lower = value
            else:
                upper = value
            store(own, other, lower, upper, counters[NODES] - frame[BEGAN] + 1, table)
            if ply == 0:
                counters[BEST_MOVE] = frame[BEST]
                return int(value)
            ply -= 1
        else:
            if counters[STOP] != 0 or counters[NODES] >= counters[NODE_LIMIT]:
                counters[STOP] = 1
                return 0
            action = (todo & 15) - 1
            frame[TODO] = todo >> 4
            frame[TRIED] = action
            boards[ply + 1, OWN] = boards[ply, CHILDREN + 2 * action]
            boards[ply + 1, OTHER] = boards[ply, CHILDREN + 2 * action + 1]
            won = frame[WON + action]
            asked = beta - won if frame[AGAIN + action] != 0 else won - beta + 1
            value = _enter(ply + 1, asked, boards, frames, sow, numbers, endgame, table, counters)
            if value == _OPEN:
                ply += 1
                continue
        frame = frames[ply]
        action = frame[TRIED]
        won = frame[WON + action]
        value = won + value if frame[AGAIN + action] != 0 else won - value
        if value > frame[VALUE]:
            frame[VALUE] = value
            frame[BEST] = action
