"""Perft, compiled for one kernel: load it once for each game, as `palestra_bots.kernels.load.load_variant` does."""

from __future__ import annotations

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest, popcount
from palestra_bots.kernels.interface import IN_PLAY, Board
from palestra_bots.kernels.load import kernel_for, variant_of

kernel = kernel_for(variant_of(__name__, "connect4"))
legal, play, outcome = kernel.legal, kernel.play, kernel.outcome


@njit(f"int64({kernel.BOARD}, int64)")
def perft(board: Board, plies: int) -> int:
    """The number of action sequences of exactly `plies` plies from a board in play; 1 for none."""
    if plies == 0:
        return 1
    actions = legal(board)
    if plies == 1:
        return popcount(actions)
    count = 0
    while actions != ZERO:
        action = lowest(actions)
        actions &= actions - ONE
        child = play(board, action)
        if outcome(child, action) == IN_PLAY:
            count += perft(child, plies - 1)
    return count
