"""The exact solvers behind one function."""

from __future__ import annotations

from palestra_bots.solvers.connect4 import play as connect4
from palestra_bots.solvers.mancala import play as mancala
from palestra_bots.solvers.solution import Solution
from palestra_games import State
from palestra_games.connect4 import Connect4State
from palestra_games.mancala import MancalaState


def solve(state: State) -> Solution:
    """Solve a position exactly, however long it takes; the score is in the view of the player to move.

    connect4 (6x7): Pascal Pons' score. A player who wins with the last of his 21 stones scores 1, with the one before
    it 2, and so on; a loss is negative, a draw 0. mancala (up to 6 pits a side): the final difference of the stores.
    Raises ValueError if the game is over, or not one of these.
    """
    if isinstance(state, Connect4State):
        return connect4.solve(state)
    if isinstance(state, MancalaState):
        return mancala.solve(state)
    raise ValueError(f"There is no exact solver for a {type(state).__name__}; connect4 (6x7) and mancala have one.")
