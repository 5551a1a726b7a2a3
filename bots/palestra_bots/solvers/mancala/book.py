"""The opening book: positions of the match game that take too long to solve within a move, and what to play there.

An entry is a word: [number of the rest << 11 | (value + 64) << 4 | action], sorted. It says what the rest is worth to
its mover and one of the best moves. The file is the entries (little-endian), and their BLAKE2b digest.
`palestra_bots.solvers.mancala.book_builder` makes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palestra_bots.solvers.mancala.endgame import number_of, numbering
from palestra_bots.solvers.mancala.rows import rest_of
from palestra_games.mancala import MancalaState

FILE: Final = "mancala.book"
_DIGEST: Final = 16
_NUMBER_AT: Final = 11
_VALUE_AT: Final = 4
_BIAS: Final = 64
_PITS: Final = 6


class Entry(NamedTuple):
    """`number` of a rest (see `endgame`), what it is worth to its mover, and one of the best moves."""

    number: int
    value: int
    action: int


def number_of_state(state: MancalaState) -> int:
    with np.errstate(over="ignore"):
        return int(number_of(*rest_of(state), numbering(len(state.pits[0]))))


def to_bytes(entries: Iterable[Entry]) -> bytes:
    words = [number << _NUMBER_AT | (value + _BIAS) << _VALUE_AT | action for number, value, action in sorted(entries)]
    body = np.array(words, "<u8").tobytes()
    return body + hashlib.blake2b(body, digest_size=_DIGEST).digest()


class Book:
    """A book in memory. ValueError if the bytes are not a whole book."""

    def __init__(self, content: bytes) -> None:
        body, digest = content[:-_DIGEST], content[-_DIGEST:]
        if len(body) % 8 or hashlib.blake2b(body, digest_size=_DIGEST).digest() != digest:
            raise ValueError("The opening book of mancala is damaged; install palestra-bots again or rebuild it.")
        self._words: NDArray[np.uint64] = np.frombuffer(body, "<u8")

    def __len__(self) -> int:
        return len(self._words)

    def look_up(self, state: MancalaState) -> Entry | None:
        """The entry of a position of the match game in play, or None."""
        if len(state.pits[0]) != _PITS or state.capture != "non-empty":
            return None
        number = number_of_state(state)
        place = int(np.searchsorted(self._words, np.uint64(number << _NUMBER_AT)))
        if place == len(self._words):
            return None
        word = int(self._words[place])
        if word >> _NUMBER_AT != number:
            return None
        return Entry(number, (word >> _VALUE_AT & 127) - _BIAS, word & 15)


def book_path() -> Path:
    """Where the book is in the package."""
    return Path(str(files("palestra_bots.solvers.books") / FILE))


@cache
def load_book() -> Book:
    return Book(book_path().read_bytes())
