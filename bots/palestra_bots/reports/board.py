"""The 8 x 8 board of the report's players: an array of 64 cells, for compiled code.

`cells[8 * row + col]`, row 0 at the bottom: 0 empty, 1 red (seat 0), -1 blue (seat 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palestra_bots.jit import njit

SIZE = 8
Cells = NDArray[np.int8]


def cells_of(wire_cells: Sequence[int]) -> Cells:
    """The board from cells in wire order (0, 1 and 2)."""
    return np.array([(0, 1, -1)[value] for value in wire_cells], dtype=np.int8)


@njit("int64(int8[::1], int64)")
def free_row(cells: Cells, col: int) -> int:
    """The row where a piece dropped into `col` comes to rest; 8 if the column is full."""
    for row in range(SIZE):
        if cells[row * SIZE + col] == 0:
            return row
    return SIZE


@njit("boolean(int8[::1])")
def is_full(cells: Cells) -> bool:
    """Whether no column has room."""
    for col in range(SIZE):  # noqa: SIM110 (Numba compiles no generator, and an array per node costs too much)
        if cells[(SIZE - 1) * SIZE + col] == 0:
            return False
    return True


@njit("boolean(int8[::1], int64, int64)")
def wins_at(cells: Cells, row: int, col: int) -> bool:
    """Whether the piece at (row, col) is in a line of four or more of its colour."""
    colour = cells[row * SIZE + col]
    for d_row, d_col in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for side in (1, -1):
            r = row + side * d_row
            c = col + side * d_col
            while 0 <= r < SIZE and 0 <= c < SIZE and cells[r * SIZE + c] == colour:
                length += 1
                r += side * d_row
                c += side * d_col
        if length >= 4:
            return True
    return False
