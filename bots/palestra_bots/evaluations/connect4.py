"""Connect four: the evaluations of the reports for 8 x 8 (`open_lines`) and 6 x 7 (`possible_lines`), and our own."""

from __future__ import annotations

from palestra_bots.evaluations.interface import state_of
from palestra_bots.evaluations.open_lines import SIZE, open_lines_score
from palestra_games import Seat, State
from palestra_games.connect4 import Connect4State
from palestra_games.grid import Grid
from palestra_games.interface import OPPONENT

OPEN_LINES_WON = 2**31 - 1  # Integer.MAX_VALUE in the report's Java
POSSIBLE_LINES_WON = 10_000
THREATS_WON = 10_000


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


# What a threat of `threats` is worth, in open lines: in a row that suits its owner, and in another.
USEFUL_THREAT = 24
OTHER_THREAT = 3
# A win with the next move, or two wins of which the other can block only one. (The threats are not counted then.)
ABOUT_TO_WIN = 200


def _completing_cells(grid: Grid, pieces: int) -> int:
    """The cells, free or not, that make a line of four with three of these pieces."""
    cells = 0
    for shift in grid.shifts:
        for missing in range(4):
            line = grid.full
            for place in range(4):
                steps = (place - missing) * shift
                if place != missing:
                    line &= pieces >> steps if steps > 0 else pieces << -steps
            cells |= line
    return cells


def _above(grid: Grid, cells: int) -> int:
    above = 0
    for _ in range(grid.rows - 1):
        above = (above | cells) << 1 & grid.full
    return above


def threats(state: State, seat: Seat) -> int:
    """`possible_lines`, and threats by the row they are in: palestra's own evaluation; ±10000 for a finished game.

    A threat is an empty cell that completes a line. Towards the end the players fill column after column, one always
    above the other; so cells in row 1, 3, 5, ... (counted from 1) fall to whoever began and those in row 2, 4, 6, ...
    to the other one, and a threat there is worth most (Allis, "A Knowledge-Based Approach of Connect-Four", 1988). A
    threat above one of the rival's counts nothing: the rival's comes first.
    """
    board = state_of(Connect4State, state, "threats")
    if board.winner is not None:
        return THREATS_WON if board.winner == seat else -THREATS_WON
    points = _threat_points(board, board.to_move)
    return possible_lines(board, seat) + (points if seat == board.to_move else -points)


def _threat_points(board: Connect4State, mover: Seat) -> int:
    """What all threats are worth for the player to move."""
    grid, rival = board.grid, OPPONENT[mover]
    taken = board.stones[0] | board.stones[1]
    own, other = (_completing_cells(grid, board.stones[player]) & ~taken for player in (mover, rival))
    playable = taken << 1 | grid.floor
    if own & playable:
        return ABOUT_TO_WIN
    if (other & playable).bit_count() > 1:
        return -ABOUT_TO_WIN
    own, other = own & ~_above(grid, other), other & ~_above(grid, own)
    odd_rows = sum(grid.floor << row for row in range(0, grid.rows, 2))
    suits = (odd_rows, grid.full & ~odd_rows)  # seat 0 begins

    def worth(cells: int, suit: int) -> int:
        return USEFUL_THREAT * (cells & suit).bit_count() + OTHER_THREAT * (cells & ~suit).bit_count()

    return worth(own, suits[mover]) - worth(other, suits[rival])
