"""A grid as bits, and its lines of four: 6 x 7 and, loaded as variants, 8 x 8 (Connect Four) and 7 x 7 (Desconecta-4).

bit = col * HEIGHT + row. Where there is room, each column has an empty guard bit on top, as in palestra_games.grid.
8 x 8 fills the word: there every shift that could run from one column into the next is followed by a mask of the rows
where it is meant. Elsewhere those masks are all ones and vanish when compiled. (What the masks cost is measured with
the variant "6x7-masked", which uses no guard; see benchmarks/search.py.)
"""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ALL, ZERO, popcount
from palestra_bots.kernels.load import variant_of

VARIANT: Final = variant_of(__name__, "6x7")
ROWS, COLS = {"8x8": (8, 8), "7x7": (7, 7)}.get(VARIANT, (6, 7))
GUARDED: Final = VARIANT in ("6x7", "7x7")  # whether the guard bits keep the columns apart, or masks
HEIGHT: Final = min(ROWS + 1, 8)  # bits of a column


def _rows(low: int, high: int) -> np.uint64:
    """The cells of the rows from `low` to `high`; every bit where the guard makes the mask needless."""
    if GUARDED:
        return ALL
    return np.uint64(sum(1 << col * HEIGHT + row for col in range(COLS) for row in range(low, high + 1)))


FLOOR: Final = np.uint64(sum(1 << col * HEIGHT for col in range(COLS)))
CELLS: Final = np.uint64(sum(((1 << ROWS) - 1) << col * HEIGHT for col in range(COLS)))

# Steps of one, two and three cells to the right (E), up (N), up-right (NE) and down-right (SE).
E1, E2, E3 = np.uint64(HEIGHT), np.uint64(2 * HEIGHT), np.uint64(3 * HEIGHT)
N1, N2, N3 = np.uint64(1), np.uint64(2), np.uint64(3)
NE1, NE2, NE3 = np.uint64(HEIGHT + 1), np.uint64(2 * HEIGHT + 2), np.uint64(3 * HEIGHT + 3)
SE1, SE2, SE3 = np.uint64(HEIGHT - 1), np.uint64(2 * HEIGHT - 2), np.uint64(3 * HEIGHT - 3)

# Where a line may start that goes up, and one that goes down.
UP_START, DOWN_START = _rows(0, ROWS - 4), _rows(3, ROWS - 1)
FROM_1, FROM_2, FROM_3 = _rows(1, ROWS - 1), _rows(2, ROWS - 1), _rows(3, ROWS - 1)
TO_1, TO_2, TO_3 = _rows(0, ROWS - 2), _rows(0, ROWS - 3), _rows(0, ROWS - 4)
NOT_FLOOR: Final = np.uint64(int(CELLS) & ~int(FLOOR))

# For move ordering: on how many lines of four a cell lies.
CELL_LINES: Final = np.zeros(64, np.int64)
for _row in range(ROWS):
    for _col in range(COLS):
        for _down, _right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            _line = [(_row + step * _down, _col + step * _right) for step in range(4)]
            if all(0 <= row < ROWS and 0 <= col < COLS for row, col in _line):
                for row, col in _line:
                    CELL_LINES[col * HEIGHT + row] += 1

MOST_LINES: Final = int(CELL_LINES.max())
COLUMN_0: Final = np.uint64((1 << ROWS) - 1)


@njit("uint64(uint64)")
def mirrored(cells: np.uint64) -> np.uint64:
    image = ZERO
    for col in range(COLS):
        image |= ((cells >> np.uint64(col * HEIGHT)) & COLUMN_0) << np.uint64((COLS - 1 - col) * HEIGHT)
    return image


@njit("uint64(uint64)")
def line_starts(stones: np.uint64) -> np.uint64:
    """The first cells (left, or bottom) of all lines of four."""
    east = stones & (stones >> E1)
    north = stones & (stones >> N1)
    rising = stones & (stones >> NE1)
    falling = stones & (stones >> SE1)
    lines = east & (east >> E2)
    lines |= (north & (north >> N2) | rising & (rising >> NE2)) & UP_START
    lines |= falling & (falling >> SE2) & DOWN_START
    return lines


@njit("uint64(uint64, uint64, uint64, uint64, uint64, uint64)")
def _completing(
    back_1: np.uint64, back_2: np.uint64, back_3: np.uint64, on_1: np.uint64, on_2: np.uint64, on_3: np.uint64
) -> np.uint64:
    """The cells with stones one, two and three steps back and on in one direction, so that one is missing."""
    behind, ahead = back_1 & back_2, on_1 & on_2
    return (behind & (back_3 | on_1)) | (ahead & (on_3 | back_1))


@njit("uint64(uint64)")
def completing_cells(stones: np.uint64) -> np.uint64:
    """The cells, free or not, that make a line of four with three of these stones; also guard bits, and bits beyond."""
    cells = (stones << N1) & (stones << N2) & (stones << N3) & FROM_3
    cells |= _completing(stones << E1, stones << E2, stones << E3, stones >> E1, stones >> E2, stones >> E3)
    cells |= _completing(
        (stones << NE1) & FROM_1,
        (stones << NE2) & FROM_2,
        (stones << NE3) & FROM_3,
        (stones >> NE1) & TO_1,
        (stones >> NE2) & TO_2,
        (stones >> NE3) & TO_3,
    )
    cells |= _completing(
        (stones << SE1) & TO_1,
        (stones << SE2) & TO_2,
        (stones << SE3) & TO_3,
        (stones >> SE1) & FROM_1,
        (stones >> SE2) & FROM_2,
        (stones >> SE3) & FROM_3,
    )
    return cells


@njit("int64(uint64)")
def open_windows(free: np.uint64) -> int:
    """In how many places four in a row fit into these cells."""
    east = free & (free >> E1)
    north = free & (free >> N1)
    rising = free & (free >> NE1)
    falling = free & (free >> SE1)
    return (
        popcount(east & (east >> E2))
        + popcount(north & (north >> N2) & UP_START)
        + popcount(rising & (rising >> NE2) & UP_START)
        + popcount(falling & (falling >> SE2) & DOWN_START)
    )
