"""Desconecta-4 BOOM on bitboards.

A board is (pieces of the player to move, pieces of the other, bombs of both, clock): bombs are pieces too, and
nobody has more than one, so the mover's bomb is what the first and the third word share. bit = col * 8 + row (see
palestra_bots.kernels.lines): row 7 is an empty guard. The clock is the number of actions played modulo 10: it gives the
seat (odd: seat 1) and the round modulo 5, which decides whether a dropped piece is a bomb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels import desconecta4_values as values
from palestra_bots.kernels.bits import ONE, ZERO, lowest, mix, popcount
from palestra_bots.kernels.interface import DRAWN, FORCED_LOSS_1, IN_PLAY, LOST, WON, Board, Boards
from palestra_bots.kernels.load import load_variant
from palestra_games import State
from palestra_games.desconecta4 import SIZE, Desconecta4State

if TYPE_CHECKING:
    from palestra_bots.kernels import lines
else:
    lines = load_variant("palestra_bots.kernels.lines", "7x7")

CELLS, COLUMN_0, FLOOR = lines.CELLS, lines.COLUMN_0, lines.FLOOR
completing_cells, line_starts = lines.completing_cells, lines.line_starts
EVALUATIONS = values.EVALUATIONS
evaluate, final, bounds = values.evaluate, values.final, values.bounds

BOOM: Final = 7
WORDS: Final = 4
BOARD: Final = "UniTuple(uint64,4)"
WHOLE_COLUMN: Final = np.uint64(0xFF)
TOP: Final = np.uint64(SIZE - 1)
STRIDE: Final = np.uint64(8)
BYTE_ROW: Final = np.uint64(7)
BOOM_BIT: Final = np.uint64(1 << BOOM)
# The lowest bits of all bytes are gathered in the top byte by one multiplication.
GATHER: Final = np.uint64(0x0102040810204080)
GATHER_SHIFT: Final = np.uint64(56)

FIRST_BOMB_CLOCK: Final = np.uint64(8)
LAST_CLOCK: Final = np.uint64(9)

ROOT_SALT: Final = np.uint64(0x9E3779B97F4A7C15)
CLOCK_SHIFT: Final = np.uint64(56)


def fits(state: State) -> bool:
    return isinstance(state, Desconecta4State)


def from_state(state: Desconecta4State) -> Board:
    seat = state.to_move
    clock = 2 * ((state.round - 1) % 5) + seat
    words = (state.stones[seat], state.stones[1 - seat], state.bombs[0] | state.bombs[1], clock)
    return tuple(np.uint64(word) for word in words)


@njit(f"{BOARD}(uint64[:, ::1], int64)")
def load(boards: Boards, row: int) -> Board:
    return boards[row, 0], boards[row, 1], boards[row, 2], boards[row, 3]


@njit(f"void(uint64[:, ::1], int64, {BOARD})")
def store(boards: Boards, row: int, board: Board) -> None:
    boards[row, 0] = board[0]
    boards[row, 1] = board[1]
    boards[row, 2] = board[2]
    boards[row, 3] = board[3]


@njit(f"uint64({BOARD})")
def legal(board: Board) -> np.uint64:
    """The columns with room, and BOOM if the mover has a bomb."""
    room = (~(board[0] | board[1]) >> TOP) & FLOOR
    columns = (room * GATHER) >> GATHER_SHIFT
    return columns | (BOOM_BIT if board[0] & board[2] != ZERO else ZERO)


@njit(f"uint64({BOARD}, int64)")
def landing_cell(board: Board, action: int) -> np.uint64:
    """The cell where a piece dropped into the column lands: adding carries up to the first free one."""
    shift = STRIDE * np.uint64(action)
    return ((board[0] | board[1]) + (ONE << shift)) & (COLUMN_0 << shift)


@njit(f"{BOARD}({BOARD}, int64)")
def play(board: Board, action: int) -> Board:
    """Drop a piece or a bomb, or BOOM; the sides change places."""
    clock = board[3] + ONE if board[3] != LAST_CLOCK else ZERO
    if action != BOOM:
        cell = landing_cell(board, action)
        bomb = cell if board[3] >= FIRST_BOMB_CLOCK and board[0] & board[2] == ZERO else ZERO
        return board[1], board[0] | cell, board[2] | bomb, clock
    row = np.uint64(lowest(board[0] & board[2])) & BYTE_ROW
    removed = board[0] & (FLOOR << row)
    # In a column that loses its piece of this row, what is above falls by one and what is below stays.
    columns = (removed >> row) * WHOLE_COLUMN
    below = FLOOR * ((ONE << row) - ONE)
    above = columns & ~(below | (FLOOR << row))
    stays = ~columns | below
    return (
        (board[1] & stays) | ((board[1] & above) >> ONE),
        (board[0] & stays) | ((board[0] & above) >> ONE),
        (board[2] & stays) | ((board[2] & above) >> ONE),
        clock,
    )


@njit(f"boolean({BOARD}, {BOARD})")
def same_mover(board: Board, child: Board) -> bool:
    """Nobody moves twice."""
    return False


@njit("int64(uint64)")
def _first_row(cells: np.uint64) -> int:
    """The wire index (row * 7 + col) of the first of these cells, row by row from the bottom."""
    first = 64
    while cells != ZERO:
        bit = lowest(cells)
        index = (bit & 7) * SIZE + (bit >> 3)
        first = min(first, index)
        cells &= cells - ONE
    return first


@njit(f"int64({BOARD}, int64)")
def outcome(board: Board, action: int) -> int:
    """A player with a line loses; if both have one, the owner of the one that starts first. A full board is a draw.

    Only BOOM can leave a line of the colour that didn't move.
    """
    own, other = line_starts(board[0]) if action == BOOM else ZERO, line_starts(board[1])
    if own | other == ZERO:
        return DRAWN if board[0] | board[1] == CELLS else IN_PLAY
    if own != ZERO and (other == ZERO or _first_row(own) < _first_row(other)):
        return LOST
    return WON


@njit(f"int64({BOARD}, int64)")
def quiet_outcome(board: Board, action: int) -> int:
    """A dropped piece that passed `tactics` completes no line; BOOM may leave lines of both colours."""
    if action == BOOM:
        return outcome(board, action)
    return DRAWN if board[0] | board[1] == CELLS else IN_PLAY


@njit(f"uint64({BOARD}, boolean)")
def key(board: Board, root_moves: bool) -> np.uint64:
    """All four words, and who searches: `valoracion_test` isn't the same for both."""
    side = ROOT_SALT if root_moves else ZERO
    return mix(board[0] ^ mix(board[1] ^ mix((board[2] | (board[3] << CLOCK_SHIFT)) ^ side)))


@njit(f"{BOARD}({BOARD})")
def mirror(board: Board) -> Board:
    """Which of two lines decides after BOOM goes from left to right, so a mirror image may be worth another value."""
    return board


@njit("int64(int64)")
def mirror_action(action: int) -> int:
    return action


@njit(f"Tuple((int64, uint64))({BOARD}, uint64, int64)")
def tactics(board: Board, legal: np.uint64, remaining: int) -> tuple[int, np.uint64]:
    """Leaves out the columns where the piece would complete an own line, unless nothing else is left."""
    taken = board[0] | board[1]
    fatal = completing_cells(board[0]) & (taken + FLOOR) & CELLS
    if fatal == ZERO:
        return 0, legal
    # One bit a byte: spread the bit over the whole byte's lowest place.
    fatal |= fatal >> np.uint64(4)
    fatal |= fatal >> np.uint64(2)
    fatal |= fatal >> np.uint64(1)
    moves = legal & ~(((fatal & FLOOR) * GATHER) >> GATHER_SHIFT)
    return (FORCED_LOSS_1, legal) if moves == ZERO else (0, moves)


@njit(f"int64({BOARD}, int64, int64)")
def priority(board: Board, action: int, remaining: int) -> int:
    """Moves after which fewer cells are closed to oneself; BOOM first."""
    if action == BOOM:
        return 500
    cell = landing_cell(board, action)
    return 400 - 16 * popcount(completing_cells(board[0] | cell) & ~board[1])


@njit(f"int64({BOARD}, int64)")
def slot(board: Board, action: int) -> int:
    """The cell where the piece lands; BOOM has the place of a guard bit."""
    return BOOM if action == BOOM else lowest(landing_cell(board, action))
