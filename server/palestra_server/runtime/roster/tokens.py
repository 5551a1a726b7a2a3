"""Tokens: random, shown once, stored as a hash."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # without those that are easily confused when copied by hand
LENGTH: Final = 26  # log2(31) * 26 = 128.8 bits
# A token with fewer characters, or with few different ones, was made up by hand and could be guessed.
STRONG: Final = 16
_WEAK: Final = "weak:"


def new_token() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(LENGTH))


def token_hash(token: str) -> str:
    """SHA-256 in hex. A salt would add nothing: no table contains random tokens."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def hash_of_old(token: str) -> str:
    """What is stored of a token from an old roster file: its hash, marked if the token is weak."""
    return ("" if len(token) >= STRONG and len(set(token)) >= STRONG // 2 else _WEAK) + token_hash(token)


def is_weak(kept: str) -> bool:
    return kept.startswith(_WEAK)


def plain_hash(kept: str) -> str:
    return kept.removeprefix(_WEAK)
