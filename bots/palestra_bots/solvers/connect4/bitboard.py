"""6x7 boards in one 64-bit word: seven bits a column, six cells and a guard bit on top.

Cell (row, col) is bit `col * 7 + row`, see `palestra_bots.kernels.lines`. A position is the pair
`(own, mask)`: the stones of the player to move, and all stones. The guard row stays empty, so shifted
lines never run from one column into the next (John Tromp's layout, also Pascal Pons').
Every word is a `numpy.uint64`: mixed with a signed integer it would turn into a float.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.load import load_variant

if TYPE_CHECKING:
    from palestra_bots.kernels import lines
else:
    lines = load_variant("palestra_bots.kernels.lines", "6x7")

Word = np.uint64

ROWS, COLS, CELLS = 6, 7, 42
TWO = Word(2)

COLUMN, BOTTOM, BOARD = lines.COLUMN_0, lines.FLOOR, lines.CELLS
STRIDE, DIAGONAL_UP, DIAGONAL_DOWN = lines.E1, lines.NE1, lines.SE1
# Odd and even squares (Allis 1988) count rows from 1 at the bottom.
ODD_ROWS = Word(int(BOTTOM) * 0b010101)
EVEN_ROWS = Word(int(BOTTOM) * 0b101010)


@njit("boolean(uint64)")
def has_four(stones: Word) -> bool:
    return bool(lines.line_starts(stones))


@njit("uint64(uint64, uint64)")
def threats(stones: Word, mask: Word) -> Word:
    """Empty cells that would complete a four of `stones`, playable now or not (after Pascal Pons)."""
    return lines.completing_cells(stones) & (BOARD ^ mask)


@njit("uint64(uint64)")
def mirrored(board: Word) -> Word:
    """The board with its columns in reverse order (guard bits are carried along)."""
    full = Word(0b1111111)
    out = board & (full << Word(21))
    for near, far in ((Word(0), Word(42)), (Word(7), Word(35)), (Word(14), Word(28))):
        out |= ((board >> near) & full) << far
        out |= ((board >> far) & full) << near
    return out
