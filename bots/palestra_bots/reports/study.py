"""The node study of the 8 x 8 report (UPC), repeated on its own game, to the last node.

The report counts what minimax, alpha-beta and alpha-beta with other column orders visit over all 30 turns of blue in
one game, at depth 8. `measure` does that with the report's own player.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from palestra_bots.reports.board import SIZE, Cells, free_row
from palestra_bots.reports.esteve_hawking import LEAVES, NODES, counted_move

# The game behind the report's picture, column by column from 0, red first; red wins.
GAME = "2333364444143441331114132200556117665555000000777777766665522"
DEPTH = 8
BLUE = -1


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the report's table: plain minimax, or alpha-beta that tries the columns from `start` on."""

    name: str
    prune: bool
    start: int
    leaves: int  # as published, like `nodes`
    nodes: int


COLUMNS = (
    Column("minimax", False, 0, 120_475_392, 137_148_958),
    Column("alpha-beta, x = 0", True, 0, 3_852_488, 4_904_186),
    Column("alpha-beta, x = 1", True, 1, 1_703_773, 2_214_529),
    Column("alpha-beta, x = 2", True, 2, 2_786_746, 3_471_870),
    Column("alpha-beta, x = 3", True, 3, 5_482_058, 6_636_981),
    Column("alpha-beta, x = 4", True, 4, 9_493_043, 10_716_911),
    Column("alpha-beta, x = 5", True, 5, 9_981_487, 11_819_632),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of blue: what the search visited, the column it chose and the one that was played."""

    ply: int
    leaves: int
    nodes: int
    chosen: int
    played: int


def measure(column: Column, each_turn: Callable[[Turn], None] = lambda _: None) -> tuple[int, int]:
    """(leaves, nodes) of `column`'s search, summed over blue's turns; `each_turn` is called after each."""
    cells: Cells = np.zeros(SIZE * SIZE, dtype=np.int8)
    totals = np.zeros(2, dtype=np.int64)
    for ply, played in enumerate(map(int, GAME)):
        mover = 1 if ply % 2 == 0 else BLUE
        if mover == BLUE:
            counts = np.zeros(2, dtype=np.int64)
            chosen = counted_move(cells, DEPTH, BLUE, column.start, column.prune, counts)
            totals += counts
            each_turn(Turn(ply, int(counts[LEAVES]), int(counts[NODES]), int(chosen), played))
        cells[free_row(cells, played) * SIZE + played] = mover
    return int(totals[LEAVES]), int(totals[NODES])
