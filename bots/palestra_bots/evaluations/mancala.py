"""Mancala: the evaluation of the report, and one of our own."""

from __future__ import annotations

from collections.abc import Sequence

from palestra_bots.evaluations.interface import state_of
from palestra_games import Seat, State
from palestra_games.interface import OPPONENT
from palestra_games.mancala import MancalaState


def stores(state: State, seat: Seat) -> int:
    """The own store less the opponent's, in seeds; when the game is over, that is by how much it was won."""
    board = state_of(MancalaState, state, "stores")
    return board.stores[seat] - board.stores[OPPONENT[seat]]


def _turns(row: Sequence[int]) -> int:
    """How many pits hold exactly the seeds that reach their own store; pit 1, the first one, is nearest to it."""
    return sum(seeds == distance for distance, seeds in enumerate(row, 1))


def turns(state: State, seat: Seat) -> int:
    """`stores`, and a seed for each own pit that would give another turn, less one for each of the opponent's.

    Palestra's own. Such a pit is a seed in the store and loses no time. It counts for both, whoever is to move. When
    the game is over, all pits are empty, and this is by how much it was won.
    """
    board = state_of(MancalaState, state, "turns")
    return stores(board, seat) + _turns(board.pits[seat]) - _turns(board.pits[OPPONENT[seat]])
