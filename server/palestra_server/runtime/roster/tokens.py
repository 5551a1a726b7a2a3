"""Tokens: made at random, shown once, kept as a hash."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are mistaken for others when copied by hand."""
LENGTH: Final = 26
"""log2(31) * 26 = 128.8 bits."""
STRONG: Final = 16
"""A token of fewer characters, or of few different ones, was made by hand and may be guessed."""
_WEAK: Final = "weak:"


def new_token() -> str:
    """A random token."""
    return "".join(secrets.choice(_LETTERS) for _ in range(LENGTH))


def token_hash(token: str) -> str:
    """SHA-256 in hex. A salt would add nothing: a token that is drawn at random stands in no table."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def hash_of_old(token: str) -> str:
    """What is kept of a token from an old roster file: its hash, and whether it is weak, which the hash won't tell."""
    return ("" if len(token) >= STRONG and len(set(token)) >= STRONG // 2 else _WEAK) + token_hash(token)


def is_weak(kept: str) -> bool:
    """Whether what is kept belongs to a token that may be guessed."""
    return kept.startswith(_WEAK)


def plain_hash(kept: str) -> str:
    """The hash in what is kept."""
    return kept.removeprefix(_WEAK)
