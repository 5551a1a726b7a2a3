"""JSON encoding in whichever thread made the values: encoding a large table on the event loop would block it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic_core import to_json

AT_ONCE: Final = 50  # items of a list, well below a millisecond


def compact_json(value: Mapping[str, object]) -> bytes:
    # The encoder holds the GIL from start to finish, milliseconds for a long list: so encode it in pieces.
    return b"{" + b",".join(to_json(key) + b":" + _member(member) for key, member in value.items()) + b"}"


def _member(value: object) -> bytes:
    if not isinstance(value, list | tuple):
        return to_json(value)
    pieces = (value[start : start + AT_ONCE] for start in range(0, len(value), AT_ONCE))
    return b"[" + b",".join(to_json(piece)[1:-1] for piece in pieces) + b"]"
