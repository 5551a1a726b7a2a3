"""Endgame tables: the value of every rest up to a number of seeds, indexed by its number.

Rests are numbered by the combinatorial number system: with N = 2 * pits and S_i the seeds in the first i pits (the
mover's pits first), a rest is number sum over i = 1..N of C(S_i + i - 1, i). Those with fewer seeds in all come first,
so a table for k seeds is one array of C(k + N, N) bytes (k = 12, 6 pits: 2,704,156), and its head is that for fewer.

Order of evaluation. A move that wins nothing puts no seed into the store, so that it ends within the own row, and each
seed it sows comes nearer to the own store. So the sum over all seeds of both players of their distance to their owner's
store gets smaller: no sequence of moves that win nothing comes back to a rest. A move that wins seeds leaves fewer on
the board. Hence going through the numbers in order and filling in what is still missing, depth first, ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest
from palestra_bots.solvers.mancala.rows import BYTE, EIGHT, MAX_PITS, MAX_SEEDS, Words, filled, play, sowing
from palestra_games.sowing import Capture

Values = NDArray[np.int8]
Numbers = NDArray[np.int64]

MAX_TABLE_SEEDS: Final = 20  # the largest table: 225,792,840 bytes with 6 pits

_UNKNOWN: Final = -128
_NOTHING: Final = -127
_SUMS: Final = np.uint64(0x010101010101)


def size(pits: int, seeds: int) -> int:
    """Rests with at most `seeds` seeds, those that are over (a row is empty) included."""
    return comb(seeds + 2 * pits, 2 * pits)


@cache
def numbering(pits: int) -> Numbers:
    """What each pit adds to the number of a rest, for `number_of`: (pit, the mover's first, and seeds up to there)."""
    table = np.zeros((2 * MAX_PITS, MAX_SEEDS + 1), np.int64)
    for place in range(2 * pits):
        row = place if place < pits else MAX_PITS + place - pits
        for seeds in range(1, MAX_SEEDS + 1):
            table[row, seeds] = comb(seeds + place, place + 1)
    return table


@njit("int64(uint64, uint64, int64[:, ::1])")
def number_of(own: np.uint64, other: np.uint64, numbers: Numbers) -> int:
    # A product with ones in every byte: byte i becomes the sum of the bytes up to i.
    sums = own * _SUMS
    number = numbers[0, sums & BYTE]
    for pit in range(1, MAX_PITS):
        sums >>= EIGHT
        number += numbers[pit, sums & BYTE]
    so_far = sums & BYTE
    sums = other * _SUMS
    for pit in range(MAX_PITS, 2 * MAX_PITS):
        number += numbers[pit, so_far + (sums & BYTE)]
        sums >>= EIGHT
    return int(number)


@njit("int64(uint64, uint64, uint64[:, :, ::1], int64[:, ::1], int8[::1])")
def _fill_in(own: np.uint64, other: np.uint64, sow: Words, numbers: Numbers, values: Values) -> int:
    """The value of a rest in play, from the table if it is there, else found and written."""
    number = number_of(own, other, numbers)
    best = np.int64(values[number])
    if best != _UNKNOWN:
        return int(best)
    best = np.int64(_NOTHING)
    actions = filled(own)
    while actions != ZERO:
        mine, theirs, won, again = play(own, other, lowest(actions), sow)
        actions &= actions - ONE
        value = np.int64(won)
        if again:
            value += _fill_in(mine, theirs, sow, numbers, values)
        elif mine != ZERO:
            value -= _fill_in(theirs, mine, sow, numbers, values)
        best = max(best, value)
    values[number] = best
    return int(best)


@njit("UniTuple(uint64, 2)(uint64, uint64, int64)")
def successor(own: np.uint64, other: np.uint64, pits: int) -> tuple[np.uint64, np.uint64]:
    """The rest with the next number.

    The next combination: of the pits behind the first, the first one that holds seeds gives one to the pit before it,
    and that pit gets what the very first one holds, too. If there is none, one seed more, all in the last pit.
    """
    first = own & BYTE
    own -= first
    place = lowest(own) >> 3 if own != ZERO else pits + (lowest(other) >> 3) if other != ZERO else 2 * pits
    moved = first + ONE
    if place < pits:
        own -= ONE << (EIGHT * np.uint64(place))
    elif place < 2 * pits:
        other -= ONE << (EIGHT * np.uint64(place - pits))
    place -= 1
    if place < pits:
        own += moved << (EIGHT * np.uint64(place))
    else:
        other += moved << (EIGHT * np.uint64(place - pits))
    return own, other


@njit("void(int64, uint64[:, :, ::1], int64[:, ::1], int8[::1])")
def _fill(pits: int, sow: Words, numbers: Numbers, values: Values) -> None:
    own, other = ZERO, ZERO
    for number in range(values.shape[0]):
        if own == ZERO or other == ZERO:
            values[number] = 0  # over, and never looked up
        elif values[number] == _UNKNOWN:
            _fill_in(own, other, sow, numbers, values)
        own, other = successor(own, other, pits)


@dataclass(frozen=True, slots=True, eq=False)
class EndgameTable:
    """`values`: int8 by number, the value of every rest with at most `seeds` seeds, for its player to move."""

    pits: int
    capture: Capture
    seeds: int
    values: Values

    def head(self, seeds: int) -> EndgameTable:
        """The table for fewer seeds that is its beginning; itself if `seeds` isn't fewer."""
        if seeds >= self.seeds:
            return self
        return EndgameTable(self.pits, self.capture, seeds, self.values[: size(self.pits, seeds)])


def build(pits: int, capture: Capture, seeds: int) -> EndgameTable:
    """Makes a table. ValueError for a size that makes no sense."""
    if not 0 <= seeds <= MAX_TABLE_SEEDS:
        raise ValueError(f"An endgame table is for 0 to {MAX_TABLE_SEEDS} seeds, not {seeds}.")
    sow = sowing(pits, capture)
    values = np.full(size(pits, seeds), _UNKNOWN, np.int8)
    with np.errstate(over="ignore"):
        _fill(pits, sow, numbering(pits), values)
    return EndgameTable(pits, capture, seeds, values)
