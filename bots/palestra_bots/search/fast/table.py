"""The transposition table: bounds and best actions by position, two words an entry in one array.

The key of the position, and then
  bits 0-15   the lower bound, 16-31 the upper bound (both + 32768),
  32-39       how many plies deep it was searched,
  40-43       the best action + 1,
  44, 45      whether the lower, the upper bound is settled: it hangs on no estimate, so it holds at any greater depth,
  46-51       the age: in which search it was written.

There is no lock: a table belongs to one search at a time.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO
from palestra_bots.kernels.interface import INFINITY, WIN

Words = NDArray[np.uint64]

BIAS: Final = 32_768
LOW_16: Final = np.uint64(0xFFFF)
LOW_8: Final = np.uint64(0xFF)
LOW_6: Final = np.uint64(0x3F)
LOW_4: Final = np.uint64(0xF)
UPPER_AT: Final = np.uint64(16)
PLIES_AT: Final = np.uint64(32)
ACTION_AT: Final = np.uint64(40)
SETTLED_LOWER: Final = np.uint64(1 << 44)
SETTLED_UPPER: Final = np.uint64(1 << 45)
AGE_AT: Final = np.uint64(46)
NOTHING: Final = np.uint64((BIAS - INFINITY) | ((BIAS + INFINITY) << 16))  # an entry without information


@njit("uint64(uint64[:, ::1], uint64)")
def probe(table: Words, key: np.uint64) -> np.uint64:
    """What the table knows about the position with this key; NOTHING if it isn't there."""
    first = key & np.uint64(table.shape[0] - 2)
    if table[first, 0] == key:
        return np.uint64(table[first, 1])
    if table[first + ONE, 0] == key:
        return np.uint64(table[first + ONE, 1])
    return NOTHING


@njit("int64(uint64)")
def lower_of(entry: np.uint64) -> int:
    return int(np.int64(entry & LOW_16)) - BIAS


@njit("int64(uint64)")
def upper_of(entry: np.uint64) -> int:
    return int(np.int64((entry >> UPPER_AT) & LOW_16)) - BIAS


@njit("int64(uint64)")
def plies_of(entry: np.uint64) -> int:
    """How many plies deep it was searched."""
    return int(np.int64((entry >> PLIES_AT) & LOW_8))


@njit("int64(uint64)")
def action_of(entry: np.uint64) -> int:
    """The action that was best; -1 if none is known."""
    return int(np.int64((entry >> ACTION_AT) & LOW_4)) - 1


@njit("void(uint64[:, ::1], uint64, int64, int64, int64, int64, int64, int64, int64)")
def remember(
    table: Words,
    key: np.uint64,
    plies: int,
    value: int,
    alpha: int,
    beta: int,
    action: int,
    still_open: int,
    age: int,
) -> None:
    """Write what a search of `plies` plies with the window (alpha, beta) found.

    Two neighbouring entries share their place: the first keeps the deeper search, the second the latest.
    """
    first = key & np.uint64(table.shape[0] - 2)
    index = first
    old = NOTHING
    if table[first, 0] == key:
        old = table[first, 1]
    elif table[first + ONE, 0] == key:
        index = first + ONE
        old = table[index, 1]
    else:
        there = table[first, 1]
        same_age = np.int64((there >> AGE_AT) & LOW_6) == age
        if same_age and plies_of(there) > plies:
            index = first + ONE

    lower = value if value > alpha else -INFINITY
    upper = value if value < beta else INFINITY
    settled_lower = still_open == 0 or lower == WIN
    settled_upper = still_open == 0 or upper == -WIN
    same_depth = plies_of(old) == plies
    shallower = plies_of(old) <= plies
    if lower_of(old) > lower and (same_depth or (shallower and old & SETTLED_LOWER != ZERO)):
        lower = lower_of(old)
        settled_lower = old & SETTLED_LOWER != ZERO
    if upper_of(old) < upper and (same_depth or (shallower and old & SETTLED_UPPER != ZERO)):
        upper = upper_of(old)
        settled_upper = old & SETTLED_UPPER != ZERO
    best = np.uint64(action + 1)
    if value <= alpha and (old >> ACTION_AT) & LOW_4 != ZERO:
        best = (old >> ACTION_AT) & LOW_4  # all actions failed, so that none is known to be better than that one
    table[index, 0] = key
    table[index, 1] = (
        np.uint64(lower + BIAS)
        | (np.uint64(upper + BIAS) << UPPER_AT)
        | (np.uint64(plies) << PLIES_AT)
        | (best << ACTION_AT)
        | (SETTLED_LOWER if settled_lower else ZERO)
        | (SETTLED_UPPER if settled_upper else ZERO)
        | (np.uint64(age) << AGE_AT)
    )
