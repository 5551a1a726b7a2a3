"""The opening book: exact scores and best columns of early positions, found by the solver (`book_builder`).

The key of a position writes its columns from left to right as base-3 digits, each from the bottom: 1 for a stone of the
player to move, 2 for one of the other, and a 0 at the end of every column but the last. Up to 14 plies that fits 32
bits. Mirror images share the smaller key; the action is a column of the board that has it.
"""

from __future__ import annotations

from functools import cache

from palestra_bots.solvers import books
from palestra_bots.solvers.books import Entry
from palestra_bots.solvers.connect4.bitboard import COLS, ROWS

MAX_PLY = 14


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


class Book(books.Book):
    def look_up(self, own: int, mask: int) -> Entry | None:
        """The entry of a position (layout: `bitboard`), or None if the book does not hold it."""
        if mask.bit_count() > MAX_PLY:
            return None
        key, is_mirrored = key_of(own, mask)
        entry = self.find(key)
        return entry._replace(action=COLS - 1 - entry.action) if entry is not None and is_mirrored else entry


@cache
def load_book() -> Book:
    return Book(books.path_of("connect4").read_bytes())
