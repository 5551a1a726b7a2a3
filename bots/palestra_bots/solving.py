"""The exact solvers behind one function."""

from __future__ import annotations

from palestra_bots.solvers.connect4 import play as connect4
from palestra_bots.solvers.solution import Solution
from palestra_games import State
from palestra_games.connect4 import Connect4State


def solve(state: State) -> Solution:
    """Solve a position exactly, however long it takes; the score is in the view of the player to move.

    connect4 (6x7): Pascal Pons' score. A player who wins with the last of his 21 stones scores 1, with the one before
    it 2, and so on; a loss is negative, a draw 0. Raises ValueError if the game is over, or not one of these.
    """
    if isinstance(state, Connect4State):
        return connect4.solve(state)
    raise ValueError(f"There is no exact solver for a {type(state).__name__}; connect4 (6x7) has one.")
