"""Positions without stores: two rows of pits packed in bytes, and how a move changes them.

What is still to be won depends on the pits and on who moves, never on the stores. So the solver works on *rests*: the
row of the player to move and the row of the other, byte i being that player's pit i + 1 (pit 1 is nearest the store).
The value of a rest is what its mover will put into the own store from here on, less what the other will.

Numba takes module globals as constants and its cache does not know them (see palestra_bots.jit), so that all that
depends on the number of pits or the capture rule is an array made at run time: `sowing`.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO
from palestra_games.mancala import MancalaState
from palestra_games.sowing import Capture

Words = NDArray[np.uint64]
Rest = tuple[np.uint64, np.uint64]

MAX_PITS: Final = 6  # pits a side
# Seeds on the board: a pit with more would not fit the arithmetic of `filled`, nor a value its byte in the table.
MAX_SEEDS: Final = 96

BYTE: Final = np.uint64(0xFF)
EIGHT: Final = np.uint64(8)
ROW: Final = np.uint64(0x0000FFFFFFFFFFFF)
STORE_AT: Final = np.uint64(48)
_LOW_BITS: Final = np.uint64(0x0000010101010101)
_HIGH_BITS: Final = np.uint64(0x0000808080808080)
_TO_HIGH: Final = np.uint64(0x00007F7F7F7F7F7F)
_SUM_AT: Final = np.uint64(40)
_SEVEN: Final = np.uint64(7)
_GATHER: Final = np.uint64(0x0102040810204080)
_GATHERED_AT: Final = np.uint64(56)

# Columns of `sowing`: what is added to the own row (its store in byte 6), to the other's, and where the last seed
# falls: bits 0-7 the shift of that byte of the own row (above STORE_AT: in the other's row), 8-15 the shift of the
# opposite pit, 16-23 how many seeds that one must hold for a capture.
_OWN, _OTHER, _LAST = range(3)


@cache
def sowing(pits: int, capture: Capture) -> Words:
    """What each move does, for `play`: (pit, seeds in it, column). ValueError for more than MAX_PITS pits."""
    if not 1 <= pits <= MAX_PITS:
        raise ValueError(f"The solver of mancala takes 1 to {MAX_PITS} pits a side, not {pits}.")
    table = np.zeros((pits, MAX_SEEDS + 1, 3), np.uint64)
    least = 0 if capture == "any" else 1
    # The ring as the mover sees it: own pits from the farthest to pit 1, the store, the other's pits likewise.
    shifts = [8 * pit for pit in reversed(range(pits))]
    ring = [*((_OWN, shift) for shift in shifts), (_OWN, int(STORE_AT)), *((_OTHER, shift) for shift in shifts)]
    for pit in range(pits):
        for seeds in range(1, MAX_SEEDS + 1):
            for step in range(1, seeds + 1):
                side, shift = ring[(pits - 1 - pit + step) % len(ring)]
                table[pit, seeds, side] += np.uint64(1 << shift)
            if side == _OTHER:
                shift = int(STORE_AT) + 8
            across = max(0, 8 * (pits - 1) - shift)
            table[pit, seeds, _LAST] = shift | across << 8 | least << 16
    return table


def rest_of(state: MancalaState) -> Rest:
    """The rest of a state, as its player to move sees it. ValueError for more pits or seeds than the solver takes."""
    seat = state.to_move
    rows = state.pits[seat], state.pits[1 - seat]
    if not 1 <= len(rows[0]) <= MAX_PITS or sum(map(sum, rows)) > MAX_SEEDS:
        raise ValueError(
            f"The solver of mancala takes up to {MAX_PITS} pits a side and {MAX_SEEDS} seeds on the board."
        )
    own, other = (sum(seeds << 8 * pit for pit, seeds in enumerate(row)) for row in rows)
    return np.uint64(own), np.uint64(other)


@njit("uint64(uint64)")
def filled(row: np.uint64) -> np.uint64:
    """The pits of a row that hold seeds, as a set: bit a is pit a + 1."""
    # A byte from 1 to 127 has its high bit set once 127 is added to it; then the six bits are gathered.
    high = ((row + _TO_HIGH) & _HIGH_BITS) >> _SEVEN
    return np.uint64((high * _GATHER) >> _GATHERED_AT)


@njit("int64(uint64)")
def seeds_in(row: np.uint64) -> int:
    return int(np.int64(((row * _LOW_BITS) >> _SUM_AT) & BYTE))


@njit("Tuple((uint64, uint64, int64, boolean))(uint64, uint64, int64, uint64[:, :, ::1])")
def play(own: np.uint64, other: np.uint64, action: int, sow: Words) -> tuple[np.uint64, np.uint64, int, bool]:
    """A legal move: (the mover's row, the other's row, seeds won by it, whether the same player moves again).

    If it ends the game both rows are empty, and what each player keeps is part of the seeds won.
    """
    shift = EIGHT * np.uint64(action)
    seeds = (own >> shift) & BYTE
    own = own - (seeds << shift) + sow[action, seeds, _OWN]
    other = other + sow[action, seeds, _OTHER]
    last = sow[action, seeds, _LAST]
    place = last & BYTE
    if place < STORE_AT:
        across = (last >> EIGHT) & BYTE
        captured = (other >> across) & BYTE
        if (own >> place) & BYTE == ONE and captured >= last >> (EIGHT + EIGHT):
            own = own - (ONE << place) + ((captured + ONE) << STORE_AT)
            other -= captured << across
    won = int(np.int64(own >> STORE_AT))
    own &= ROW
    if own == ZERO or other == ZERO:
        return ZERO, ZERO, won + seeds_in(own) - seeds_in(other), False
    return own, other, won, place == STORE_AT
