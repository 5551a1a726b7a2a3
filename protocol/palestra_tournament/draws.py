"""Chance, drawn from a tournament's seed so that anybody can draw it again, in any language.

A draw has a label, which says what it is for. Its number is SHA-256 of the UTF-8 text `SEED|LABEL`, read as a
big-endian integer of 256 bits; the seed is written in decimal. To pick one of n things, take that number modulo n (the
bias is below n / 2^256). To put names in a random order, sort them by the numbers of `LABEL|NAME`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def number(seed: int, label: str) -> int:
    """A whole number from 0 to 2^256 - 1."""
    return int.from_bytes(hashlib.sha256(f"{seed}|{label}".encode()).digest())


def below(bound: int, seed: int, label: str) -> int:
    """A whole number from 0 to `bound` - 1, each as likely."""
    return number(seed, label) % bound


def shuffled(names: Iterable[str], seed: int, label: str) -> list[str]:
    """The names in an order drawn from the seed, whatever order they came in."""
    return sorted(names, key=lambda name: (number(seed, f"{label}|{name}"), name))
