"""Turns a bot's report into the `info` of its action, cut to the protocol's limits, so that no report loses a match."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any, SupportsFloat, SupportsIndex

from palestra_protocol import limits
from palestra_protocol.messages import Info


def to_info(reported: Mapping[str, object]) -> Info | None:
    """The `info` to send with an action, or None if nothing usable was reported.

    Numbers beyond the protocol's bounds become the bound, infinities included (for a won position); NaN and anything
    that isn't a number is left out. A principal variation is cut at its end, or before an entry that is no action.
    """
    fields: dict[str, Any] = {
        "depth": _count(reported.get("depth"), limits.DEPTH_MAX),
        "nodes": _count(reported.get("nodes"), limits.NODES_MAX),
        "value": _value(reported.get("value")),
        "pv": _line(reported.get("pv")),
        "text": _text(reported.get("text")),
    }
    if all(value is None for value in fields.values()):
        return None
    return Info(**fields)


def to_note(reported: Mapping[str, object]) -> str | None:
    return _text(reported.get("note"), limits.NOTE_MAX) or None


def _integer(given: object) -> int | None:
    """An int, a NumPy integer or a float without a fraction as an int; None for anything else."""
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if not isinstance(given, SupportsIndex) or isinstance(given, bool):
        return None
    try:
        return operator.index(given)
    except TypeError:  # an array of more than one number
        return None


def _count(given: object, most: int) -> int | None:
    number = _integer(given)
    return None if number is None or number < 0 else min(number, most)


def _value(given: object) -> float | None:
    if not isinstance(given, SupportsFloat):
        return None
    try:
        number = float(given)
    except OverflowError:
        number = math.inf if isinstance(given, int) and given > 0 else -math.inf
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else max(-limits.VALUE_MAX, min(limits.VALUE_MAX, number))


def _line(given: object) -> tuple[int, ...] | None:
    if not isinstance(given, tuple):
        return None
    line: list[int] = []
    for entry in given[: limits.PV_MAX]:
        action = _integer(entry)
        if action is None or not 0 <= action <= limits.ACTION_MAX:
            break
        line.append(action)
    return tuple(line) or None


def _text(given: object, most: int = limits.TEXT_MAX) -> str | None:
    if not isinstance(given, str):
        return None
    # A lone surrogate can't be written in UTF-8.
    plain = given.encode("utf-8", "replace").decode("utf-8")
    return plain if len(plain) <= most else plain[: most - 1] + "…"
