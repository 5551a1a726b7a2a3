"""JSON as it is sent, made in whichever thread made the values: encoding a large table takes the loop's time, too."""

from __future__ import annotations

import json


def compact_json(value: object) -> bytes:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
