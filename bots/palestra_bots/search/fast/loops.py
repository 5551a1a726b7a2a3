"""The compiled loops of one game, with their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from palestra_bots import evaluations
from palestra_bots.kernels.interface import Board
from palestra_bots.kernels.load import KERNELS, kernel_for, load_variant
from palestra_bots.search.fast.arrays import Numbers, Words
from palestra_games import State


class Loops(NamedTuple):
    """What is compiled for one game: `plain.search_plain`, `engine.search` and `nodes.identity`."""

    search_plain: Callable[[Words, Numbers, Numbers], int]
    search: Callable[[Words, Numbers, Words, Words, Numbers, Numbers], int]
    identity: Callable[[Board, bool, int], tuple[np.uint64, int]]


def loops_of(game: str) -> Loops:
    """Loads, and if need be compiles, the loops of a game. KeyError if it has no kernel."""
    plain, engine, nodes = (
        load_variant(f"palestra_bots.search.fast.{name}", game) for name in ("plain", "engine", "nodes")
    )
    return Loops(plain.search_plain, engine.search, nodes.identity)


def has_kernel(state: State, evaluation: str) -> bool:
    """Whether a `Searcher` can take this state and evaluation (there are plug-in games, and variants of mancala)."""
    game = evaluations.game_of(state)
    return game in KERNELS and kernel_for(game).fits(state) and evaluation in kernel_for(game).EVALUATIONS
