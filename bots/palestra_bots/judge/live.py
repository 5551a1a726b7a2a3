"""What a position of a match in play is worth: for the big screen, within about a tenth of a second."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from palestra_bots.judge.values import Estimator, Prover, prover
from palestra_games import get_game, positions
from palestra_protocol.analysis import LiveValue

NODES: Final = 400_000  # to prove it; then it is estimated

_prover = lru_cache(maxsize=1)(prover)
_estimator = lru_cache(maxsize=1)(Estimator)


def live_value(game: str, actions: Sequence[int]) -> LiveValue:
    """The value of the position after these actions, which is not the end."""
    state = positions(get_game(game), actions)[-1]
    proving: Prover | None = _prover(game)
    value = (proving and proving.solve(state, NODES)) or _estimator(game).value(state)
    chance = value.chance if state.to_move == 0 else 1 - value.chance
    return LiveValue(ply=len(actions), chance=round(chance, 4), proved=value.proved, plies=value.plies)
