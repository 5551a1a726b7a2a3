"""The players of the 8 x 8 report, move for move: the students' `esteve_hawking` and the professor's `profe`.

They are kept as they are, slips included, so that the report's study and matches can be repeated. The searches
are compiled with Numba (or run as they stand, slowly, with `NUMBA_DISABLE_JIT=1`); it is imported at the first call.
"""

from __future__ import annotations

from typing import Literal, get_args

from palestra_games import State
from palestra_games.connect4 import Connect4State

ReportPlayer = Literal["esteve_hawking", "profe", "profe_supported"]
REPORT_PLAYERS: tuple[ReportPlayer, ...] = get_args(ReportPlayer)
SIZE = 8
MAX_DEPTH = SIZE * SIZE  # A game has no more plies than the board has cells


def report_depth(depth: int) -> int:
    """`depth`, if a report's player can search that deep; else ValueError."""
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"The depth is 1 to {MAX_DEPTH} plies, not {depth}.")
    return depth


def reference_move(name: str, state: State, depth: int) -> int:
    """The action (a column from 0) that a report's player plays in `state`, searching `depth` plies.

    `profe_supported` is the professor's bot with its flag set. The report's matches have depth 8.

    Raises ValueError, in one sentence, for an unknown name, a state that isn't of connect4-8x8 or whose game is
    over, or a depth outside 1 to 64.
    """
    if name not in REPORT_PLAYERS:
        raise ValueError(f"There is no report player '{name}'; there are {', '.join(REPORT_PLAYERS)}.")
    if not isinstance(state, Connect4State) or (state.rows, state.cols) != (SIZE, SIZE):
        raise ValueError(f"{name} plays connect4-8x8 only.")
    if state.returns() is not None:
        raise ValueError("The game is over, so there is no action to play.")
    report_depth(depth)

    from palestra_bots.reports import board, esteve_hawking, profe  # brings in Numba

    cells = board.cells_of(state.cells)
    mover = 1 if state.to_move == 0 else -1
    if name == "esteve_hawking":
        return int(esteve_hawking.move(cells, depth, mover))
    return int(profe.move(cells, depth, mover, name == "profe_supported"))
