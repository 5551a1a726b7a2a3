"""Mancala: the evaluation of the report."""

from __future__ import annotations

from palestra_bots.evaluations.interface import state_of
from palestra_games import Seat, State
from palestra_games.interface import OPPONENT
from palestra_games.mancala import MancalaState


def stores(state: State, seat: Seat) -> int:
    """The own store less the opponent's, in seeds; when the game is over, that is by how much it was won."""
    board = state_of(MancalaState, state, "stores")
    return board.stores[seat] - board.stores[OPPONENT[seat]]
