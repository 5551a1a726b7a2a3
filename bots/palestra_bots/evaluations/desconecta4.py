"""Desconecta-4 BOOM: the evaluations of the course and of two student reports, and one of our own.

All give ±99999999 for a finished game and 0 for a full board. (The report of `runs` prints only what stands for a
position in play; the course's program, in whose place it goes, has these values.) None tells an early win from a
late one; a search that deepens step by step plays the shortest all the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from palestra_bots.evaluations.interface import state_of
from palestra_games import Seat, State
from palestra_games.desconecta4 import GRID, SIZE, Desconecta4State
from palestra_games.interface import OPPONENT

WON = 99_999_999


def _finished(state: Desconecta4State, seat: Seat) -> int | None:
    """The value of a finished game, None during play."""
    result = state.returns()
    return None if result is None else int(result[seat]) * WON


# Distance from the nearer edge: 0 1 2 3 2 1 0.
COLUMNS_WORTH = tuple(
    (worth, sum(GRID.column[col] for col in range(SIZE) if min(col, SIZE - 1 - col) == worth)) for worth in (1, 2, 3)
)


def valoracion_test(state: State, seat: Seat) -> int:
    """The course's own: each ordinary piece of the seat counts its distance from the nearer side edge.

    Bombs count nothing, and neither does anything of the opponent's.
    """
    board = state_of(Desconecta4State, state, "valoracion_test")
    finished = _finished(board, seat)
    if finished is not None:
        return finished
    ordinary = board.stones[seat] & ~board.bombs[seat]
    return sum(worth * (ordinary & columns).bit_count() for worth, columns in COLUMNS_WORTH)


def _cells(*positions: tuple[int, int]) -> tuple[int, ...]:
    return tuple(row * SIZE + col for row, col in positions)


# The walks of the report, in its order. Along one walk the length of a run is carried on; the diagonals are walked in
# windows of four that overlap, and the length is carried from window to window (the code sets it to 0 too late).
ROWS = tuple(_cells(*((i, j) for j in range(7))) for i in range(7))
COLUMNS = tuple(_cells(*((j, i) for j in range(7))) for i in range(7))
FALLING = tuple(_cells(*((i + k, j - k) for j in range(3, 7) for k in range(4))) for i in range(4))
RISING = tuple(_cells(*((j + k, i + k) for j in range(4) for k in range(4))) for i in range(4))

PIECE_COST = tuple(col if col < 3 else 6 for _row in range(SIZE) for col in range(SIZE))


def _run_points(cells: tuple[int, ...], walks: Iterable[tuple[int, ...]], mine: int, theirs: int) -> tuple[int, int]:
    """The points of both colours' runs: the n-th piece of a run counts n, and if the other colour stands right
    behind the run, its length is taken off again."""
    my_points = their_points = 0
    for walk in walks:
        my_run = their_run = 0
        for index in walk:
            cell = cells[index]
            if cell == mine:
                my_run += 1
                my_points += my_run
                their_points -= their_run
                their_run = 0
            elif cell == theirs:
                their_run += 1
                their_points += their_run
                my_points -= my_run
                my_run = 0
            else:
                my_run = their_run = 0
    return my_points, their_points


def runs(state: State, seat: Seat) -> int:
    """Runs of pieces are bad for their owner, and so are pieces in the middle and on the right.

    As the report's C++ code has it, slips included: own runs on rising diagonals are good, an own piece in column j
    costs j up to column 2 and 6 from there on. Bombs interrupt runs and are nobody's.
    """
    board = state_of(Desconecta4State, state, "runs")
    finished = _finished(board, seat)
    if finished is not None:
        return finished
    cells = board.cells
    mine, theirs = seat + 1, OPPONENT[seat] + 1
    my_points, their_points = _run_points(cells, ROWS + COLUMNS + FALLING, mine, theirs)
    my_rising, their_rising = _run_points(cells, RISING, mine, theirs)
    cost = sum(cost for cell, cost in zip(cells, PIECE_COST, strict=True) if cell == mine)
    return their_points + their_rising - my_points + my_rising - cost


def _straight_lines() -> tuple[tuple[int, ...], ...]:
    inside = range(SIZE)
    lines = []
    for d_row, d_col in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in inside:
            for col in inside:
                if row - d_row in inside and col - d_col in inside:
                    continue  # not the first cell of its line
                steps = ((row + k * d_row, col + k * d_col) for k in range(SIZE))
                lines.append(_cells(*((r, c) for r, c in steps if r in inside and c in inside)))
    return tuple(lines)


STRAIGHT_LINES = _straight_lines()

# The report gives the order of the weights and no numbers: own short and the rival's long runs "high", the middle ones
# "something less", own long and the rival's short ones "very little".
OWN_WEIGHTS = {2: 100, 3: 10, 4: 1}
RIVAL_WEIGHTS = {2: 1, 3: 10, 4: 100}


def sequences(state: State, seat: Seat) -> int:
    """Runs of exactly 2, 3 and 4, in all directions: short ones are good to have, long ones good for the rival to have.

    A bomb counts as a piece of its owner, as it does for the line that loses.
    """
    board = state_of(Desconecta4State, state, "sequences")
    finished = _finished(board, seat)
    if finished is not None:
        return finished
    # 0 empty, 1 and 2 the pieces of seat 0 and 1, bombs included.
    owners = [value - 3 if value > 2 else value for value in board.cells]
    score = 0
    for line in STRAIGHT_LINES:
        colour, run = 0, 0
        for owner in (*[owners[index] for index in line], 0):
            if owner == colour:
                run += 1
                continue
            if colour:
                score += (OWN_WEIGHTS if colour == seat + 1 else RIVAL_WEIGHTS).get(run, 0)
            colour, run = owner, 1
    return score


# The places for a line: every four cells in a row.
GROUPS = tuple(
    group
    for shift in GRID.shifts
    for bit in GRID.bits
    if (group := sum(bit << step * shift for step in range(4))) & GRID.full == group
)
GROUP_COST = (0, 0, 1, 4, 0)  # what a place for a line costs by the number of own pieces in it. (Four is a lost game.)


def open_groups(state: State, seat: Seat) -> int:
    """Lines that are still possible are bad for their owner, more so the fuller they are: palestra's own evaluation.

    Each of the places where four in a row fit and no piece of the rival stands costs 1 with two own pieces in it and 4
    with three; the rival's count the other way round. Bombs are pieces of their owner.
    """
    board = state_of(Desconecta4State, state, "open_groups")
    finished = _finished(board, seat)
    if finished is not None:
        return finished
    own, rival = board.stones[seat], board.stones[OPPONENT[seat]]
    points = 0
    for group in GROUPS:
        mine, theirs = group & own, group & rival
        if not mine:
            points += GROUP_COST[theirs.bit_count()]
        elif not theirs:
            points -= GROUP_COST[mine.bit_count()]
    return points
