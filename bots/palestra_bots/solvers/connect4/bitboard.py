"""6x7 boards in one 64-bit word: seven bits a column, six cells and a guard bit on top.

Cell (row, col) is bit `col * 7 + row`, as in `palestra_games.connect4`. A position is the pair
`(own, mask)`: the stones of the player to move, and all stones. The guard row stays empty, so shifted
lines never run from one column into the next (John Tromp's layout, also Pascal Pons').
Every word is a `numpy.uint64`: mixed with a signed integer it would turn into a float.
"""

from __future__ import annotations

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO

Word = np.uint64

ROWS, COLS, CELLS = 6, 7, 42
STRIDE = Word(ROWS + 1)

TWO = Word(2)
THREE = Word(3)

COLUMN = Word(0b111111)
BOTTOM = Word(sum(1 << (col * 7) for col in range(COLS)))
BOARD = Word(int(BOTTOM) * 0b111111)
# Odd and even squares (Allis 1988) count rows from 1 at the bottom.
ODD_ROWS = Word(int(BOTTOM) * 0b010101)
EVEN_ROWS = Word(int(BOTTOM) * 0b101010)

DIAGONAL_DOWN = STRIDE - ONE
DIAGONAL_UP = STRIDE + ONE


@njit("boolean(uint64)")
def has_four(stones: Word) -> bool:
    # No early exit: which direction it is cannot be predicted.
    found = ZERO
    for shift in (ONE, STRIDE, DIAGONAL_DOWN, DIAGONAL_UP):
        pairs = stones & (stones >> shift)
        found |= pairs & (pairs >> (shift + shift))
    return bool(found)


@njit("uint64(uint64, uint64)")
def threats(stones: Word, mask: Word) -> Word:
    """Empty cells that would complete a four of `stones`, playable now or not (after Pascal Pons)."""
    found = (stones << ONE) & (stones << TWO) & (stones << THREE)
    for shift in (STRIDE, DIAGONAL_DOWN, DIAGONAL_UP):
        double = shift + shift
        pair = (stones << shift) & (stones << double)
        found |= pair & (stones << (double + shift))
        found |= pair & (stones >> shift)
        pair = (stones >> shift) & (stones >> double)
        found |= pair & (stones << shift)
        found |= pair & (stones >> (double + shift))
    return found & (BOARD ^ mask)


@njit("uint64(uint64)")
def mirrored(board: Word) -> Word:
    """The board with its columns in reverse order (guard bits are carried along)."""
    full = Word(0b1111111)
    out = board & (full << Word(21))
    for near, far in ((Word(0), Word(42)), (Word(7), Word(35)), (Word(14), Word(28))):
        out |= ((board >> near) & full) << far
        out |= ((board >> far) & full) << near
    return out
