"""The exact solvers: what a position is worth, and perfect moves for a bot on the clock."""

from __future__ import annotations

from palestra_bots.solvers.interface import PerfectPlayer, Solution
from palestra_games import State
from palestra_games.connect4 import Connect4State
from palestra_games.mancala import MancalaState

# The solvers import Numba: only on use.


def solve(state: State) -> Solution:
    """Solve a position exactly, however long it takes; the score is in the view of the player to move.

    connect4 (6x7): Pascal Pons' score. A player who wins with the last of their 21 stones scores 1, with the one before
    it 2, and so on; a loss is negative, a draw 0. mancala (up to 6 pits a side): the final difference of the stores.
    Results are remembered: the same position costs less the next time. May be called from several threads, which take
    turns. Raises ValueError if the game is over, or not one of these.
    """
    if isinstance(state, Connect4State):
        from palestra_bots.solvers.connect4 import play as connect4

        return connect4.solve(state)
    if isinstance(state, MancalaState):
        from palestra_bots.solvers.mancala import play as mancala

        return mancala.solve(state)
    raise ValueError(f"There is no exact solver for a {type(state).__name__}; connect4 (6x7) and mancala have one.")


def perfect_player(game: str, table_bits: int = 22) -> PerfectPlayer | None:
    """A player of connect4 or mancala for one match; None for any other game.

    Its transposition table has 2**table_bits entries of 16 bytes.
    """
    if game == "connect4":
        from palestra_bots.solvers.connect4 import play as connect4

        return connect4.PerfectPlayer(table_bits=table_bits)
    if game == "mancala":
        from palestra_bots.solvers.mancala import play as mancala

        return mancala.PerfectPlayer(table_bits=table_bits)
    return None
