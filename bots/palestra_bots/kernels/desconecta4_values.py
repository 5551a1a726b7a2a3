"""What a position of Desconecta-4 is worth: palestra_bots.evaluations.desconecta4 as compiled functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, popcount
from palestra_bots.kernels.interface import INFINITY, LOST, OUTCOME, WIN, WON, Board, KernelEvaluation
from palestra_bots.kernels.load import load_variant
from palestra_games.desconecta4 import SIZE

if TYPE_CHECKING:
    from palestra_bots.kernels import lines
else:
    lines = load_variant("palestra_bots.kernels.lines", "7x7")

CELLS, COLUMN_0, N1, E1, E2, NE1, SE1 = lines.CELLS, lines.COLUMN_0, lines.N1, lines.E1, lines.E2, lines.NE1, lines.SE1
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

# `valoracion_test` gives a piece the distance of its column from the nearer edge: one point for each of these sets.
COLUMN_3: Final = COLUMN_0 << np.uint64(24)
COLUMNS_2_4: Final = COLUMN_3 >> E1 | COLUMN_3 | COLUMN_3 << E1
COLUMNS_1_5: Final = COLUMNS_2_4 >> E1 | COLUMNS_2_4 | COLUMNS_2_4 << E1
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


@njit(f"int64({BOARD}, int64, int64)")
def final(board: Board, outcome: int, evaluation: int) -> int:
    return WIN if outcome == WON else -WIN if outcome == LOST else 0


@njit(f"UniTuple(int64,2)({BOARD}, int64, boolean, int64)")
def bounds(board: Board, evaluation: int, root_moves: bool, remaining: int) -> tuple[int, int]:
    """One move can change too much."""
    return -INFINITY, INFINITY
