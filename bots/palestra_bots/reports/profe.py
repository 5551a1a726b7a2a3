"""Profe, the professor's bot, as measured from the course's program: negamax with its own line counting."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from palestra_bots.jit import njit
from palestra_bots.reports.board import SIZE, Cells, free_row, is_full, wins_at

Digits = NDArray[np.int64]

# The widest window. No position reaches it: 130 lines of four are counted from two ends, at most 10 points each unless
# the last piece has filled them, and one piece is part of 16 at most: 2600 + 3200.
BOUND = 10_000

RED, BLUE, OUT_OF_REACH = 1, -1, 2
POINTS = {2: 1, 3: 10, 4: 100}


def _worth(line: tuple[int, ...]) -> int:
    """The points of four cells in line, seen from its two ends, for red: each end that holds a piece looks along the
    line, and counts 1, 10 or 100 for 2, 3 or 4 pieces of its colour and none of the other."""
    pieces = [cell for cell in line if cell]
    if OUT_OF_REACH in pieces or len(set(pieces)) != 1:
        return 0
    return (line[0] + line[3]) * POINTS.get(len(pieces), 0)


# `_worth` by the number that the four cells make in base 4 (blue is 3: -1 modulo 4).
WORTH = np.array([_worth(line) for line in product((0, RED, OUT_OF_REACH, BLUE), repeat=4)], dtype=np.int64)


@njit("int64(int8[::1], int64, boolean, int64[::1])")
def score(cells: Cells, side: int, supported: bool, digits: Digits) -> int:
    """The bot's evaluation for colour `side`: the points of all its lines, less those of the other colour.

    With `supported`, a line counts only if each of its cells is in row 0 or has a piece under it. `digits` is scratch
    space, one number a cell: to allocate it here, at every leaf, would cost more than the evaluation.
    """
    for cell in range(SIZE * SIZE):
        floats = cell >= SIZE and cells[cell - SIZE] == 0
        digits[cell] = OUT_OF_REACH if supported and floats else cells[cell] & 3
    total = 0
    for d_row, d_col in ((0, 1), (1, 0), (1, 1), (1, -1)):
        step = d_row * SIZE + d_col
        for row in range(SIZE - 3 * d_row):
            for col in range(3 if d_col < 0 else 0, SIZE - 3 if d_col > 0 else SIZE):
                cell = row * SIZE + col
                first, second = digits[cell], digits[cell + step]
                third, last = digits[cell + 2 * step], digits[cell + 3 * step]
                total += WORTH[64 * first + 16 * second + 4 * third + last]
    return total * side


@njit("int64(int8[::1], int64, int64, boolean, int64, int64, boolean, int64[::1])")
def value(
    cells: Cells, depth: int, side: int, won: bool, alpha: int, beta: int, supported: bool, digits: Digits
) -> int:
    """The value for `side`, who is to move; `won` says that the last move made four, which has no value of its own."""
    if depth == 0 or won or is_full(cells):
        return score(cells, side, supported, digits)
    for col in range(SIZE):
        row = free_row(cells, col)
        if row == SIZE:
            continue
        cells[row * SIZE + col] = side
        child = -value(cells, depth - 1, -side, wins_at(cells, row, col), -beta, -alpha, supported, digits)
        cells[row * SIZE + col] = 0
        alpha = max(alpha, child)
        if beta <= alpha:
            break
    return alpha


def move(cells: Cells, depth: int, side: int, supported: bool) -> int:
    """The column that the bot plays: the first of the best.

    The bot searches each with the full window; here a later one need only be better, which chooses the same. The search
    starts from column 0, which it would play if no move were worth more than -10000; one always is.
    """
    return _move(cells, depth, side, supported, np.zeros(SIZE * SIZE, dtype=np.int64))


@njit("int64(int8[::1], int64, int64, boolean, int64[::1])")
def _move(cells: Cells, depth: int, side: int, supported: bool, digits: NDArray[np.int64]) -> int:
    best, chosen = -BOUND, 0
    for col in range(SIZE):
        row = free_row(cells, col)
        if row == SIZE:
            continue
        cells[row * SIZE + col] = side
        child = -value(cells, depth - 1, -side, wins_at(cells, row, col), -BOUND, -best, supported, digits)
        cells[row * SIZE + col] = 0
        if child > best:
            best, chosen = child, col
    return chosen
