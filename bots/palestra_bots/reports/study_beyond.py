"""What the 8 x 8 report could have gained: ordering by evaluation, a table and MTD(f), on its own turns.

Everything is counted as `study` counts: a node for each call, a leaf for each position at depth 0 or with a full
board and for each move found winning. The evaluations that
order the children of a node are not counted as leaves; what they cost shows in the seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palestra_bots.jit import njit
from palestra_bots.reports.board import SIZE, Cells, free_row, is_full, wins_at
from palestra_bots.reports.esteve_hawking import LEAVES, LOST, NODES, WON, Counts, compiled_open_lines, root_move
from palestra_bots.reports.study import BLUE, DEPTH, GAME

Numbers = NDArray[np.int64]

# Zobrist's random number for each colour on each cell; a position's key is their exclusive or (63 bits).
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
    colour = 0 if mover == 1 else 1
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


def report_root(cells: Cells, key: int, me: int, table: Numbers, scratch: Numbers, counts: Counts) -> int:
    """The value with the report's root: a winning move at once, else every move with the full window."""
    colour = 0 if me == 1 else 1

    def value_after(place: int) -> int:
        child_key = key ^ int(KEYS[colour, place])
        return value(cells, child_key, DEPTH - 1, -me, me, LOST, WON, table, scratch, counts)

    return root_move(cells, me, counts, value_after)[0]


@njit("int64(int8[::1], int64, int64, int64[:, ::1], int64[:, ::1], int64[::1])")
def usual_root(cells: Cells, key: int, me: int, table: Numbers, scratch: Numbers, counts: Counts) -> int:
    """The value with a root like every other node: what a move is worth narrows the window of the next."""
    return value(cells, key, DEPTH, me, me, LOST, WON, table, scratch, counts)


@njit("int64(int8[::1], int64, int64, int64[:, ::1], int64[:, ::1], int64[::1])")
def mtdf(cells: Cells, key: int, me: int, table: Numbers, scratch: Numbers, counts: Counts) -> int:
    """The value by zero-window passes (Plaat 1996), from the evaluation of the position as first guess."""
    lower, upper = LOST, WON
    guess = compiled_open_lines(cells, me)
    while lower < upper:
        beta = max(guess, lower + 1)
        guess = value(cells, key, DEPTH, me, me, beta - 1, beta, table, scratch, counts)
        if guess < beta:
            upper = guess
        else:
            lower = guess
    return guess


@dataclass(frozen=True, slots=True)
class Refinement:
    """A search that the report did not try."""

    name: str
    root: Callable[[Cells, int, int, Numbers, Numbers, Counts], int]
    memory: bool


REFINEMENTS = (
    Refinement("ordered by evaluation", report_root, False),
    Refinement("... with a table", report_root, True),
    Refinement("... and a window at the root", usual_root, True),
    Refinement("... by MTD(f)", mtdf, True),
)


@dataclass(frozen=True, slots=True)
class Valued:
    """One turn of blue: what the search visited, and the value of the position for blue."""

    ply: int
    leaves: int
    nodes: int
    value: int


def measure(refinement: Refinement, each_turn: Callable[[Valued], None] = lambda _: None) -> tuple[int, int]:
    """(leaves, nodes) summed over blue's turns, as `study.measure`; `each_turn` is called after each.

    The table starts empty at every turn.
    """
    cells: Cells = np.zeros(SIZE * SIZE, dtype=np.int8)
    scratch: Numbers = np.zeros((DEPTH + 1, 2 * SIZE), dtype=np.int64)
    table: Numbers = np.zeros((TABLE_SIZE if refinement.memory else 0, 4), dtype=np.int64)
    totals = np.zeros(2, dtype=np.int64)
    key = 0
    for ply, played in enumerate(map(int, GAME)):
        mover = 1 if ply % 2 == 0 else BLUE
        if mover == BLUE:
            counts = np.zeros(2, dtype=np.int64)
            table[:] = 0
            found = refinement.root(cells, key, BLUE, table, scratch, counts)
            totals += counts
            each_turn(Valued(ply, int(counts[LEAVES]), int(counts[NODES]), int(found)))
        place = free_row(cells, played) * SIZE + played
        cells[place] = mover
        key ^= int(KEYS[0 if mover == 1 else 1, place])
    return int(totals[LEAVES]), int(totals[NODES])
