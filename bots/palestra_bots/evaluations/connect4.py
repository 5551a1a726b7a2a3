"""Connect four: the evaluations of the reports for 8 x 8 (`open_lines`) and 6 x 7 (`possible_lines`)."""

from __future__ import annotations

from palestra_bots.evaluations.interface import state_of
from palestra_bots.reports.open_lines import SIZE, open_lines_score
from palestra_games import Seat, State
from palestra_games.connect4 import Connect4State
from palestra_games.interface import OPPONENT

OPEN_LINES_WON = 2**31 - 1  # Integer.MAX_VALUE in the report's Java
POSSIBLE_LINES_WON = 10_000


def possible_lines(state: State, seat: Seat) -> int:
    """How many lines of four the seat can still fill, less those the opponent can; ±10000 for a finished game.

    A line is open to a player while no piece of the other stands on it. A full board is 0: all lines are mixed.
    """
    board = state_of(Connect4State, state, "possible_lines")
    if board.winner is not None:
        return POSSIBLE_LINES_WON if board.winner == seat else -POSSIBLE_LINES_WON

    def open_to(player: Seat) -> int:
        room = board.grid.full & ~board.stones[OPPONENT[player]]
        return sum(board.grid.line_anchors(room, shift).bit_count() for shift in board.grid.shifts)

    return open_to(seat) - open_to(OPPONENT[seat])


def open_lines(state: State, seat: Seat) -> int:
    """The 8 x 8 report's heuristic (`open_lines_score`); a finished game is ± the largest Java int.

    A full board has no value of its own: it is scored like any other.
    """
    board = state_of(Connect4State, state, "open_lines")
    if (board.rows, board.cols) != (SIZE, SIZE):
        raise ValueError(f"The evaluation 'open_lines' is for {SIZE} x {SIZE}, not {board.rows} x {board.cols}.")
    if board.winner is not None:
        return OPEN_LINES_WON if board.winner == seat else -OPEN_LINES_WON
    return open_lines_score([0 if cell == 0 else 1 if cell == seat + 1 else -1 for cell in board.cells], 1)
