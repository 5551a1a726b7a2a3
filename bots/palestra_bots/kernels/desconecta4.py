"""Desconecta-4 BOOM on bitboards.

A board is (pieces of the player to move, pieces of the other, bombs of both, clock): bombs are pieces too, and
nobody has more than one, so the mover's bomb is what the first and the third word share. bit = col * 8 + row, as in
palestra_games.grid: row 7 is an empty guard. The clock is the number of actions played modulo 10: it gives the seat
(odd: seat 1) and the round modulo 5, which decides whether a dropped piece is a bomb.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest, mix, popcount
from palestra_bots.kernels.interface import (
    DRAWN,
    FORCED_LOSS_1,
    IN_PLAY,
    INFINITY,
    LOST,
    OUTCOME,
    WIN,
    WON,
    Board,
    Boards,
    KernelEvaluation,
)
from palestra_games import State
from palestra_games.desconecta4 import Desconecta4State

SIZE: Final = 7
BOOM: Final = 7
WORDS: Final = 4
BOARD: Final = "UniTuple(uint64,4)"
RUNS: Final = 1
SEQUENCES: Final = 2
OPEN_GROUPS: Final = 3
EVALUATIONS: Final = {
    "valoracion_test": KernelEvaluation(0, win=99_999_999),
    "runs": KernelEvaluation(RUNS, win=99_999_999),
    "sequences": KernelEvaluation(SEQUENCES, win=99_999_999),
    "open_groups": KernelEvaluation(OPEN_GROUPS, win=99_999_999),
    "outcome": KernelEvaluation(OUTCOME, win=1),
}


def _cells(columns: range, rows: range) -> np.uint64:
    return np.uint64(sum(1 << col * 8 + row for col in columns for row in rows))


FLOOR: Final = _cells(range(SIZE), range(1))
CELLS: Final = _cells(range(SIZE), range(SIZE))
COLUMN_0: Final = np.uint64(0x7F)
WHOLE_COLUMN: Final = np.uint64(0xFF)
TOP: Final = np.uint64(SIZE - 1)
STRIDE: Final = np.uint64(8)
BYTE_ROW: Final = np.uint64(7)
ALL_ACTIONS: Final = np.uint64(0xFF)
PUTS: Final = np.uint64(0x7F)
BOOM_BIT: Final = np.uint64(1 << BOOM)
# The lowest bits of all bytes are gathered in the top byte by one multiplication.
GATHER: Final = np.uint64(0x0102040810204080)
GATHER_SHIFT: Final = np.uint64(56)

FIRST_BOMB_CLOCK: Final = np.uint64(8)
LAST_CLOCK: Final = np.uint64(9)

E1, E2, E3 = np.uint64(8), np.uint64(16), np.uint64(24)
N1, N2, N3 = np.uint64(1), np.uint64(2), np.uint64(3)
NE1, NE2, NE3 = np.uint64(9), np.uint64(18), np.uint64(27)
SE1, SE2, SE3 = np.uint64(7), np.uint64(14), np.uint64(21)

# `valoracion_test` gives a piece the distance of its column from the nearer edge: one point for each of these sets.
COLUMNS_1_5: Final = _cells(range(1, 6), range(SIZE))
COLUMNS_2_4: Final = _cells(range(2, 5), range(SIZE))
COLUMN_3: Final = _cells(range(3, 4), range(SIZE))
# `runs` walks these cells: rows, columns, falling and rising diagonals (these two in windows of four that overlap). In
# each walk the bits of its cells, -1 behind the last one. See palestra_bots.evaluations.desconecta4.
WALKS: Final = np.full((SIZE + SIZE + 4 + 4, 16), -1, np.int64)
RISING_FROM: Final = 2 * SIZE + 4
for _i in range(SIZE):
    WALKS[_i, :SIZE] = [col * 8 + _i for col in range(SIZE)]
    WALKS[SIZE + _i, :SIZE] = [_i * 8 + row for row in range(SIZE)]
for _i in range(4):
    WALKS[2 * SIZE + _i] = [(col - k) * 8 + _i + k for col in range(3, 7) for k in range(4)]
    WALKS[RISING_FROM + _i] = [(_i + k) * 8 + row + k for row in range(4) for k in range(4)]

ROOT_SALT: Final = np.uint64(0x9E3779B97F4A7C15)
CLOCK_SHIFT: Final = np.uint64(56)


def fits(state: State) -> bool:
    """Every state of this game."""
    return isinstance(state, Desconecta4State)


def from_state(state: Desconecta4State) -> Board:
    """The board of a state."""
    seat = state.to_move
    clock = 2 * ((state.round - 1) % 5) + seat
    words = (state.stones[seat], state.stones[1 - seat], state.bombs[0] | state.bombs[1], clock)
    return tuple(np.uint64(word) for word in words)


@njit(f"{BOARD}(uint64[:, ::1], int64)")
def load(boards: Boards, row: int) -> Board:
    """The board in one row of an array."""
    return boards[row, 0], boards[row, 1], boards[row, 2], boards[row, 3]


@njit(f"void(uint64[:, ::1], int64, {BOARD})")
def store(boards: Boards, row: int, board: Board) -> None:
    """Write a board into one row of an array."""
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
    """The cell where a piece dropped into the column comes to lie: adding carries up to the first free one."""
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
def same_mover(board: Board, child: Board) -> bool:  # noqa: ARG001 - the interface of all kernels
    """Nobody moves twice."""
    return False


@njit("uint64(uint64)")
def line_starts(pieces: np.uint64) -> np.uint64:
    """The first cells (left, or bottom) of all lines of four."""
    east = pieces & (pieces >> E1)
    north = pieces & (pieces >> N1)
    rising = pieces & (pieces >> NE1)
    falling = pieces & (pieces >> SE1)
    return (east & (east >> E2)) | (north & (north >> N2)) | (rising & (rising >> NE2)) | (falling & (falling >> SE2))


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
    """Who has a line loses; if both have one, whoever owns the one that starts first. A full board is a draw.

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


@njit(f"int64({BOARD}, int64, int64)")
def final(board: Board, outcome: int, evaluation: int) -> int:  # noqa: ARG001
    """A win, a loss or 0."""
    return WIN if outcome == WON else -WIN if outcome == LOST else 0


@njit("int64(uint64)")
def _edge_distance(pieces: np.uint64) -> int:
    """The sum of min(col, 6 - col)."""
    return popcount(pieces & COLUMNS_1_5) + popcount(pieces & COLUMNS_2_4) + popcount(pieces & COLUMN_3)


@njit("int64(uint64, uint64, int64, int64)")
def _run_points(pieces: np.uint64, other: np.uint64, first: int, last: int) -> int:
    """`runs`, the walks from `first` to `last`: the n-th piece of a run costs n; the other colour right behind it hands
    the run's length back."""
    points = 0
    for walk in range(first, last):
        run = 0
        for place in range(16):
            if WALKS[walk, place] < 0:
                break
            cell = ONE << np.uint64(WALKS[walk, place])
            if pieces & cell != ZERO:
                run += 1
                points -= run
            else:
                if other & cell != ZERO:
                    points += run
                run = 0
    return points


@njit("int64(uint64, uint64, uint64)")
def runs(own: np.uint64, other: np.uint64, bombs: np.uint64) -> int:
    """The report's `runs` for the owner of `own`; bombs interrupt runs and are nobody's."""
    own &= ~bombs
    other &= ~bombs
    points = _run_points(own, other, 0, RISING_FROM) - _run_points(own, other, RISING_FROM, RISING_FROM + 4)
    points -= _run_points(other, own, 0, RISING_FROM + 4)
    right = own & ~(COLUMN_0 | (COLUMN_0 << E1) | (COLUMN_0 << E2))
    return points - popcount(own & (COLUMN_0 << E1)) - 2 * popcount(own & (COLUMN_0 << E2)) - 6 * popcount(right)


@njit("int64(uint64, uint64, int64, int64, int64)")
def _exact_runs(pieces: np.uint64, step: np.uint64, two: int, three: int, four: int) -> int:
    """The weights of all runs of exactly 2, 3 and 4 along one direction. (The guard row ends every run.)"""
    second = pieces & ~(pieces << step) & (pieces >> step)
    third = second & (pieces >> (step + step))
    fourth = third & (pieces >> (step + step + step))
    fifth = fourth & (pieces >> (step + step + step + step))
    return two * popcount(second & ~third) + three * popcount(third & ~fourth) + four * popcount(fourth & ~fifth)


@njit("int64(uint64, int64, int64, int64)")
def _all_exact_runs(pieces: np.uint64, two: int, three: int, four: int) -> int:
    """The same over all four directions."""
    return (
        _exact_runs(pieces, E1, two, three, four)
        + _exact_runs(pieces, N1, two, three, four)
        + _exact_runs(pieces, NE1, two, three, four)
        + _exact_runs(pieces, SE1, two, three, four)
    )


@njit("int64(uint64, uint64, uint64)")
def _groups(pieces: np.uint64, room: np.uint64, step: np.uint64) -> int:
    """Places for a line of four inside `room` along one direction: 1 point with two pieces in it, 4 with three."""
    pairs = room & (room >> step)
    places = pairs & (pairs >> (step + step))
    second, third, fourth = pieces >> step, pieces >> (step + step), pieces >> (step + step + step)
    # A binary counter of the four cells, for all places at once.
    low_1, high_1 = pieces ^ second, pieces & second
    low_2, high_2 = third ^ fourth, third & fourth
    ones = low_1 ^ low_2
    twos = high_1 ^ high_2 ^ (low_1 & low_2)
    return popcount(places & twos & ~ones) + 4 * popcount(places & twos & ones)


@njit("int64(uint64, uint64)")
def _open_groups(pieces: np.uint64, rival: np.uint64) -> int:
    """The same over all four directions, in the cells without a piece of the rival."""
    room = CELLS & ~rival
    return (
        _groups(pieces, room, E1) + _groups(pieces, room, N1) + _groups(pieces, room, NE1) + _groups(pieces, room, SE1)
    )


@njit(f"int64({BOARD}, int64, boolean)")
def evaluate(board: Board, evaluation: int, root_moves: bool) -> int:
    """The reports' evaluations look at the player who searches, so the other one gets what that one gets, negated."""
    own, other = (board[0], board[1]) if root_moves else (board[1], board[0])
    if evaluation == OUTCOME:
        value = 0
    elif evaluation == OPEN_GROUPS:
        value = _open_groups(other, own) - _open_groups(own, other)
    elif evaluation == RUNS:
        value = runs(own, other, board[2])
    elif evaluation == SEQUENCES:
        value = _all_exact_runs(own, 100, 10, 1) + _all_exact_runs(other, 1, 10, 100)
    else:
        value = _edge_distance(own & ~board[2])
    return value if root_moves else -value


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
    """See `mirror`."""
    return action


@njit("uint64(uint64, uint64, uint64, uint64)")
def _completing(pieces: np.uint64, step_1: np.uint64, step_2: np.uint64, step_3: np.uint64) -> np.uint64:
    """The cells that lack in a line of four along one direction."""
    behind = (pieces << step_1) & (pieces << step_2)
    ahead = (pieces >> step_1) & (pieces >> step_2)
    return (behind & ((pieces << step_3) | (pieces >> step_1))) | (ahead & ((pieces >> step_3) | (pieces << step_1)))


@njit("uint64(uint64)")
def completing_cells(pieces: np.uint64) -> np.uint64:
    """The cells, free or not, that make a line of four with three of these pieces."""
    cells = (pieces << N1) & (pieces << N2) & (pieces << N3)
    cells |= _completing(pieces, E1, E2, E3)
    cells |= _completing(pieces, NE1, NE2, NE3)
    cells |= _completing(pieces, SE1, SE2, SE3)
    return cells


@njit(f"Tuple((int64, uint64))({BOARD}, uint64, int64)")
def tactics(board: Board, legal: np.uint64, remaining: int) -> tuple[int, np.uint64]:  # noqa: ARG001
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


@njit(f"UniTuple(int64,2)({BOARD}, int64, boolean, int64)")
def bounds(board: Board, evaluation: int, root_moves: bool, remaining: int) -> tuple[int, int]:  # noqa: ARG001
    """One move can change too much."""
    return -INFINITY, INFINITY


@njit(f"int64({BOARD}, int64, int64)")
def priority(board: Board, action: int, remaining: int) -> int:  # noqa: ARG001
    """Moves after which fewer cells are closed to oneself; BOOM first."""
    if action == BOOM:
        return 500
    cell = landing_cell(board, action)
    return 400 - 16 * popcount(completing_cells(board[0] | cell) & ~board[1])


@njit(f"int64({BOARD}, int64)")
def slot(board: Board, action: int) -> int:
    """The cell where the piece comes to lie; BOOM has a guard bit's place."""
    return BOOM if action == BOOM else lowest(landing_cell(board, action))
