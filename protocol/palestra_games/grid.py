"""Bitboards for games where pieces drop into the columns of a grid.

A set of cells is one int. Columns follow each other, each topped by an empty guard bit so that no line runs from one
column into the next: bit = col * (rows + 1) + row. For 6 x 7:

     6 13 20 27 34 41 48   <- guard bits, always 0
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42   <- row 0

Source: Tromp's Fhourstones benchmark; explained in Pascal Pons, "Solving Connect 4", part 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from palestra_games.interface import CellView, wire_int, wire_ints, wire_value


class Grid:
    """The geometry of a rows x cols board as masks. There is one object per size (see `grid`), so `==` is `is`."""

    __slots__ = (
        "_counts",
        "_spread",
        "bits",
        "bottom",
        "closed",
        "cols",
        "column",
        "drops",
        "empty",
        "floor",
        "fours",
        "full",
        "open_columns",
        "rows",
        "shifts",
        "top",
    )

    def __init__(self, rows: int, cols: int) -> None:
        height = rows + 1
        self.rows = rows
        self.cols = cols
        # The lowest cell of each column.
        self.bottom = tuple(1 << col * height for col in range(cols))
        # All cells of each column.
        self.column = tuple(((1 << rows) - 1) << col * height for col in range(cols))
        # Row 0.
        self.floor = sum(self.bottom)
        # The highest row.
        self.top = self.floor << (rows - 1)
        # Every cell.
        self.full = sum(self.column)
        # Each cell as a set of one, in wire order: row 0 first, column 0 first.
        self.bits = tuple(1 << col * height + row for row in range(rows) for col in range(cols))
        # The distance in bits to the next cell right, up, up-right and down-right.
        self.shifts = (height, 1, height + 1, height - 1)
        # `heights` of the empty board, and of one where every column is closed: a full column, and no other, sets its
        # guard bit.
        self.empty = self.floor * ((1 << rows) - rows)
        self.closed = self.floor << rows
        # The columns that aren't full, ascending: `open_columns[heights & closed]`.
        self.open_columns = {
            sum(bottom << rows for col, bottom in enumerate(self.bottom) if full >> col & 1): tuple(
                col for col in range(cols) if not full >> col & 1
            )
            for full in range(1 << cols)
        }
        # For each column and each set of pieces in it (bit 0 is the lowest): the cells in wire order, one byte each.
        self._spread = tuple(
            tuple(
                sum((pieces >> row & 1) << 8 * (row * cols + col) for row in range(rows)) for pieces in range(1 << rows)
            )
            for col in range(cols)
        )
        in_lines, self.fours = self._lines()
        # For each column and each set of pieces in it: these pieces, `counted`.
        self._counts = tuple(self._counted_column(col, in_lines) for col in range(cols))
        # For each column: the mask of its lane in `heights`, and a map from what it leaves of them to what the next
        # piece adds to its owner's `counted` pieces, what it adds to the heights, and whether it fills the column; no
        # entry if the column is full. (Plain tuples: they are unpacked at every move.)
        self.drops = {col: self._landings(col, in_lines) for col in range(cols)}

    def __reduce__(self) -> tuple[object, tuple[int, int]]:
        return grid, (self.rows, self.cols)

    def __repr__(self) -> str:
        return f"grid({self.rows}, {self.cols})"

    def _lines(self) -> tuple[dict[int, int], int]:
        """What each cell adds to `counted` pieces, and the mask of the counts that have come to four."""
        adds = dict(zip(self.bits, self.bits, strict=True))
        place, fours = self.cols * (self.rows + 1), 0
        for shift in self.shifts:
            for start in self.bits:
                line = [start << step * shift for step in range(4)]
                if all(cell & self.full for cell in line):
                    for cell in line:
                        adds[cell] += 1 << place
                    fours |= 4 << place
                    place += 3
        return adds, fours

    def _counted_column(self, col: int, adds: Mapping[int, int]) -> list[int]:
        counts = [0]
        for row in range(self.rows):
            cell = adds[self.bottom[col] << row]
            counts += [below + cell for below in counts]
        return counts

    def _landings(self, col: int, adds: Mapping[int, int]) -> tuple[int, dict[int, tuple[int, int, bool]]]:
        piece = self.bottom[col]
        lane = self.column[col] | piece << self.rows
        lowest = self.empty & lane
        return lane, {
            lowest + row * piece: (adds[piece << row], piece, row == self.rows - 1) for row in range(self.rows)
        }

    def counted(self, pieces: int) -> int:
        """The set, and above it for each line of four how many of these pieces are on it, in three bits.

        Adding a piece is one addition, and `counted(pieces) & fours` tells whether there is a line.
        """
        height, mask = self.rows + 1, self.column[0]
        return sum(counts[pieces >> col * height & mask] for col, counts in enumerate(self._counts))

    def heights(self, pieces: int) -> int:
        """How high the columns are, with these pieces of both seats and no gaps: `empty`, and in each column's lane
        (its cells and guard bit, read as a number) 1 for each piece."""
        return self.empty + sum(
            (pieces & column).bit_count() * bottom for column, bottom in zip(self.column, self.bottom, strict=True)
        )

    def has_line(self, pieces: int) -> bool:
        for shift in self.shifts:
            pairs = pieces & (pieces >> shift)
            if pairs & (pairs >> 2 * shift):
                return True
        return False

    def line_anchors(self, pieces: int, shift: int) -> int:
        """The first cell of every line of four in the direction of `shift`."""
        pairs = pieces & (pieces >> shift)
        return pairs & (pairs >> 2 * shift)

    def line_cells(self, pieces: int) -> int:
        """All cells that belong to a line of four or more."""
        cells = 0
        for shift in self.shifts:
            anchors = self.line_anchors(pieces, shift)
            cells |= anchors | anchors << shift | anchors << 2 * shift | anchors << 3 * shift
        return cells

    def highlight_lines(self, cells: list[CellView], pieces: int) -> None:
        """Highlights those of `cells`, in wire order, that belong to a line of these pieces."""
        lines = self.line_cells(pieces)
        for index, bit in enumerate(self.bits):
            if bit & lines:
                cells[index] = _highlighted(cells[index])

    def cells_of_column(self, col: int) -> tuple[int, ...]:
        """The indices of a column's cells in wire order, from the bottom up."""
        return tuple(range(col, self.rows * self.cols, self.cols))

    def read_cells(self, wire: Mapping[object, object], highest: int) -> tuple[int, ...]:
        """Checks `rows`, `cols` and `cells` of a state on the wire and returns the cells, each from 0 to `highest`.

        Raises ValueError for another size, a wrong type, or a piece above an empty cell.
        """
        wire_int(wire_value(wire, "rows"), "rows", self.rows, self.rows)
        wire_int(wire_value(wire, "cols"), "cols", self.cols, self.cols)
        cells = wire_ints(wire_value(wire, "cells"), "cells", self.rows * self.cols, highest)
        for index in range(self.cols, len(cells)):
            if cells[index] and not cells[index - self.cols]:
                row, col = divmod(index, self.cols)
                raise ValueError(f"The piece in row {row}, column {col} (both from 0) has no piece under it.")
        return cells

    def cells(self, first: int, second: int) -> list[int]:
        """The cells in wire order: 1 in the first set, 2 in the second, 0 in neither."""
        # One byte per cell, summed column by column: three times as fast as testing each cell.
        height, mask = self.rows + 1, self.column[0]
        cells = 0
        for spread in self._spread:
            cells += spread[first & mask] + 2 * spread[second & mask]
            first >>= height
            second >>= height
        return list(cells.to_bytes(self.rows * self.cols, "little"))

    def pieces(self, cells: tuple[int, ...], *values: int) -> int:
        return sum(bit for bit, value in zip(self.bits, cells, strict=True) if value in values)

    def draw(self, cells: tuple[int, ...], symbols: Mapping[int, str]) -> str:
        """The board as text: the top row first, and column numbers (from 1) at the bottom."""
        lines = [
            "| " + " ".join(symbols[value] for value in cells[row * self.cols : (row + 1) * self.cols]) + " |"
            for row in reversed(range(self.rows))
        ]
        lines.append("  " + " ".join(str(col + 1) for col in range(self.cols)))
        return "\n".join(lines)


@cache
def _highlighted(cell: CellView) -> CellView:
    return replace(cell, highlight=True)


@cache
def grid(rows: int, cols: int) -> Grid:
    return Grid(rows, cols)
