"""The opening book: exact scores and best columns of early positions, found by the solver (`book_builder`).

File: magic, number of entries (uint32, little endian), 16 bytes of BLAKE2b over what follows, then the entries by
columns: sorted keys (uint32), scores (int8), actions (uint8); six bytes an entry.

The key of a position writes its columns from left to right as base-3 digits, each from the bottom: 1 for a stone of the
player to move, 2 for one of the other, and a 0 at the end of every column but the last. Up to 14 plies that fits 32
bits. Mirror images share the smaller key; the action is a column of the board that has it.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from palestra_bots.solvers.connect4.bitboard import COLS, ROWS

MAGIC = b"palestra connect4 book 1\n"
MAX_PLY = 14
FILE = "connect4.book"
_HEADER = struct.Struct("<I16s")
_ENTRY_BYTES = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """Exact `score` of a position in the view of its mover, and an `action` (column from 0) that keeps it."""

    score: int
    action: int


def key_of(own: int, mask: int) -> tuple[int, bool]:
    """(key, whether it is the key of the mirror image) of a position of at most `MAX_PLY` plies."""
    keys = []
    for columns in (range(COLS), reversed(range(COLS))):
        key = 0
        for col in columns:
            stones, filled = own >> col * (ROWS + 1), mask >> col * (ROWS + 1)
            for row in range(ROWS):
                if not filled >> row & 1:
                    break
                key = key * 3 + (1 if stones >> row & 1 else 2)
            key *= 3
        keys.append(key // 3)
    return min(keys), keys[1] < keys[0]


class Book:
    def __init__(
        self, keys: npt.NDArray[np.uint32], scores: npt.NDArray[np.int8], actions: npt.NDArray[np.uint8]
    ) -> None:
        self._keys, self._scores, self._actions = keys, scores, actions

    def __len__(self) -> int:
        return len(self._keys)

    def look_up(self, own: int, mask: int) -> Entry | None:
        """The entry of a position (layout: `bitboard`), or None if the book does not hold it."""
        if mask.bit_count() > MAX_PLY:
            return None
        key, is_mirrored = key_of(own, mask)
        at = int(np.searchsorted(self._keys, np.uint32(key)))
        if at == len(self._keys) or int(self._keys[at]) != key:
            return None
        action = int(self._actions[at])
        return Entry(int(self._scores[at]), COLS - 1 - action if is_mirrored else action)

    @classmethod
    def of(cls, entries: dict[int, Entry]) -> Book:
        """A book of the entries by key."""
        keys = sorted(entries)
        return cls(
            np.array(keys, np.uint32),
            np.array([entries[key].score for key in keys], np.int8),
            np.array([entries[key].action for key in keys], np.uint8),
        )

    def to_bytes(self) -> bytes:
        """The content of a book file."""
        body = self._keys.astype("<u4").tobytes() + self._scores.tobytes() + self._actions.tobytes()
        return MAGIC + _HEADER.pack(len(self), _checksum(body)) + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Book:
        """Read `to_bytes`; ValueError if the data is damaged or something else."""
        start = len(MAGIC) + _HEADER.size
        if not data.startswith(MAGIC) or len(data) < start:
            raise ValueError("This is no connect-four opening book.")
        count, checksum = _HEADER.unpack_from(data, len(MAGIC))
        body = data[start:]
        if len(body) != count * _ENTRY_BYTES or _checksum(body) != checksum:
            raise ValueError("The connect-four opening book is damaged; install palestra-bots again or rebuild it.")
        return cls(
            np.frombuffer(body, "<u4", count).astype(np.uint32),
            np.frombuffer(body, np.int8, count, 4 * count),
            np.frombuffer(body, np.uint8, count, 5 * count),
        )


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()


def book_path() -> Path:
    """Where the book of this package is."""
    return Path(str(resources.files("palestra_bots.solvers.books").joinpath(FILE)))


@cache
def load_book() -> Book:
    return Book.from_bytes(book_path().read_bytes())
