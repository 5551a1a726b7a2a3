"""Chances of winning from estimated values: a logistic for each game and its default evaluation.

Not fitted yet: round figures, so that an estimate is only ever a hint.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple


class Curve(NamedTuple):
    """chance = 1 / (1 + exp(-(slope * value + shift))). `error`: of a chance, assumed, as a standard deviation."""

    slope: float
    shift: float
    error: float


CURVES: Final = {
    "connect4": Curve(0.05, 0.0, 0.1),
    "connect4-8x8": Curve(0.05, 0.0, 0.1),
    "desconecta4": Curve(0.05, 0.0, 0.1),
    "mancala": Curve(0.15, 0.0, 0.1),
}


def chance_of(game: str, value: float) -> float:
    """KeyError if there is no curve for the game."""
    curve = CURVES[game]
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, curve.slope * value + curve.shift))))


def clear_drop(game: str) -> float:
    """A fall of the chances by more than this is no error of the two estimates, 99 times in 100."""
    return max(0.15, 2.5 * math.sqrt(2) * CURVES[game].error)
