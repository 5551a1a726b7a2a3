"""Tokens: random, shown once, stored as a hash."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # without those that are easily confused when copied by hand
LENGTH: Final = 26  # log2(31) * 26 = 128.8 bits


def new_token() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(LENGTH))


def token_hash(token: str) -> str:
    """SHA-256 in hex. A salt would add nothing: no table contains random tokens."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
