"""JSON encoding in whichever thread made the values: encoding a large table on the event loop would block it."""

from __future__ import annotations

import json
from collections.abc import Mapping

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def compact_json(value: Mapping[str, object]) -> bytes:
    # The encoder holds the GIL from start to finish, tens of milliseconds for a long list: so encode items one by one.
    return ("{" + ",".join(f"{_encode(key)}:{_member(member)}" for key, member in value.items()) + "}").encode()


def _member(value: object) -> str:
    return "[" + ",".join(map(_encode, value)) + "]" if isinstance(value, list | tuple) else _encode(value)
