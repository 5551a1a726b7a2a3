"""Connect Four on bitboards, for 6 x 7 and (loaded as a variant) 8 x 8.

A board is (stones of the player to move, stones of the other); bit = col * STRIDE + row. On 6 x 7 each column has
an empty guard bit on top, as in palestra_games.grid. 8 x 8 fills the word, without room for guards: there every
shift that could run from one column into the next is followed by a mask of the rows where it is meant. On 6 x 7
those masks are all ones and vanish when compiled.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ALL, ONE, ZERO, lowest, mix, popcount
from palestra_bots.kernels.interface import (
    DRAWN,
    FORCED_LOSS_2,
    FORCED_WIN,
    IN_PLAY,
    INFINITY,
    LOST,
    OUTCOME,
    WIN,
    Board,
    Boards,
    KernelEvaluation,
)
from palestra_bots.kernels.load import variant_of
from palestra_games import State
from palestra_games.connect4 import Connect4State

ROWS, COLS = (8, 8) if variant_of(__name__, "6x7") == "8x8" else (6, 7)
HEIGHT: Final = ROWS + 1 if ROWS < 8 else 8
"""Bits of a column."""

WORDS: Final = 2
BOARD: Final = "UniTuple(uint64,2)"
OPEN_LINES: Final = 1
THREATS: Final = 2
EVALUATIONS: Final = {
    "possible_lines": KernelEvaluation(0, win=10_000),
    "threats": KernelEvaluation(THREATS, win=10_000),
    "outcome": KernelEvaluation(OUTCOME, win=1),
    **({"open_lines": KernelEvaluation(OPEN_LINES, win=2**31 - 1)} if ROWS == 8 else {}),
}


def _rows(low: int, high: int) -> np.uint64:
    """The cells of the rows from `low` to `high`; every bit where the guard makes the mask needless."""
    if ROWS < 8:
        return ALL
    return np.uint64(sum(1 << col * HEIGHT + row for col in range(COLS) for row in range(low, high + 1)))


FLOOR: Final = np.uint64(sum(1 << col * HEIGHT for col in range(COLS)))
CELLS: Final = np.uint64(sum(((1 << ROWS) - 1) << col * HEIGHT for col in range(COLS)))
COLUMN_0: Final = np.uint64((1 << ROWS) - 1)
STRIDE: Final = np.uint64(HEIGHT)
TOP: Final = np.uint64(ROWS - 1)

# The top cells of all columns, one bit each, are gathered side by side by one multiplication.
GATHER_SHIFT: Final = np.uint64((HEIGHT - 1) * (COLS - 1))
GATHER: Final = np.uint64(sum(1 << (HEIGHT - 1) * (COLS - 1 - col) for col in range(COLS)))
COLUMNS: Final = np.uint64((1 << COLS) - 1)

# Steps of one, two and three cells to the right (E), up (N), up-right (NE) and down-right (SE).
E1, E2, E3 = np.uint64(HEIGHT), np.uint64(2 * HEIGHT), np.uint64(3 * HEIGHT)
N1, N2, N3 = np.uint64(1), np.uint64(2), np.uint64(3)
NE1, NE2, NE3 = np.uint64(HEIGHT + 1), np.uint64(2 * HEIGHT + 2), np.uint64(3 * HEIGHT + 3)
SE1, SE2, SE3 = np.uint64(HEIGHT - 1), np.uint64(2 * HEIGHT - 2), np.uint64(3 * HEIGHT - 3)

# Where a line may start that goes up, and one that goes down.
UP_START, DOWN_START = _rows(0, ROWS - 4), _rows(3, ROWS - 1)
FROM_1, FROM_2, FROM_3 = _rows(1, ROWS - 1), _rows(2, ROWS - 1), _rows(3, ROWS - 1)
TO_1, TO_2, TO_3 = _rows(0, ROWS - 2), _rows(0, ROWS - 3), _rows(0, ROWS - 4)
NOT_FLOOR: Final = np.uint64(int(CELLS) & ~int(FLOOR))

# `threats`: the rows 1, 3, 5, ... and 2, 4, 6, ..., as the literature counts them; what a threat is worth in a row
# that suits its owner, and in another; what it is worth to be about to win. palestra_bots.evaluations.connect4
# explains them.
ODD_ROWS: Final = np.uint64(sum(1 << col * HEIGHT + row for col in range(COLS) for row in range(0, ROWS, 2)))
EVEN_ROWS: Final = np.uint64(int(CELLS) & ~int(ODD_ROWS))
USEFUL_THREAT: Final = 24
OTHER_THREAT: Final = 3
ABOUT_TO_WIN: Final = 200

# For move ordering: on how many lines of four a cell lies.
CELL_LINES: Final = np.zeros(64, np.int64)
for _row in range(ROWS):
    for _col in range(COLS):
        for _down, _right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            _line = [(_row + step * _down, _col + step * _right) for step in range(4)]
            if all(0 <= row < ROWS and 0 <= col < COLS for row, col in _line):
                for row, col in _line:
                    CELL_LINES[col * HEIGHT + row] += 1

MOST_LINES: Final = int(CELL_LINES.max())


def fits(state: State) -> bool:
    """Connect four of this size."""
    return isinstance(state, Connect4State) and (state.rows, state.cols) == (ROWS, COLS)


def from_state(state: Connect4State) -> Board:
    """The board of a state of this size."""
    height = state.rows + 1
    own, other = (
        sum(((stones >> col * height) & ((1 << ROWS) - 1)) << col * HEIGHT for col in range(COLS))
        for stones in (state.stones[state.to_move], state.stones[1 - state.to_move])
    )
    return np.uint64(own), np.uint64(other)


@njit(f"{BOARD}(uint64[:, ::1], int64)")
def load(boards: Boards, row: int) -> Board:
    """The board in one row of an array."""
    return boards[row, 0], boards[row, 1]


@njit(f"void(uint64[:, ::1], int64, {BOARD})")
def store(boards: Boards, row: int, board: Board) -> None:
    """Write a board into one row of an array."""
    boards[row, 0] = board[0]
    boards[row, 1] = board[1]


@njit(f"uint64({BOARD})")
def legal(board: Board) -> np.uint64:
    """The columns with room."""
    room = (~(board[0] | board[1]) >> TOP) & FLOOR
    return ((room * GATHER) >> GATHER_SHIFT) & COLUMNS


@njit(f"uint64({BOARD}, int64)")
def landing_cell(board: Board, action: int) -> np.uint64:
    """The cell where a piece dropped into the column comes to lie: adding carries up to the first free one."""
    shift = STRIDE * np.uint64(action)
    return ((board[0] | board[1]) + (ONE << shift)) & (COLUMN_0 << shift)


@njit(f"{BOARD}({BOARD}, int64)")
def play(board: Board, action: int) -> Board:
    """Drop a piece; the sides change places."""
    return board[1], board[0] | landing_cell(board, action)


@njit(f"boolean({BOARD}, {BOARD})")
def same_mover(board: Board, child: Board) -> bool:  # noqa: ARG001 - the interface of all kernels
    """Nobody moves twice."""
    return False


@njit("boolean(uint64)")
def has_line(stones: np.uint64) -> bool:
    """Whether four in a row are there."""
    east = stones & (stones >> E1)
    north = stones & (stones >> N1)
    rising = stones & (stones >> NE1)
    falling = stones & (stones >> SE1)
    lines = east & (east >> E2)
    lines |= (north & (north >> N2) | rising & (rising >> NE2)) & UP_START
    lines |= falling & (falling >> SE2) & DOWN_START
    return bool(lines != ZERO)


@njit("uint64(uint64, uint64, uint64, uint64, uint64, uint64)")
def _completing(
    back_1: np.uint64, back_2: np.uint64, back_3: np.uint64, on_1: np.uint64, on_2: np.uint64, on_3: np.uint64
) -> np.uint64:
    """The cells with stones one, two and three steps back and on in one direction, so that one is missing."""
    behind, ahead = back_1 & back_2, on_1 & on_2
    return (behind & (back_3 | on_1)) | (ahead & (on_3 | back_1))


@njit("uint64(uint64)")
def completing_cells(stones: np.uint64) -> np.uint64:
    """The cells, free or not, that make a line of four with three of these stones."""
    cells = (stones << N1) & (stones << N2) & (stones << N3) & FROM_3
    cells |= _completing(stones << E1, stones << E2, stones << E3, stones >> E1, stones >> E2, stones >> E3)
    cells |= _completing(
        (stones << NE1) & FROM_1,
        (stones << NE2) & FROM_2,
        (stones << NE3) & FROM_3,
        (stones >> NE1) & TO_1,
        (stones >> NE2) & TO_2,
        (stones >> NE3) & TO_3,
    )
    cells |= _completing(
        (stones << SE1) & TO_1,
        (stones << SE2) & TO_2,
        (stones << SE3) & TO_3,
        (stones >> SE1) & FROM_1,
        (stones >> SE2) & FROM_2,
        (stones >> SE3) & FROM_3,
    )
    return cells & CELLS


@njit(f"int64({BOARD}, int64)")
def outcome(board: Board, action: int) -> int:  # noqa: ARG001
    """Only who just moved can have made four in a row."""
    if has_line(board[1]):
        return LOST
    return DRAWN if board[0] | board[1] == CELLS else IN_PLAY


@njit(f"int64({BOARD}, int64)")
def quiet_outcome(board: Board, action: int) -> int:  # noqa: ARG001
    """Winning moves never pass `tactics`, so only a full board can end the game."""
    return DRAWN if board[0] | board[1] == CELLS else IN_PLAY


@njit("int64(uint64)")
def open_windows(free: np.uint64) -> int:
    """In how many places four in a row fit into these cells."""
    east = free & (free >> E1)
    north = free & (free >> N1)
    rising = free & (free >> NE1)
    falling = free & (free >> SE1)
    return (
        popcount(east & (east >> E2))
        + popcount(north & (north >> N2) & UP_START)
        + popcount(rising & (rising >> NE2) & UP_START)
        + popcount(falling & (falling >> SE2) & DOWN_START)
    )


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
    """The 8 x 8 report's heuristic, slips included: palestra_bots.evaluations.connect4 explains them."""
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
    """All cells of the board over these, in the same columns."""
    above = ZERO
    for _ in range(ROWS - 1):
        above = ((above | cells) << N1) & NOT_FLOOR
    return above


@njit(f"int64({BOARD})")
def threats(board: Board) -> int:
    """Our own evaluation: palestra_bots.evaluations.connect4 explains it."""
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
def evaluate(board: Board, evaluation: int, root_moves: bool) -> int:  # noqa: ARG001
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


@njit(f"uint64({BOARD}, boolean)")
def key(board: Board, root_moves: bool) -> np.uint64:  # noqa: ARG001
    """Own stones and the cell above each column say everything; on 8 x 8 that takes more than one word."""
    if ROWS < 8:
        return mix(board[0] + (board[0] | board[1]) + FLOOR)
    return mix(board[0] ^ mix(board[1] + ONE))


@njit("uint64(uint64, uint64)")
def _playable(taken: np.uint64, legal: np.uint64) -> np.uint64:
    """Where a piece can come to lie, without the carry that a full column would send into the next one."""
    cells = ZERO
    while legal != ZERO:
        shift = STRIDE * np.uint64(lowest(legal))
        cells |= (taken + (ONE << shift)) & (COLUMN_0 << shift)
        legal &= legal - ONE
    return cells


@njit("uint64(uint64)")
def _columns(cells: np.uint64) -> np.uint64:
    """The columns that hold one of these cells, as a set of actions."""
    columns = ZERO
    while cells != ZERO:
        columns |= ONE << (np.uint64(lowest(cells)) // STRIDE)
        cells &= cells - ONE
    return columns


@njit(f"Tuple((int64, uint64))({BOARD}, uint64, int64)")
def tactics(board: Board, legal: np.uint64, remaining: int) -> tuple[int, np.uint64]:
    """Wins at once if it can; else blocks, and leaves out what gives the opponent a win with the next move."""
    taken = board[0] | board[1]
    playable = (taken + FLOOR) & CELLS if ROWS < 8 else _playable(taken, legal)
    wins = completing_cells(board[0]) & playable
    if wins != ZERO:
        return FORCED_WIN, _columns(wins)
    if remaining < 2:
        return 0, legal
    threats = completing_cells(board[1]) & ~taken
    forced = threats & playable
    moves = playable
    if forced != ZERO:
        if forced & (forced - ONE) != ZERO:
            return FORCED_LOSS_2, legal
        moves = forced
    moves &= ~((threats & NOT_FLOOR) >> N1)
    if moves == ZERO:
        return FORCED_LOSS_2, legal
    return 0, _columns(moves)


@njit(f"UniTuple(int64,2)({BOARD}, int64, boolean, int64)")
def bounds(board: Board, evaluation: int, root_moves: bool, remaining: int) -> tuple[int, int]:  # noqa: ARG001
    """`possible_lines`: a piece closes no line of its owner and at most MOST_LINES of the other.

    Nobody wins within two plies: the mover can't, and `tactics` left out what lets the other one.
    """
    free = CELLS & ~(board[0] | board[1])
    if evaluation != 0 or popcount(free) <= remaining:
        return -INFINITY, INFINITY
    now = open_windows(CELLS & ~board[1]) - open_windows(CELLS & ~board[0])
    return now - MOST_LINES * (remaining - 1), now + MOST_LINES


@njit(f"int64({BOARD}, int64, int64)")
def priority(board: Board, action: int, remaining: int) -> int:
    """Moves that leave more cells which complete a line, then cells on more lines."""
    cell = landing_cell(board, action)
    score = int(CELL_LINES[lowest(cell)])
    if remaining > 1:
        score += 32 * popcount(completing_cells(board[0] | cell) & ~(board[0] | board[1]))
    return score


@njit(f"int64({BOARD}, int64)")
def slot(board: Board, action: int) -> int:
    """The cell where the piece comes to lie."""
    return lowest(landing_cell(board, action))
