"""Reads the examples out of protocol/PROTOCOL.md, so that tests can replay them.

The page has these fenced blocks: "transcript game" (two players play one match), "transcript watch" (somebody watches
it), "json from client", "json from server" (single messages, one a line).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).parents[2] / "protocol" / "PROTOCOL.md"

VOLATILE = frozenset(
    {
        "session",
        "match",
        "topic",
        "server",
        "server_id",
        "page",
        "charged_ms",
        "remaining_ms",
        "message",
        "detail",
        "receipt",
    },
)
"""Keys, at any depth, whose values differ from one run to the next (or are sentences for people)."""

ELIDED = frozenset({"view", "views"})
"""Keys that the page leaves out of its transcripts, as it says there."""


class Line(NamedTuple):
    """One frame of a transcript."""

    who: str
    """Whose connection: "ana" (seat 0), "ben" (seat 1), "eva" (watches)."""
    from_client: bool
    """True for "->": the client sent it."""
    message: dict[str, Any]


def block(name: str) -> list[str]:
    """The lines of the fenced block with this info string."""
    found = re.findall(
        rf"^```{re.escape(name)}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(found) == 1, f"PROTOCOL.md has {len(found)} blocks '{name}'"
    return found[0].splitlines()


def transcript(name: str) -> list[Line]:
    """The frames of "game" or "watch", in an order in which they can be sent and awaited one by one."""
    lines = []
    for text in block(f"transcript {name}"):
        who, arrow, frame = text.split(" ", 2)
        assert arrow in ("->", "<-"), text
        lines.append(Line(who, arrow == "->", json.loads(frame)))
    return lines


def examples() -> list[Line]:
    """Every message on the page, those of both transcripts among them."""
    single = [
        Line("", from_client, json.loads(text))
        for name, from_client in (("json from client", True), ("json from server", False))
        for text in block(name)
    ]
    return transcript("game") + transcript("watch") + single


def without(value: Any, keys: frozenset[str] = frozenset()) -> Any:
    """A message, or a part of one, without these keys at any depth, and without nulls (absent means the same)."""
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys and v is not None}
    if isinstance(value, list | tuple):
        return [without(v, keys) for v in value]
    return value


def steady(message: dict[str, Any]) -> dict[str, Any]:
    """The message without what is volatile: what must be the same in every run."""
    steady_part: dict[str, Any] = without(message, VOLATILE | ELIDED)
    return steady_part
