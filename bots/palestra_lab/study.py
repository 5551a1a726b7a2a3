"""The node study of the 8 x 8 report (UPC), repeated on its own game, to the last node.

The report counts what minimax, alpha-beta and alpha-beta with other column orders visit over all 30 turns of blue in
one game, at depth 8. The report's own player is counted here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from palestra_bots.reports.board import SIZE, Cells, free_row
from palestra_bots.reports.esteve_hawking import LEAVES, NODES, Counts, counted_move

# The game behind the report's picture, column by column from 0, red first; red wins.
GAME = "2333364444143441331114132200556117665555000000777777766665522"
DEPTH = 8
BLUE = -1


@dataclass(frozen=True, slots=True)
class Search:
    """A search of the study: `run(cells, counts)` adds to `counts` what it visits for blue, who is to move.

    It returns the column to play (`COLUMNS`) or the position's value for blue. `published`: the leaves and nodes over
    all turns in the report's table, None for what the report did not try.
    """

    name: str
    run: Callable[[Cells, Counts], int]
    published: tuple[int, int] | None = None


def _column(name: str, prune: bool, start: int, leaves: int, nodes: int) -> Search:
    """Plain minimax, or alpha-beta that tries the columns from `start` on."""

    def run(cells: Cells, counts: Counts) -> int:
        return counted_move(cells, DEPTH, BLUE, start, prune, counts)

    return Search(name, run, (leaves, nodes))


COLUMNS = (
    _column("minimax", False, 0, 120_475_392, 137_148_958),
    _column("alpha-beta, x = 0", True, 0, 3_852_488, 4_904_186),
    _column("alpha-beta, x = 1", True, 1, 1_703_773, 2_214_529),
    _column("alpha-beta, x = 2", True, 2, 2_786_746, 3_471_870),
    _column("alpha-beta, x = 3", True, 3, 5_482_058, 6_636_981),
    _column("alpha-beta, x = 4", True, 4, 9_493_043, 10_716_911),
    _column("alpha-beta, x = 5", True, 5, 9_981_487, 11_819_632),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of blue: what the search visited and returned, and the column that was played."""

    ply: int
    leaves: int
    nodes: int
    found: int
    played: int


def measure(search: Search, step: Callable[[], None] = lambda: None) -> tuple[Turn, ...]:
    """All turns of blue, searched; `step` is called after each."""
    cells: Cells = np.zeros(SIZE * SIZE, dtype=np.int8)
    turns = []
    for ply, played in enumerate(map(int, GAME)):
        mover = 1 if ply % 2 == 0 else BLUE
        if mover == BLUE:
            counts = np.zeros(2, dtype=np.int64)
            found = search.run(cells, counts)
            turns.append(Turn(ply, int(counts[LEAVES]), int(counts[NODES]), int(found), played))
            step()
        cells[free_row(cells, played) * SIZE + played] = mover
    return tuple(turns)
