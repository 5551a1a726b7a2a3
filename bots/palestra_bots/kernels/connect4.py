"""Connect Four on bitboards, for 6 x 7 and (loaded as a variant) 8 x 8: the moves.

A board is (stones of the player to move, stones of the other); palestra_bots.kernels.lines has the bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest, mix, popcount
from palestra_bots.kernels.interface import DRAWN, FORCED_LOSS_2, FORCED_WIN, IN_PLAY, LOST, Board, Boards
from palestra_bots.kernels.load import load_variant, variant_of
from palestra_games import State
from palestra_games.connect4 import Connect4State

if TYPE_CHECKING:
    from palestra_bots.kernels import connect4_values as values
    from palestra_bots.kernels import lines
else:
    lines = load_variant("palestra_bots.kernels.lines", variant_of(__name__, "6x7"))
    values = load_variant("palestra_bots.kernels.connect4_values", variant_of(__name__, "6x7"))

ROWS, COLS, HEIGHT, GUARDED = lines.ROWS, lines.COLS, lines.HEIGHT, lines.GUARDED
CELLS, FLOOR, NOT_FLOOR, COLUMN_0, N1 = lines.CELLS, lines.FLOOR, lines.NOT_FLOOR, lines.COLUMN_0, lines.N1
CELL_LINES = lines.CELL_LINES
line_starts, completing_cells, mirrored = lines.line_starts, lines.completing_cells, lines.mirrored
EVALUATIONS = values.EVALUATIONS
evaluate, final, bounds = values.evaluate, values.final, values.bounds

WORDS: Final = 2
BOARD: Final = "UniTuple(uint64,2)"

STRIDE: Final = np.uint64(HEIGHT)
TOP: Final = np.uint64(ROWS - 1)

# The top cells of all columns, one bit each, are gathered side by side by one multiplication.
GATHER_SHIFT: Final = np.uint64((HEIGHT - 1) * (COLS - 1))
GATHER: Final = np.uint64(sum(1 << (HEIGHT - 1) * (COLS - 1 - col) for col in range(COLS)))
COLUMNS: Final = np.uint64((1 << COLS) - 1)


def fits(state: State) -> bool:
    return isinstance(state, Connect4State) and (state.rows, state.cols) == (ROWS, COLS)


def from_state(state: Connect4State) -> Board:
    height = state.rows + 1
    own, other = (
        sum(((stones >> col * height) & ((1 << ROWS) - 1)) << col * HEIGHT for col in range(COLS))
        for stones in (state.stones[state.to_move], state.stones[1 - state.to_move])
    )
    return np.uint64(own), np.uint64(other)


@njit(f"{BOARD}(uint64[:, ::1], int64)")
def load(boards: Boards, row: int) -> Board:
    return boards[row, 0], boards[row, 1]


@njit(f"void(uint64[:, ::1], int64, {BOARD})")
def store(boards: Boards, row: int, board: Board) -> None:
    boards[row, 0] = board[0]
    boards[row, 1] = board[1]


@njit(f"uint64({BOARD})")
def legal(board: Board) -> np.uint64:
    room = (~(board[0] | board[1]) >> TOP) & FLOOR
    return ((room * GATHER) >> GATHER_SHIFT) & COLUMNS


@njit(f"uint64({BOARD}, int64)")
def landing_cell(board: Board, action: int) -> np.uint64:
    """The cell where a piece dropped into the column lands: adding carries up to the first free one."""
    shift = STRIDE * np.uint64(action)
    return ((board[0] | board[1]) + (ONE << shift)) & (COLUMN_0 << shift)


@njit(f"{BOARD}({BOARD}, int64)")
def play(board: Board, action: int) -> Board:
    """Drop a piece; the sides change places."""
    return board[1], board[0] | landing_cell(board, action)


@njit(f"boolean({BOARD}, {BOARD})")
def same_mover(board: Board, child: Board) -> bool:
    """Nobody moves twice."""
    return False


@njit(f"int64({BOARD}, int64)")
def outcome(board: Board, action: int) -> int:
    """Only the player who just moved can have made four in a row."""
    if line_starts(board[1]) != ZERO:
        return LOST
    return DRAWN if board[0] | board[1] == CELLS else IN_PLAY


@njit(f"int64({BOARD}, int64)")
def quiet_outcome(board: Board, action: int) -> int:
    """Winning moves never pass `tactics`, so only a full board can end the game."""
    return DRAWN if board[0] | board[1] == CELLS else IN_PLAY


@njit(f"uint64({BOARD}, boolean)")
def key(board: Board, root_moves: bool) -> np.uint64:
    """The mover's stones and the cell above each column identify the board; unguarded, more than one word."""
    if GUARDED:
        return mix(board[0] + (board[0] | board[1]) + FLOOR)
    return mix(board[0] ^ mix(board[1] + ONE))


@njit(f"{BOARD}({BOARD})")
def mirror(board: Board) -> Board:
    return mirrored(board[0]), mirrored(board[1])


@njit("int64(int64)")
def mirror_action(action: int) -> int:
    return COLS - 1 - action


@njit("uint64(uint64, uint64)")
def _playable(taken: np.uint64, legal: np.uint64) -> np.uint64:
    """Where a piece can land, without the carry that a full column would send into the next one."""
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
    playable = (taken + FLOOR) & CELLS if GUARDED else _playable(taken, legal)
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


@njit(f"int64({BOARD}, int64, int64)")
def priority(board: Board, action: int, remaining: int) -> int:
    """Moves that leave more cells which complete a line, then cells on more lines."""
    cell = landing_cell(board, action)
    score = int(CELL_LINES[lowest(cell)])
    if remaining > 1:
        score += 32 * popcount(completing_cells(board[0] | cell) & CELLS & ~(board[0] | board[1]))
    return score


@njit(f"int64({BOARD}, int64)")
def slot(board: Board, action: int) -> int:
    """The cell where the piece lands."""
    return lowest(landing_cell(board, action))
