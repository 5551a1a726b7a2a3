"""Connect four: the evaluations of the reports for 8 x 8 (`open_lines`) and 6 x 7 (`possible_lines`)."""

from __future__ import annotations

from typing import Protocol

from palestra_bots.evaluations.interface import state_of
from palestra_games import Seat, State
from palestra_games.connect4 import Connect4State
from palestra_games.interface import OPPONENT

OPEN_LINES_WON = 2**31 - 1  # Integer.MAX_VALUE in the report's Java
POSSIBLE_LINES_WON = 10_000
SIZE = 8


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


# From here on in the report's own shape, in a subset of Python that Numba compiles too (`lab.study_upc`).


class Cells(Protocol):
    """64 numbers by index: a list, or a numpy array."""

    def __getitem__(self, index: int, /) -> int: ...


def open_lines_score(cells: Cells, player: int) -> int:
    """The score of 64 cells (row 0 first; 1 and -1 the two colours, 0 empty) for colour `player`.

    Along rows and columns, a run of one colour (gaps allowed, the other colour not) with room to become four
    counts 1, 3 or 7 points for 1, 2 or 3 and more pieces: plus for the player, minus for the rival.
    The report's own study is only repeated with the slips of its code, so they are kept, and marked.
    """
    score = 0
    for row in range(SIZE):
        colour = 0  # of the run that is being walked; 0 until the first piece of the row
        pieces = 0
        room = 0  # empty cells that could still take a piece of this run
        gap = 0  # empty cells since the last piece
        for col in range(SIZE):
            cell = int(cells[row * SIZE + col])  # a plain int: sums of numpy's int8 would overflow
            if cell == 0:
                gap += 1
                room += 1
            elif cell == colour or colour == 0:
                colour = cell
                pieces += 1
                gap = 0
            else:
                if pieces == 1 and room >= 3:
                    points = 1
                elif pieces == 2 and room >= 2:
                    points = 3
                elif pieces >= 3 and room >= 1:
                    points = 7
                else:
                    points = 0
                score += points * colour * player
                room = gap
                colour = cell
                pieces = 1
                gap = 0
        if pieces == 1 and room >= 3:
            points = 1
        elif pieces == 2 and room >= 2:
            points = 3
        elif pieces >= 3 and room >= 1:
            points = 10  # slip: 7 was meant
        else:
            points = 0
        score += points * colour * player

    for col in range(SIZE):
        colour = 0
        pieces = 0
        for row in range(SIZE):
            cell = int(cells[row * SIZE + col])
            if cell == 0:
                if pieces == 1:
                    points = 1
                elif pieces == 2:
                    points = 3
                elif pieces >= 3:
                    points = 10  # slip: 7 was meant
                else:
                    points = 0
                score += points * colour * player
                break  # nothing stands higher up; a full column is never scored
            if row == 0:
                colour = cell
                pieces = 1
            elif cells[row * SIZE + row] == colour:  # slip: this cell is (row, row), not (row, col)
                pieces += 1
            elif cell == -colour:
                if row > 4:
                    break  # no room for four above
                colour = cell
                pieces = 1
    return score
