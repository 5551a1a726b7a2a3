"""A hash chain over the records of a match: whoever keeps its last link can tell if a record was changed later.

h0 = SHA-256(record 0), hi = SHA-256(h(i-1) || record i), with each record as canonical JSON. The last link, in hex, is
the receipt of the match (see RECORDS.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NamedTuple

_EMPTY: Final = sha256()  # copying it takes half as long as having OpenSSL look the algorithm up again


class Kept(NamedTuple):
    """A receipt that a player was given by a server when a match ended, at `when_ms` (UTC in ms since 1970)."""

    match: str
    tournament: str | None
    receipt: str
    when_ms: int
    server_id: str | None = None


def link(previous: bytes, record: bytes) -> bytes:
    """`previous` is b"" for the first record."""
    hashing = _EMPTY.copy()
    hashing.update(previous + record)
    return hashing.digest()


def receipt(records: Iterable[bytes]) -> str:
    """In hex; "" without records."""
    chain = b""
    for record in records:
        chain = link(chain, record)
    return chain.hex()
