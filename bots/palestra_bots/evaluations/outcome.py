"""The evaluation for a game that has no other: it knows the end of a game and nothing else."""

from __future__ import annotations

from palestra_games import Seat, State

WON = 1


def outcome(state: State, seat: Seat) -> int:
    """1 for a game won, -1 for one lost, 0 for a draw and for every position in play."""
    result = state.returns()
    return 0 if result is None else round(result[seat] * WON)
