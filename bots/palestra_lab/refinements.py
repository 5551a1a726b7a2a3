"""What the 8 x 8 report could have gained: ordering by evaluation, a table and MTD(f), on its own turns.

Everything is counted as the report counts: a node for each call, a leaf for each position at depth 0 or with a full
board and for each move found winning. The evaluations that order the children of a node are not counted as leaves; what
they cost shows in the seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from palestra_bots.jit import njit
from palestra_bots.reports.board import SIZE, Cells, free_row, is_full, wins_at
from palestra_bots.reports.esteve_hawking import LEAVES, LOST, NODES, WON, Counts, compiled_open_lines, root_move
from palestra_lab.study import BLUE, DEPTH, Search

Numbers = NDArray[np.int64]

# Zobrist's random number for each colour on each cell; a position's key is their exclusive or (63 bits).
BLUES_KEYS = 1
KEYS = np.random.default_rng(1).integers(0, 2**63, size=(2, SIZE * SIZE), dtype=np.int64)

TABLE_SIZE = 1 << 20
# The columns of the table: the key, the bounds of the value and the best column so far. The depth is not stored: within
# one search it follows from the number of pieces.
KEY, LOWER, UPPER, BEST = 0, 1, 2, 3

ORDERED_FROM = 2  # children are ordered from this depth on: at the last ply, ordering costs as much as searching


@njit("int64(int8[::1], int64, int64, int64, int64, int64, int64, int64[:, ::1], int64[:, ::1], int64[::1])")
def value(
    cells: Cells,
    key: int,
    depth: int,
    mover: int,
    me: int,
    alpha: int,
    beta: int,
    table: Numbers,
    scratch: Numbers,
    counts: Counts,
) -> int:
    """Alpha-beta (fail-soft) with children ordered by `open_lines`, and with memory unless `table` has no rows.

    The value is from the view of `me`. `scratch` holds 2 * SIZE numbers for each depth.
    """
    counts[NODES] += 1
    if depth == 0 or is_full(cells):
        counts[LEAVES] += 1
        return compiled_open_lines(cells, me)
    maximizing = mover == me
    remembered = -1
    slot = key & (TABLE_SIZE - 1)
    lower, upper = LOST, WON
    if table.shape[0] > 0 and table[slot, KEY] == key:
        lower, upper, remembered = int(table[slot, LOWER]), int(table[slot, UPPER]), int(table[slot, BEST])
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha, beta = max(alpha, lower), min(beta, upper)

    # The legal columns, best first; a winning one ends the search of this node.
    columns, scores = scratch[depth, :SIZE], scratch[depth, SIZE:]
    found = 0
    colour = BLUES_KEYS if mover == BLUE else 0
    for col in range(SIZE):
        row = free_row(cells, col)
        if row == SIZE:
            continue
        cells[row * SIZE + col] = mover
        wins = wins_at(cells, row, col)
        score = 0
        if col == remembered:
            score = WON
        elif depth >= ORDERED_FROM and not wins:
            score = compiled_open_lines(cells, mover)
        cells[row * SIZE + col] = 0
        if wins:
            counts[LEAVES] += 1
            return WON if maximizing else LOST
        place = found
        while place > 0 and scores[place - 1] < score:
            columns[place], scores[place] = columns[place - 1], scores[place - 1]
            place -= 1
        columns[place], scores[place] = col, score
        found += 1

    asked_alpha, asked_beta = alpha, beta
    best, chosen = (LOST if maximizing else WON), columns[0]
    for place in range(found):
        col = columns[place]
        row = free_row(cells, col)
        cells[row * SIZE + col] = mover
        child_key = key ^ KEYS[colour, row * SIZE + col]
        child = value(cells, child_key, depth - 1, -mover, me, alpha, beta, table, scratch, counts)
        cells[row * SIZE + col] = 0
        if maximizing:
            if child > best:
                best, chosen = child, col
            alpha = max(alpha, best)
        else:
            if child < best:
                best, chosen = child, col
            beta = min(beta, best)
        if alpha >= beta:
            break
    if table.shape[0] > 0:
        if best > asked_alpha:
            lower = best
        if best < asked_beta:
            upper = best
        table[slot, KEY], table[slot, LOWER], table[slot, UPPER], table[slot, BEST] = key, lower, upper, chosen
    return best


def report_root(cells: Cells, key: int, table: Numbers, scratch: Numbers, counts: Counts) -> int:
    """The value with the report's root: a winning move at once, else every move with the full window."""

    def value_after(place: int) -> int:
        child_key = key ^ int(KEYS[BLUES_KEYS, place])
        return value(cells, child_key, DEPTH - 1, -BLUE, BLUE, LOST, WON, table, scratch, counts)

    return root_move(cells, BLUE, counts, value_after)[0]


def usual_root(cells: Cells, key: int, table: Numbers, scratch: Numbers, counts: Counts) -> int:
    """The value with a root like every other node: what a move is worth narrows the window of the next."""
    return value(cells, key, DEPTH, BLUE, BLUE, LOST, WON, table, scratch, counts)


def mtdf(cells: Cells, key: int, table: Numbers, scratch: Numbers, counts: Counts) -> int:
    """The value by zero-window passes (Plaat 1996), from the evaluation of the position as first guess."""
    lower, upper = LOST, WON
    guess = compiled_open_lines(cells, BLUE)
    while lower < upper:
        beta = max(guess, lower + 1)
        guess = value(cells, key, DEPTH, BLUE, BLUE, beta - 1, beta, table, scratch, counts)
        if guess < beta:
            upper = guess
        else:
            lower = guess
    return guess


def _refinement(name: str, root: Callable[[Cells, int, Numbers, Numbers, Counts], int], memory: bool) -> Search:
    def run(cells: Cells, counts: Counts) -> int:
        key = 0
        for place in np.flatnonzero(cells):
            key ^= int(KEYS[BLUES_KEYS if cells[place] == BLUE else 0, place])
        scratch: Numbers = np.zeros((DEPTH + 1, 2 * SIZE), dtype=np.int64)
        table: Numbers = np.zeros((TABLE_SIZE if memory else 0, 4), dtype=np.int64)
        return root(cells, key, table, scratch, counts)

    return Search(name, run)


# What the report did not try; the table starts empty at every turn.
REFINEMENTS = (
    _refinement("ordered by evaluation", report_root, False),
    _refinement("... with a table", report_root, True),
    _refinement("... and a window at the root", usual_root, True),
    _refinement("... by MTD(f)", mtdf, True),
)
