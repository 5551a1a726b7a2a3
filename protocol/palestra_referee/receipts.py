"""The chain over the records of a match: whoever keeps its last link can tell later whether a record was changed.

h0 = SHA-256(record 0), hi = SHA-256(h(i-1) || record i), each record as canonical JSON; the last one, in hex, is the
match's receipt (see RECORDS.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256


def link(previous: bytes, record: bytes) -> bytes:
    """The next link; `previous` is b"" before the first record."""
    return sha256(previous + record).digest()


def receipt(records: Iterable[bytes]) -> str:
    """The receipt of a match with these records, in hex; "" if there are none."""
    chain = b""
    for record in records:
        chain = link(chain, record)
    return chain.hex()
