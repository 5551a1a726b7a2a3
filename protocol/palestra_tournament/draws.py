"""Randomness derived from a tournament's seed, so that anyone can reproduce it in any language.

Every draw has a label that says what it is for. Its number is SHA-256 of the UTF-8 text `SEED|LABEL` (the seed in
decimal), read as a big-endian 256-bit integer. To pick one of n things, take that number modulo n (the bias is below
n / 2^256). To shuffle names, sort them by the numbers of `LABEL|NAME`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def number(seed: int, label: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}|{label}".encode()).digest())


def commitment(seed: int, salt: str) -> str:
    """What is published of a seed before it is used, in hex; nobody can guess the seed without the salt."""
    return hashlib.sha256(f"{seed}|{salt}".encode()).hexdigest()


def below(bound: int, seed: int, label: str) -> int:
    """Uniform from 0 to `bound` - 1."""
    return number(seed, label) % bound


def shuffled(names: Iterable[str], seed: int, label: str) -> list[str]:
    """The names in a random order that depends only on the seed, not on their original order."""
    return sorted(names, key=lambda name: (number(seed, f"{label}|{name}"), name))
