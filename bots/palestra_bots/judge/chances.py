"""Chances of winning from estimated values: a logistic for each game and its default evaluation.

Fitted by `palestra-lab chances GAME --matches 60`. On other matches the Brier score was 0.106 for mancala
(0.250 knowing nothing), 0.158 (0.220) for connect4 and 0.225 (0.241) for connect4-8x8, where it is hardly more than a
guess.
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
    "connect4": Curve(0.0506, -0.367, 0.084),
    "connect4-8x8": Curve(0.0800, -0.218, 0.108),
    "desconecta4": Curve(0.05, 0.0, 0.1),  # assumed: not fitted yet
    "mancala": Curve(0.3040, -0.065, 0.048),
}


def chance_of(game: str, value: float) -> float:
    """KeyError if there is no curve for the game."""
    curve = CURVES[game]
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, curve.slope * value + curve.shift))))


def clear_drop(game: str) -> float:
    """A fall of the chances by more than this is no error of the two estimates, 99 times in 100."""
    return max(0.15, 2.5 * math.sqrt(2) * CURVES[game].error)
