"""JSON encoding for whichever thread made the values: encoding a large table on the loop would hold it up."""

from __future__ import annotations

import json
from collections.abc import Mapping

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def compact_json(value: Mapping[str, object]) -> bytes:
    """Compact JSON. The items of lists are encoded one by one: the encoder holds the GIL from start to finish,
    which for a long list would be tens of milliseconds."""
    return ("{" + ",".join(f"{_encode(key)}:{_member(member)}" for key, member in value.items()) + "}").encode()


def _member(value: object) -> str:
    return "[" + ",".join(map(_encode, value)) + "]" if isinstance(value, list | tuple) else _encode(value)
