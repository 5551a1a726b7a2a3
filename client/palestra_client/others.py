"""Other matches of the programs in a match: what they reported there tells a judge more of what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from palestra_client.page import NoAnswer, ask, match_address

OTHERS: Final = 3  # of each program
LISTED: Final = 20  # of a player, among which they are looked for


def seat_of(told: Mapping[str, Any], seat: int, other: Mapping[str, Any]) -> int | None:
    """Where the program of this seat played in another match, as far as its name and version tell."""
    if other["game"] != told["game"] or told["players"][seat] not in other["players"]:
        return None
    sought = _programs(told)[seat]
    return next((place for place, program in enumerate(_programs(other)) if program == sought), None)


def _programs(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    return list(zip(told["players"], told.get("versions") or ("", ""), strict=True))


def others_of(told: Mapping[str, Any], among: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first few matches of each program that says how deep it looked, and what it saw there."""
    found: dict[str, Mapping[str, Any]] = {}
    for seat in _reporting(told):
        theirs = (each for each in among if each["match"] != told["match"] and seat_of(told, seat, each) is not None)
        found |= {other["match"]: other for other in islice(theirs, OTHERS)}
    return list(found.values())


def earlier_of(page: str, told: Mapping[str, Any], key: str | None) -> list[Mapping[str, Any]]:
    """As `others_of`: those before it on the server with this page, as far as all may see them, and it answers."""
    listed: list[Mapping[str, Any]] = []
    for seat in _reporting(told):
        which = {"player": told["players"][seat], "game": told["game"], "before": told["match"], "limit": LISTED}
        with suppress(NoAnswer):
            listed += ask(f"{page}/api/v1/matches?{urlencode(which)}", key)["matches"]
    found: list[Mapping[str, Any]] = []
    for other in others_of(told, [each for each in listed if each["ended"] is not None]):
        with suppress(NoAnswer):  # a damaged one, say
            found.append(ask(match_address(page, other["match"]), key))
    return found


def _reporting(told: Mapping[str, Any]) -> Iterator[int]:
    for seat in (0, 1):
        said = (move.get("info") or {} for move in told["moves"] if move["seat"] == seat)
        if any(info.get("depth") and info.get("value") is not None for info in said):
            yield seat
