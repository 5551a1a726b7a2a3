"""The warm-up: each bot plays `random` and `level1` in every game before the real tournament, to see who is ready."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from palestra_tournament.model import Result, Tournament
from palestra_tournament.spec import Rubric, Spec

WARM_UP_BOTS: Final = ("random", "level1")
_OF_OTHER_FORMATS: Final = {"rounds", "tie_breaks", "group_size", "qualify"}
WHY: Final = {
    "not_ready": "it was not connected, or never said that it was ready",
    "timeout": "it took too long for a move",
    "illegal": "it played an illegal action",
    "disconnect": "it lost its connection and did not come back in time",
    "resign": "it resigned, as the client does when a bot crashes",
}


class Readiness(NamedTuple):
    """Whether a player is ready for a game, that is, has played all its matches without a fault.

    `ready` is None until all are played. `why` says so in a sentence; `played` and `faults` (the number of matches by
    reason) are its numbers.
    """

    player: str
    game: str
    ready: bool | None
    why: str
    played: int
    faults: Mapping[str, int]


def warm_up(spec: Spec) -> Spec:
    """The tournament to play before this one, with the same players, games and clock."""
    return spec.model_copy(
        update={
            "name": f"{spec.name[:32]}-warm-up",
            "title": f"Warm-up for {spec.display_name}",
            "format": "gauntlet",
            "reference": WARM_UP_BOTS,
            "rounds": None,
            "cycles": 1,
            "pairs": 1,
            "swap": True,
            "withdraw_after": 0,
            "absent": "lose",
            "embargo": "none",
            "warm_up": False,
            "grades": Rubric(),
        }
    )


def warm_up_name(spec: Spec) -> str | None:
    """None if it has none."""
    return warm_up(spec).name if spec.warm_up else None


def warm_up_file(spec: Spec) -> str:
    """The file of this tournament's warm-up, which has to be started by hand."""
    left_out = {*_OF_OTHER_FORMATS, "grades", "start"}
    values = warm_up(spec).model_dump(mode="json", exclude_defaults=True, exclude=left_out)
    if "breaks" in values:
        values["breaks"] = [f"{first[:5]}-{last[:5]}" for first, last in values["breaks"]]
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: Any) -> str:
    """A value in TOML; texts, numbers and lists of them look the same in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def readiness(t: Tournament) -> tuple[Readiness, ...]:
    found = []
    for entrant in t.entrants:
        if entrant.reference:
            continue
        for game in t.spec.games:
            fixtures = [f for f in t.fixtures if f.game == game and entrant.name in f.players]
            ended = [t.results[f.id] for f in fixtures if f.id in t.results]
            results = [result for result in ended if result.reason != "void"]
            faults = Counter[str](result.reason for result in results if _failed(result, entrant.name))
            ready = False if faults else None if len(results) < len(fixtures) or not results else True
            why = _sentence(ready, faults, len(results))
            found.append(Readiness(entrant.name, game, ready, why, len(results), faults))
    return tuple(found)


def _failed(result: Result, player: str) -> bool:
    seat = result.fixture.players.index(player)
    return result.at_fault[seat] or (result.reason == "resign" and result.points[seat] == 0)


def _sentence(ready: bool | None, faults: Mapping[str, int], played: int) -> str:
    if faults:
        reasons = "; ".join(sorted(f"{WHY[reason]} ({count} of {played})" for reason, count in faults.items()))
        return f"Not ready: {reasons}."
    if ready is None:
        return "Not all of its matches have been played yet."
    return f"Ready: {played} matches without a fault."
