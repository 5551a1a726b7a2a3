"""Transposition table of rests: bounds of the value, two words an entry in one array.

    [own row | lower << 48 | upper << 56,  other row | work << 48]

The key is whole, so that two rests are never taken for each other. Bounds have MAX_SEEDS added. `work` is the bit
length of the number of nodes that the bounds cost. A bucket has two entries: the first keeps the one that cost more,
the second the latest. An empty entry has an empty own row, which no rest in play has.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE
from palestra_bots.solvers.mancala.rows import BYTE, MAX_SEEDS, ROW, STORE_AT, Words

_UPPER_AT: Final = np.uint64(56)
_MULTIPLY_1: Final = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_2: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_HALF: Final = np.uint64(32)


def new_table(bits: int) -> Words:
    """An empty table of 2**bits entries, 16 bytes each."""
    return np.zeros((1 << bits, 2), np.uint64)


@njit("uint64(uint64, uint64, uint64)")
def _bucket(own: np.uint64, other: np.uint64, entries: np.uint64) -> np.uint64:
    """The first entry of a rest's bucket."""
    mixed = own * _MULTIPLY_1 + (other ^ (other >> _HALF)) * _MULTIPLY_2
    mixed = (mixed ^ (mixed >> _HALF)) * _MULTIPLY_1
    return np.uint64((mixed ^ (mixed >> _HALF)) & (entries - ONE - ONE))


@njit("UniTuple(int64, 2)(uint64, uint64, uint64[:, ::1])")
def probe(own: np.uint64, other: np.uint64, table: Words) -> tuple[int, int]:
    """(lower bound, upper bound) of a rest, as far as they are known."""
    slot = _bucket(own, other, np.uint64(table.shape[0]))
    for _ in range(2):
        first, second = table[slot, 0], table[slot, 1]
        if first & ROW == own and second & ROW == other:
            lower = int(np.int64((first >> STORE_AT) & BYTE)) - MAX_SEEDS
            upper = int(np.int64(first >> _UPPER_AT)) - MAX_SEEDS
            return lower, upper
        slot += ONE
    return -MAX_SEEDS, MAX_SEEDS


@njit("void(uint64, uint64, int64, int64, int64, uint64[:, ::1])")
def store(own: np.uint64, other: np.uint64, lower: int, upper: int, nodes: int, table: Words) -> None:
    """Keep bounds that took `nodes` nodes to find."""
    work = np.uint64(0)
    while nodes:
        nodes >>= 1
        work += ONE
    slot = _bucket(own, other, np.uint64(table.shape[0]))
    if table[slot, 0] & ROW != own or table[slot, 1] & ROW != other:
        if table[slot, 1] >> STORE_AT > work:
            slot += ONE
        else:
            # What was there is still the latest of the others.
            table[slot + ONE, 0] = table[slot, 0]
            table[slot + ONE, 1] = table[slot, 1]
    table[slot, 0] = own | (np.uint64(lower + MAX_SEEDS) << STORE_AT) | (np.uint64(upper + MAX_SEEDS) << _UPPER_AT)
    table[slot, 1] = other | (work << STORE_AT)
