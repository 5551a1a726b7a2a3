"""The heuristic of the 8 x 8 report, in its own shape: a subset of Python that Numba compiles too."""

from __future__ import annotations

from typing import Protocol

SIZE = 8


class Cells(Protocol):
    """64 numbers by index: a list, or a numpy array."""

    def __getitem__(self, index: int, /) -> int: ...


def open_lines_score(cells: Cells, player: int) -> int:
    """The score of 64 cells (row 0 first; 1 and -1 the two colours, 0 empty) for colour `player`.

    Along rows and columns, a run of one colour (gaps allowed, the other colour not) with room to become four
    counts 1, 3 or 7 points for 1, 2 or 3 and more pieces: plus for the player, minus for the rival.
    The report's own study is only repeated with the slips of its code, so they are kept, and marked.
    """

    def points(pieces: int, room: int, three: int) -> int:
        if pieces == 1 and room >= 3:
            return 1
        if pieces == 2 and room >= 2:
            return 3
        return three if pieces >= 3 and room >= 1 else 0

    score = 0
    for row in range(SIZE):
        colour = 0  # of the current run; 0 until the first piece of the row
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
                score += points(pieces, room, 7) * colour * player
                room = gap
                colour = cell
                pieces = 1
                gap = 0
        score += points(pieces, room, 10) * colour * player  # slip: 7 was meant

    for col in range(SIZE):
        colour = 0
        pieces = 0
        for row in range(SIZE):
            cell = int(cells[row * SIZE + col])
            if cell == 0:
                score += points(pieces, SIZE, 10) * colour * player  # slip: 7 was meant
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
