"""Transposition table: buckets of two entries, the first kept by work done, the second always replaced.

An entry is two words, `[stones | lower << 49 | upper << 55, dead | work << 49]`: the whole key (see `keys`), a lower
and an upper bound of the score, and the bit length of the number of nodes that the bounds cost. The first word is kept
XORed with a mix of the second (Hyatt and Mann, "A lock-less transposition-table implementation for parallel search",
ICGA Journal 2002): half-written entries of another thread then fail the comparison of keys, and no lock is needed.
The mix is needed because two entries may differ in nothing but the work: it carries those top bits down into the key.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palestra_bots.jit import njit, prefetch
from palestra_bots.kernels.bits import ONE, ZERO
from palestra_bots.solvers.connect4.bitboard import TWO, Word
from palestra_bots.solvers.connect4.keys import bucket_of

Words = npt.NDArray[np.uint64]

# Scores are stored with this added, so that they fit six bits without a sign.
_OFFSET = 31
_KEY = Word((1 << 49) - 1)
_SIX_BITS = Word(63)
_LOWER_AT = Word(49)
_UPPER_AT = Word(55)
_WORK_AT = Word(49)
_LOWEST, _HIGHEST = -_OFFSET, _OFFSET

_MULTIPLY = Word(0x9FB21C651E98DF25)
_HALF = Word(32)


def new_table(bits: int) -> Words:
    """An empty table of 2**bits entries, 16 bytes each."""
    return np.zeros((1 << bits, 2), np.uint64)


@njit("uint64(uint64)")
def _veil(second: Word) -> Word:
    """What the first word of an entry is XORed with."""
    mixed = second * _MULTIPLY
    return mixed ^ (mixed >> _HALF)


@njit("uint64(uint64, uint64, uint64[:, ::1])")
def find_slot(stones: Word, dead: Word, table: Words) -> Word:
    """Where the bucket of a key begins; its memory is on the way from now on."""
    slot = bucket_of(stones, dead, Word(table.shape[0] // 2)) * TWO
    prefetch(table, slot)
    return slot


@njit("UniTuple(int64, 2)(uint64, uint64, uint64, uint64[:, ::1])")
def probe(stones: Word, dead: Word, slot: Word, table: Words) -> tuple[int, int]:
    """(lower, upper) bound of the score known for a key, which has this `find_slot`; the widest bounds if none are."""
    for _ in range(2):
        second = table[slot, 1]
        first = table[slot, 0] ^ _veil(second)
        if first & _KEY == stones and second & _KEY == dead:
            lower = int(np.int64((first >> _LOWER_AT) & _SIX_BITS)) - _OFFSET
            upper = int(np.int64((first >> _UPPER_AT) & _SIX_BITS)) - _OFFSET
            return lower, upper
        slot += ONE
    return _LOWEST, _HIGHEST


@njit("void(uint64, uint64, uint64, int64, int64, int64, uint64[:, ::1])")
def store(stones: Word, dead: Word, slot: Word, lower: int, upper: int, nodes: int, table: Words) -> None:
    """Keep bounds that took `nodes` nodes to find."""
    work = ZERO
    while nodes:
        nodes >>= 1
        work += ONE
    second = table[slot, 1]
    first = table[slot, 0] ^ _veil(second)
    if first & _KEY != stones or second & _KEY != dead:
        if work < second >> _WORK_AT:
            slot += ONE
        else:
            table[slot + ONE, 0] = table[slot, 0]
            table[slot + ONE, 1] = second
    second = dead | (work << _WORK_AT)
    first = stones | (Word(lower + _OFFSET) << _LOWER_AT) | (Word(upper + _OFFSET) << _UPPER_AT)
    table[slot, 0] = first ^ _veil(second)
    table[slot, 1] = second
