"""The warm-up: each bot plays `random` and `level1` in every game before the real tournament, to see who is ready."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from palestra_tournament.formats.gauntlet import Gauntlet
from palestra_tournament.model import Tournament
from palestra_tournament.spec import Rubric, Spec
from palestra_tournament.toml_edit import toml_value

WARM_UP_BOTS: Final = ("random", "level1")
WARM_UP: Final = "-warm-up"  # how the names of warm-ups end


class Readiness(NamedTuple):
    """Whether a player is ready for a game, that is, has played all its matches without a fault.

    `ready` is None until all are over, and if none but void ones are. `faults`: the number of matches by reason.
    """

    player: str
    game: str
    ready: bool | None
    played: int
    faults: Mapping[str, int]


def warm_up_of(name: str) -> str:
    """What the warm-up of the tournament of this name is called, if it has one."""
    return f"{name[:32]}{WARM_UP}"


def warm_up(spec: Spec) -> Spec:
    """The tournament to play before this one, with the same players, games and clock."""
    return spec.model_copy(
        update={
            "name": warm_up_of(spec.name),
            "title": f"Warm-up for {spec.display_name}",
            "format": Gauntlet(),
            "reference": WARM_UP_BOTS,
            "seed": None,  # its own: that of the tournament stays secret
            "pairs": 1,
            "swap": True,
            "withdraw_after": 0,
            "absent": "lose",
            "embargo": "none",
            "warm_up": False,
            "after_warm_up": "wait",
            "grades": Rubric(),
        }
    )


def warm_up_name(spec: Spec) -> str | None:
    """None if it has none."""
    return warm_up_of(spec.name) if spec.warm_up else None


def warm_up_file(spec: Spec) -> str:
    """The file of this tournament's warm-up, which has to be started by hand."""
    values = warm_up(spec).model_dump(mode="json", exclude_defaults=True, exclude={"grades", "start"})
    if "breaks" in values:
        values["breaks"] = [f"{first[:5]}-{last[:5]}" for first, last in values["breaks"]]
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in values.items())


def readiness(t: Tournament) -> tuple[Readiness, ...]:
    found = []
    for entrant in t.entrants:
        if entrant.reference:
            continue
        for game in t.spec.games:
            fixtures = [f for f in t.fixtures if f.game == game and entrant.name in f.players]
            ended = [t.results[f.id] for f in fixtures if f.id in t.results]
            results = [result for result in ended if result.reason != "void"]
            faults = Counter[str](result.reason for result in results if result.failed(entrant.name))
            ready = False if faults else None if len(ended) < len(fixtures) or not results else True
            found.append(Readiness(entrant.name, game, ready, len(results), faults))
    return tuple(found)
