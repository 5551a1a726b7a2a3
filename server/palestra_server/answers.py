"""JSON encoding in whichever thread made the values: encoding a large table on the event loop would block it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
AT_ONCE: Final = 50  # items of a list, well below a millisecond


def compact_json(value: Mapping[str, object]) -> bytes:
    # The encoder holds the GIL from start to finish, tens of milliseconds for a long list: so encode it in pieces.
    return ("{" + ",".join(f"{_encode(key)}:{_member(member)}" for key, member in value.items()) + "}").encode()


def _member(value: object) -> str:
    if not isinstance(value, list | tuple):
        return _encode(value)
    pieces = (value[start : start + AT_ONCE] for start in range(0, len(value), AT_ONCE))
    return "[" + ",".join(_encode(piece)[1:-1] for piece in pieces) + "]"
