"""What a position of Connect Four is worth: palestra_bots.evaluations.connect4 as compiled functions.

For 6 x 7 and, loaded as a variant, 8 x 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, popcount
from palestra_bots.kernels.interface import INFINITY, LOST, OUTCOME, WIN, Board, KernelEvaluation
from palestra_bots.kernels.load import load_variant, variant_of

if TYPE_CHECKING:
    from palestra_bots.kernels import lines
else:
    lines = load_variant("palestra_bots.kernels.lines", variant_of(__name__, "6x7"))

ROWS, COLS, HEIGHT = lines.ROWS, lines.COLS, lines.HEIGHT
CELLS, FLOOR, NOT_FLOOR, N1 = lines.CELLS, lines.FLOOR, lines.NOT_FLOOR, lines.N1
completing_cells, open_windows, MOST_LINES = lines.completing_cells, lines.open_windows, lines.MOST_LINES

BOARD: Final = "UniTuple(uint64,2)"
OPEN_LINES: Final = 1
THREATS: Final = 2
EVALUATIONS: Final = {
    "possible_lines": KernelEvaluation(0, win=10_000, mirrors=True),
    "threats": KernelEvaluation(THREATS, win=10_000, mirrors=True),
    "outcome": KernelEvaluation(OUTCOME, win=1, mirrors=True),
    **({"open_lines": KernelEvaluation(OPEN_LINES, win=2**31 - 1)} if ROWS == 8 else {}),
}

# `threats`: rows 1, 3, 5, ... and 2, 4, 6, ..., as the literature counts them; what a threat is worth in a row that
# suits its owner, and in another; what it is worth to be about to win. See palestra_bots.evaluations.connect4.
ODD_ROWS: Final = np.uint64(sum(1 << col * HEIGHT + row for col in range(COLS) for row in range(0, ROWS, 2)))
EVEN_ROWS: Final = np.uint64(int(CELLS) & ~int(ODD_ROWS))
USEFUL_THREAT: Final = 24
OTHER_THREAT: Final = 3
ABOUT_TO_WIN: Final = 200


@njit("int64(int64, int64, int64)")
def _run_points(pieces: int, room: int, all_four: int) -> int:
    """`open_lines`: what a run of one colour counts that has `room` more cells; `all_four`: for three and more."""
    if pieces == 1 and room >= 3:
        return 1
    if pieces == 2 and room >= 2:
        return 3
    return all_four if pieces >= 3 and room >= 1 else 0


@njit(f"int64({BOARD}, int64, int64)")
def _colour(board: Board, row: int, col: int) -> int:
    """Whose piece is on a cell: 1 the mover's, -1 the other's, 0 nobody's."""
    cell = np.uint64(col * HEIGHT + row)
    return int(np.int64((board[0] >> cell) & ONE)) - int(np.int64((board[1] >> cell) & ONE))


@njit(f"int64({BOARD})")
def open_lines(board: Board) -> int:
    """The 8 x 8 report's heuristic, slips included; see palestra_bots.evaluations.connect4."""
    score = 0
    for row in range(ROWS):
        colour, pieces, room, gap = 0, 0, 0, 0
        for col in range(COLS):
            cell = _colour(board, row, col)
            if cell == 0:
                gap += 1
                room += 1
            elif cell == colour or colour == 0:
                colour, pieces, gap = cell, pieces + 1, 0
            else:
                score += colour * _run_points(pieces, room, 7)
                colour, pieces, room, gap = cell, 1, gap, 0
        score += colour * _run_points(pieces, room, 10)
    for col in range(COLS):
        colour, pieces = 0, 0
        for row in range(ROWS):
            cell = _colour(board, row, col)
            if cell == 0:
                score += colour * _run_points(pieces, ROWS, 10)
                break
            if row == 0:
                colour, pieces = cell, 1
            elif _colour(board, row, row) == colour:
                pieces += 1
            elif cell == -colour:
                if row > ROWS - 4:
                    break
                colour, pieces = cell, 1
    return score


@njit("uint64(uint64)")
def _above(cells: np.uint64) -> np.uint64:
    above = ZERO
    for _ in range(ROWS - 1):
        above = ((above | cells) << N1) & NOT_FLOOR
    return above


@njit(f"int64({BOARD})")
def threats(board: Board) -> int:
    """Our own evaluation; see palestra_bots.evaluations.connect4."""
    score = open_windows(CELLS & ~board[1]) - open_windows(CELLS & ~board[0])
    taken = board[0] | board[1]
    free = CELLS & ~taken
    own, other = completing_cells(board[0]) & free, completing_cells(board[1]) & free
    if own | other == ZERO:
        return score
    playable = ((taken << N1) & NOT_FLOOR) | FLOOR
    if own & playable != ZERO:
        return score + ABOUT_TO_WIN
    to_block = other & playable
    if to_block & (to_block - ONE) != ZERO:
        return score - ABOUT_TO_WIN
    own, other = own & ~_above(other), other & ~_above(own)
    suit_own, suit_other = (ODD_ROWS, EVEN_ROWS) if popcount(taken) % 2 == 0 else (EVEN_ROWS, ODD_ROWS)
    score += OTHER_THREAT * (popcount(own & ~suit_own) - popcount(other & ~suit_other))
    return score + USEFUL_THREAT * (popcount(own & suit_own) - popcount(other & suit_other))


@njit(f"int64({BOARD}, int64, boolean)")
def evaluate(board: Board, evaluation: int, root_moves: bool) -> int:
    """`possible_lines`: the lines still open to the mover, less those open to the other; `threats`, `open_lines`."""
    if evaluation == OUTCOME:
        return 0
    if evaluation == THREATS:
        return threats(board)
    if ROWS == 8 and evaluation == OPEN_LINES:
        return open_lines(board)
    return open_windows(CELLS & ~board[1]) - open_windows(CELLS & ~board[0])


@njit(f"int64({BOARD}, int64, int64)")
def final(board: Board, outcome: int, evaluation: int) -> int:
    """A loss (who is to move can't have won) or 0; `open_lines` has no value of its own for a full board."""
    if outcome == LOST:
        return -WIN
    return open_lines(board) if ROWS == 8 and evaluation == OPEN_LINES else 0


@njit(f"UniTuple(int64,2)({BOARD}, int64, boolean, int64)")
def bounds(board: Board, evaluation: int, root_moves: bool, remaining: int) -> tuple[int, int]:
    """`possible_lines`: a piece closes no line of its owner and at most MOST_LINES of the other.

    Nobody wins within two plies: the mover can't, and `tactics` left out what lets the other one.
    """
    free = CELLS & ~(board[0] | board[1])
    if evaluation != 0 or popcount(free) <= remaining:
        return -INFINITY, INFINITY
    now = open_windows(CELLS & ~board[1]) - open_windows(CELLS & ~board[0])
    return now - MOST_LINES * (remaining - 1), now + MOST_LINES
