"""From states of `palestra_games` to the solver: exact solutions, and perfect moves against a clock."""

from __future__ import annotations

import time

from palestra_bots.solvers.connect4.bitboard import COLS, ROWS
from palestra_bots.solvers.connect4.solver import Solver
from palestra_bots.solvers.solution import Solution
from palestra_games.connect4 import Connect4State

# Memory is taken as the table fills: small questions stay small.
_SOLVE_TABLE_BITS = 24


def bitboards(state: Connect4State) -> tuple[int, int]:
    """(stones of the player to move, all stones) of a position in play; ValueError if it is not ours to solve."""
    if (state.rows, state.cols) != (ROWS, COLS):
        raise ValueError(f"Connect four is solved on {ROWS}x{COLS} only, not on {state.rows}x{state.cols}.")
    if state.returns() is not None:
        raise ValueError("The game is over, so there is nothing to solve.")
    first, second = state.stones
    return state.stones[state.to_move], first | second


def solve(state: Connect4State) -> Solution:
    """Exact score (Pascal Pons' convention) and a best action of a 6x7 position in play, however long it takes.

    Raises ValueError for other boards and for finished games.
    """
    own, mask = bitboards(state)
    started = time.monotonic()
    result = Solver(_SOLVE_TABLE_BITS).solve(own, mask)
    return Solution(result.score, result.action, result.nodes, time.monotonic() - started)
