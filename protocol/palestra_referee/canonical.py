"""Canonical JSON (RFC 8785): the same text for a value whoever writes it, so that its hash is meaningful.

The standard library's `json` formats floats and orders keys in its own way; the library `rfc8785` takes twice the time,
and refuses to write the integers that its own floats from 2^53 on are read back as.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Final

LARGEST: Final = 2**53  # the largest integer that every JSON reader reads exactly (RFC 7493, section 2.2)


def canonical_json(value: object) -> bytes:
    """`value` (maps with text keys, lists, tuples, text, numbers, booleans, None) as canonical JSON in UTF-8.

    Raises ValueError for what JSON can't represent: NaN, infinities, integers beyond 2^53 that a double would print
    differently, lone surrogates, and other types.
    """
    return canonical_text(value).encode()


def canonical_text(value: object) -> str:
    """Like `canonical_json`, before encoding."""
    text = _text(value, None)
    # Keys are sorted by UTF-16 code units (RFC 8785, section 3.2.3), which for ASCII is Python's order.
    return text if text.isascii() else _text(value, _utf_16)


def _text(value: object, order: Callable[[str], bytes] | None) -> str:
    # This runs at every move of a bot that sends `info`: maps first, and their integers without a call for each.
    if isinstance(value, dict):
        members = [
            f"{encode_basestring(key)}:{item}"
            if type(item := value[key]) is int and -LARGEST <= item <= LARGEST
            else f"{encode_basestring(key)}:{_text(item, order)}"
            for key in sorted(value, key=order)
        ]
        return "{" + ",".join(members) + "}"
    if type(value) is int and -LARGEST <= value <= LARGEST:
        return str(value)
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value)) if -LARGEST <= value <= LARGEST else _large(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([_text(item, order) for item in value]) + "]"
    if isinstance(value, Mapping):
        return _text(dict(value), order)
    raise ValueError(f"JSON has no way to write a {type(value).__name__}.")


def _utf_16(key: str) -> bytes:
    return key.encode("utf-16-be")


def _large(value: int) -> str:
    # JSON readers turn a float without a fraction into an integer: only those may be this large.
    if abs(value) >= 10**21 or _number(float(value)) != str(value):
        raise ValueError(f"{value} is beyond 2^53, and JSON readers do not keep it exactly.")
    return str(value)


def _number(value: float) -> str:
    """As written by ECMAScript's Number::toString (ECMA-262, 6.1.6.1.20)."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"JSON has no way to write {value}.")
    if value == 0:
        return "0"
    shortest = float.__repr__(value)  # Python's shortest digits are ECMAScript's
    if "e" not in shortest:  # from 1e-4 to 1e16
        return shortest.removesuffix(".0")
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(shortest), "f")
    return shortest.replace("e-0", "e-")
