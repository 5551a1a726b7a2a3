"""Perfect moves for the games that our solvers know, as `mtdf` asks for them before it searches by evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from palestra_bots.analysis_types import Analysis
from palestra_games import State
from palestra_games.connect4 import Connect4State
from palestra_games.mancala import MancalaState

PerfectPlay = Callable[[State, float], Analysis | None]
"""(state, seconds) -> a move that is proved best, or None if the time did not suffice. It remembers between moves."""

SHARE = 0.6
"""Of the time for a move, what the proof may take; the rest is for the search by evaluation, should it fail."""


def connect4() -> PerfectPlay:
    """Opening book and solver of connect-four 6x7; `value` is Pons' score."""
    from palestra_bots.solvers.connect4.play import PerfectPlayer  # brings in Numba

    player = PerfectPlayer()

    def play(state: State, seconds: float) -> Analysis | None:
        assert isinstance(state, Connect4State)
        began = time.monotonic()
        move = player.move(state, SHARE * seconds)
        if move is None:
            return None
        return _proved(move.action, move.score, move.nodes, time.monotonic() - began, move.exact)

    return play


def mancala() -> PerfectPlay:
    """Opening book, endgame table and solver of mancala; `value` is the final difference of the stores."""
    from palestra_bots.solvers.mancala.play import PerfectPlayer  # brings in Numba

    player = PerfectPlayer()

    def play(state: State, seconds: float) -> Analysis | None:
        assert isinstance(state, MancalaState)
        found = player.perfect_move(state, seconds)
        return None if found is None else _proved(found.action, found.score, found.nodes, found.elapsed_s, found.exact)

    return play


def _proved(action: int, score: int, nodes: int, elapsed_s: float, exact: bool) -> Analysis:
    return Analysis(action, score, 0, nodes, (action,), elapsed_s, exact)


PERFECT: Mapping[str, Callable[[], PerfectPlay]] = {"connect4": connect4, "mancala": mancala}
"""By the name of the game."""
