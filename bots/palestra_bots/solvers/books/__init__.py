"""The opening books that come with the package, as `palestra-bots book` makes them.

A book is sorted words: key << 11 | (value + 64) << 4 | action, by the key that a game gives to a position. Its file is
these words (little-endian), and their BLAKE2b digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_DIGEST: Final = 16
_KEY_AT: Final = 11
_VALUE_AT: Final = 4
_BIAS: Final = 64


class Entry(NamedTuple):
    """What a position is worth to its mover, and one of the best moves."""

    value: int
    action: int


class Book:
    """A book in memory. ValueError if the bytes are not a whole book."""

    def __init__(self, content: bytes) -> None:
        body, digest = content[:-_DIGEST], content[-_DIGEST:]
        if len(body) % 8 or hashlib.blake2b(body, digest_size=_DIGEST).digest() != digest:
            raise ValueError("The opening book is damaged; install palestra-bots again or rebuild it.")
        self._words: NDArray[np.uint64] = np.frombuffer(body, "<u8")

    def __len__(self) -> int:
        return len(self._words)

    def find(self, key: int) -> Entry | None:
        place = int(np.searchsorted(self._words, np.uint64(key << _KEY_AT)))
        if place == len(self._words) or (word := int(self._words[place])) >> _KEY_AT != key:
            return None
        return Entry((word >> _VALUE_AT & 127) - _BIAS, word & 15)


def to_bytes(entries: Mapping[int, Entry]) -> bytes:
    """The content of a book file: the entries by key."""
    words = [key << _KEY_AT | (value + _BIAS) << _VALUE_AT | action for key, (value, action) in sorted(entries.items())]
    body = np.array(words, "<u8").tobytes()
    return body + hashlib.blake2b(body, digest_size=_DIGEST).digest()


def path_of(game: str) -> Path:
    """Where the book of this package is."""
    return Path(__file__).with_name(f"{game}.book")


def write(entries: Mapping[int, Entry], path: Path) -> None:
    """Writes a book, whole or not at all."""
    beside = path.with_suffix(".new")
    beside.write_bytes(to_bytes(entries))
    beside.replace(path)


def noted(path: Path) -> list[list[str]]:
    """The words of each line of a builder's notes, which are made if there are none; a torn last line is dropped."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text() if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    path.write_text(whole)
    return [line.split() for line in whole.splitlines()]
