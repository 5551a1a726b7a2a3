"""The levels that students climb: how far each looks ahead in each game, and how strong that was measured to be.

A level looks a number of plies ahead that need not be whole: 3.4 plies are 4 in two moves of five and 3 in the others.
So its mistakes are a person's: it overlooks what is one ply too deep, and never throws a game away at random.
Level 8 is `mtdf` at full strength and has no horizon. `palestra-bots calibrate` finds the numbers and writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final

COUNT: Final = 8
_FILE: Final = Path(__file__).with_name("levels.json")
# Plies of levels 1 to 7 in a game that nobody has calibrated: a plug-in.
UNCALIBRATED: Final = (0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of one game.

    `plies`: how far it looks, None for level 8. `score`: what share of the points it won against the level below
    (level 1: against `random`) in `games` paired games; `score_error` and `elo_error` are half the width of 95 %
    intervals. `elo` counts from level 1.
    """

    plies: float | None
    score: float
    score_error: float
    games: int
    elo: float
    elo_error: float


@dataclass(frozen=True, slots=True)
class Ladder:
    """The levels of one game, level 1 first, and what is said of both ends.

    `nodes`: what level 8 searched for a move while it was measured. `careful`: what the careful beginner scored against
    level 1, with half the width of its 95 % interval, in `careful_games` paired games.
    """

    nodes: int
    careful: float
    careful_error: float
    careful_games: int
    levels: tuple[Level, ...]


@cache
def table() -> Mapping[str, Ladder]:
    """The ladder of each calibrated game."""
    content = json.loads(_FILE.read_text(encoding="utf-8"))
    return {
        game: Ladder(**ladder | {"levels": tuple(Level(**level) for level in ladder["levels"])})
        for game, ladder in content.items()
    }


def plies(game: str, number: int) -> float:
    """How far level `number` (1 to 7) looks ahead in a game."""
    calibrated = table().get(game)
    if calibrated is None:
        return UNCALIBRATED[number - 1]
    found = calibrated.levels[number - 1].plies
    assert found is not None  # only level 8 has none
    return found


def write(game: str, ladder: Ladder) -> None:
    """Keeps what was found for a game in the package's file."""
    content = json.loads(_FILE.read_text(encoding="utf-8")) | {game: asdict(ladder)}
    ordered = {name: content[name] for name in sorted(content)}
    _FILE.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    table.cache_clear()
