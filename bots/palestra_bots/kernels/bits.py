"""Operations on sets of bits that every kernel needs."""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit

ONE: Final = np.uint64(1)
ZERO: Final = np.uint64(0)
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)

_PAIRS: Final = np.uint64(0x5555555555555555)
_NIBBLES: Final = np.uint64(0x3333333333333333)
_BYTES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM: Final = np.uint64(0x0101010101010101)
_S1: Final = np.uint64(1)
_S2: Final = np.uint64(2)
_S4: Final = np.uint64(4)
_S56: Final = np.uint64(56)
_S32: Final = np.uint64(32)
_S29: Final = np.uint64(29)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)


@njit("int64(uint64)")
def popcount(bits: np.uint64) -> int:
    """Written as the well-known sideways sum, which LLVM turns into one instruction."""
    bits = bits - ((bits >> _S1) & _PAIRS)
    bits = (bits & _NIBBLES) + ((bits >> _S2) & _NIBBLES)
    bits = (bits + (bits >> _S4)) & _BYTES
    return int(np.int64((bits * _SUM) >> _S56))


@njit("int64(uint64)")
def lowest(bits: np.uint64) -> int:
    """64 if there is none."""
    return popcount(~bits & (bits - ONE))


@njit("uint64(uint64)")
def mix(key: np.uint64) -> np.uint64:
    """Spread a key over all 64 bits: a bijection, so that different keys stay different.

    Source: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014), without its first shift.
    """
    key = (key ^ (key >> _S29)) * _MIX_1
    key = (key ^ (key >> _S32)) * _MIX_2
    return key ^ (key >> _S29)
