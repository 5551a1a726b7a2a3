"""Chances of winning from estimated values: a logistic for each game and its default evaluation.

Fitted by `palestra-lab chances GAME --matches 240 --seed 2`; docs/judge.md says how well they predict.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple


class Curve(NamedTuple):
    """chance = 1 / (1 + exp(-(slope * value + shift))). `error`: of a chance, as the standard deviation
    from what ten times the nodes say.
    """

    slope: float
    shift: float
    error: float


CURVES: Final = {
    "connect4": Curve(0.0397, 0.127, 0.177),
    "connect4-8x8": Curve(0.0293, -0.037, 0.183),
    "desconecta4": Curve(0.1373, -0.034, 0.075),
    "mancala": Curve(0.2940, -0.325, 0.047),
}


def chance_of(game: str, value: float) -> float:
    """KeyError if there is no curve for the game."""
    curve = CURVES[game]
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, curve.slope * value + curve.shift))))


def clear_drop(game: str, estimates: int = 2) -> float:
    """A fall of the chances by more than this is no error, 99 times in 100; so many of the two are estimates."""
    return max(0.15, 2.5 * math.sqrt(estimates) * CURVES[game].error)
