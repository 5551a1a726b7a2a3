"""Esteve Hawking, the students' player: minimax and alpha-beta with the `open_lines` heuristic, and its counters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from palestra_bots.evaluations.open_lines import open_lines_score
from palestra_bots.jit import njit
from palestra_bots.reports.board import SIZE, Cells, free_row, is_full, wins_at

WON = 2**31 - 1  # Integer.MAX_VALUE and MIN_VALUE of the report's Java
LOST = -(2**31)

# What the report counts: `counts[NODES]` calls of the root, min or max function, and `counts[LEAVES]` positions at
# depth 0 or with a full board, plus the moves found to win inside a node (which make no node of their own).
Counts = NDArray[np.int64]
NODES, LEAVES = 0, 1

SECOND_COLUMN_FIRST = 1  # the order of columns that the report found best: 1 2 3 4 5 6 7 0

compiled_open_lines = njit("int64(int8[::1], int64)")(open_lines_score)


@njit("int64(int8[::1], int64, int64, int64, int64, int64, int64, boolean, int64[::1])")
def value(
    cells: Cells, depth: int, mover: int, me: int, alpha: int, beta: int, start: int, prune: bool, counts: Counts
) -> int:
    """The report's `max_valor` (the mover is `me`) and `min_valor` in one; the value is from the view of `me`.

    Columns are tried in the order (i + start) mod 8. Without `prune` it is plain minimax. `cells` is modified
    during the search, and restored.
    """
    counts[NODES] += 1
    if depth == 0 or is_full(cells):
        counts[LEAVES] += 1
        return compiled_open_lines(cells, me)
    maximizing = mover == me
    best = LOST if maximizing else WON
    for i in range(SIZE):
        col = (i + start) % SIZE
        row = free_row(cells, col)
        if row == SIZE:
            continue
        cells[row * SIZE + col] = mover
        if wins_at(cells, row, col):
            cells[row * SIZE + col] = 0
            counts[LEAVES] += 1
            return WON if maximizing else LOST
        child = value(cells, depth - 1, -mover, me, alpha, beta, start, prune, counts)
        cells[row * SIZE + col] = 0
        if maximizing:
            best = max(best, child)
            if prune:
                if beta <= best:
                    return best
                alpha = max(alpha, best)
        else:
            best = min(best, child)
            if prune:
                if best <= alpha:
                    return best
                beta = min(beta, best)
    return best


def root_move(cells: Cells, me: int, counts: Counts, value_after: Callable[[int], int]) -> tuple[int, int]:
    """The report's `Tria_moviment`: what the position is worth to `me`, and the column to play.

    A winning move is played at once. Any other is made on `cells` and valued by `value_after(place)`, where `place` is
    the index of its cell; ties go to the last.
    """
    counts[NODES] += 1
    best, chosen = LOST, -1
    for col in range(SIZE):
        row = free_row(cells, col)
        if row == SIZE:
            continue
        place = row * SIZE + col
        cells[place] = me
        if wins_at(cells, row, col):
            cells[place] = 0
            counts[LEAVES] += 1
            return WON, col
        child = value_after(place)
        cells[place] = 0
        if child >= best:
            best, chosen = child, col
    return best, chosen


def counted_move(cells: Cells, depth: int, me: int, start: int, prune: bool, counts: Counts) -> int:
    """The column that the report's search plays, with what it visited added to `counts`.

    Every move gets the full window, so the column doesn't depend on `start` or `prune`.
    """
    _, chosen = root_move(
        cells, me, counts, lambda _: value(cells, depth - 1, -me, me, LOST, WON, start, prune, counts)
    )
    return chosen


def move(cells: Cells, depth: int, me: int) -> int:
    """The column that the player plays, by alpha-beta in the order the report found best."""
    return counted_move(cells, depth, me, SECOND_COLUMN_FIRST, True, np.zeros(2, dtype=np.int64))
