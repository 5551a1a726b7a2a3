"""The board of Desconecta-4 as bits, and its lines of four: bit = col * 8 + row, row 7 is an empty guard."""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit

SIZE: Final = 7


def cells_in(columns: range, rows: range) -> np.uint64:
    return np.uint64(sum(1 << col * 8 + row for col in columns for row in rows))


FLOOR: Final = cells_in(range(SIZE), range(1))
CELLS: Final = cells_in(range(SIZE), range(SIZE))
COLUMN_0: Final = np.uint64(0x7F)

E1, E2, E3 = np.uint64(8), np.uint64(16), np.uint64(24)
N1, N2, N3 = np.uint64(1), np.uint64(2), np.uint64(3)
NE1, NE2, NE3 = np.uint64(9), np.uint64(18), np.uint64(27)
SE1, SE2, SE3 = np.uint64(7), np.uint64(14), np.uint64(21)


@njit("uint64(uint64)")
def line_starts(pieces: np.uint64) -> np.uint64:
    """The first cells (left, or bottom) of all lines of four."""
    east = pieces & (pieces >> E1)
    north = pieces & (pieces >> N1)
    rising = pieces & (pieces >> NE1)
    falling = pieces & (pieces >> SE1)
    return (east & (east >> E2)) | (north & (north >> N2)) | (rising & (rising >> NE2)) | (falling & (falling >> SE2))


@njit("uint64(uint64, uint64, uint64, uint64)")
def _completing(pieces: np.uint64, step_1: np.uint64, step_2: np.uint64, step_3: np.uint64) -> np.uint64:
    """The cells that lack in a line of four along one direction."""
    behind = (pieces << step_1) & (pieces << step_2)
    ahead = (pieces >> step_1) & (pieces >> step_2)
    return (behind & ((pieces << step_3) | (pieces >> step_1))) | (ahead & ((pieces >> step_3) | (pieces << step_1)))


@njit("uint64(uint64)")
def completing_cells(pieces: np.uint64) -> np.uint64:
    """The cells, free or not, that make a line of four with three of these pieces."""
    cells = (pieces << N1) & (pieces << N2) & (pieces << N3)
    cells |= _completing(pieces, E1, E2, E3)
    cells |= _completing(pieces, NE1, NE2, NE3)
    cells |= _completing(pieces, SE1, SE2, SE3)
    return cells
