"""The exact solver as an object: a table that lives from question to question, and scores found by MTD(f)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from palestra_bots.kernels.bits import popcount
from palestra_bots.solvers.connect4 import search
from palestra_bots.solvers.connect4.bitboard import BOARD, BOTTOM, CELLS, COLS, ROWS, Word, mirrored, threats
from palestra_bots.solvers.connect4.bounds import live_cells, reply_bound
from palestra_bots.solvers.connect4.keys import key_of
from palestra_bots.solvers.connect4.table import Words, find_slot, new_table

TABLE_BITS = 22
_NO_LIMIT = np.iinfo(np.int64).max


class OutOfTime(Exception):
    """The search was stopped before the score was known."""

    def __init__(self, lower: int, action: int, nodes: int) -> None:
        super().__init__("The time or the nodes ran out before the position was solved.")
        self.lower = lower
        """The mover is proved to score at least this, for the player to move at the root."""
        self.action = action
        """A column that scores at least `lower`."""
        self.nodes = nodes


@dataclass(frozen=True, slots=True)
class Result:
    """`score` in the view of the player to move, `action` a column (from 0) that keeps it, `nodes` searched for it."""

    score: int
    action: int
    nodes: int


def column(cell: int) -> int:
    """Column of the single cell `cell`, a bit as in `bitboard`."""
    return (cell.bit_length() - 1) // (ROWS + 1)


def _first_edges(lower: int, upper: int, ply: int) -> Iterator[int]:
    """Where the first null windows end, of a position whose score is within `lower` and `upper`.

    Is it won or lost within 6 plies, within 12? These are quick to answer, for a search for a short win cannot go deep.
    Then: does the player who began win? He is the one who usually can.
    """
    for stones in (3, 6):
        yield upper - stones
        yield lower + stones + 1
    yield 1 if ply % 2 == 0 else 0


class Solver:
    """Solves 6x7 positions exactly. Every thread needs its own; two may share a table (`twin`).

    `table_bits`: the transposition table has 2**table_bits entries of 16 bytes (22: 64 MiB).
    """

    def __init__(self, table_bits: int = TABLE_BITS, *, table: Words | None = None) -> None:
        self._table = new_table(table_bits) if table is None else table
        self._frames = np.zeros((CELLS + 1, COLS, search.FRAME_WORDS), np.uint64)
        self._limits = np.zeros((CELLS + 1, COLS, 2), np.int64)
        self._moves = np.zeros((CELLS + 1, COLS), np.uint64)
        self._scores = np.zeros((CELLS + 1, COLS), np.int64)
        self._counters = np.zeros(search.COUNTERS, np.int64)

    def twin(self) -> Solver:
        """A solver for another thread, on the same table: what one finds, both know."""
        return Solver(table=self._table)

    def clear(self) -> None:
        """Forget everything searched so far."""
        self._table.fill(0)

    @property
    def forced(self) -> int:
        """Plies that the last search followed without a node."""
        return int(self._counters[search.FORCED])

    def solve(self, own: int, mask: int, *, seconds: float | None = None, node_limit: int | None = None) -> Result:
        """Score and best column of a position that is not over.

        `own` are the stones of the player to move, `mask` all stones (layout: `bitboard`). Raises `OutOfTime` after
        `seconds`, or after `node_limit` nodes, whichever comes first.
        """
        with np.errstate(over="ignore"), self._bounded(seconds, node_limit):
            # Mirror images cost the same and get the same move: what was checked of one holds for both.
            image = int(mirrored(Word(mask))), int(mirrored(Word(own)))
            turned = image < (mask, own)
            if turned:
                mask, own = image
            score, move = self._search(Word(own), Word(mask))
        action = column(move)
        return Result(score, COLS - 1 - action if turned else action, int(self._counters[search.NODES]))

    @contextmanager
    def _bounded(self, seconds: float | None, node_limit: int | None) -> Iterator[None]:
        counters = self._counters
        counters.fill(0)
        counters[search.NODE_LIMIT] = _NO_LIMIT if node_limit is None else node_limit
        if seconds is None:
            yield
            return

        def stop() -> None:
            counters[search.STOP] = 1

        # The search holds no lock of the interpreter: a timer can raise the flag, and no clock is read in a node.
        timer = threading.Timer(max(seconds, 0.0), stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def _search(self, own: Word, mask: Word) -> tuple[int, int]:
        """(score, a move that keeps it, as a cell)."""
        moves = popcount(mask)
        playable = int((mask + BOTTOM) & BOARD)
        wins = int(threats(own, mask)) & playable
        if wins:
            return (CELLS + 1 - moves) // 2, wins & -wins
        possible = int(search.not_losing(mask, threats(own ^ mask, mask)))
        if not possible:
            return -((CELLS - moves) // 2), playable & -playable
        value, *settled = search.settle(own, mask, self._counters)
        quiet_own, quiet_mask, quiet_possible, rival_threats = map(Word, settled)
        best = possible & -possible
        if value == search.QUIET:
            value, move = self._mtd(quiet_own, quiet_mask, quiet_possible, rival_threats)
            if quiet_mask == mask:
                best = move
        return (value if (popcount(quiet_mask) - moves) % 2 == 0 else -value), best

    def _mtd(self, own: Word, mask: Word, possible: Word, rival_threats: Word) -> tuple[int, int]:
        """(score, a move that keeps it) of a quiet position: MTD(f) (Plaat 1996), null windows up or down to it."""
        root = self._frames[search.ROOT_ROW, 0]
        root[search.OWN], root[search.MASK], root[search.POSSIBLE] = own, mask, possible
        own_live, rival_live = Word(live_cells(BOARD & ~(own ^ mask))), Word(live_cells(BOARD & ~own))
        root[search.STONES], root[search.DEAD] = key_of(own, mask, own_live, rival_live)
        root[search.SLOT] = find_slot(root[search.STONES], root[search.DEAD], self._table)
        # A lower bound counts here only with a move that reaches it: to lose no sooner than that, any move will do.
        lower = -((CELLS - 2 - popcount(mask)) // 2)
        upper = min((CELLS - 1 - popcount(mask)) // 2, reply_bound(own, mask, rival_threats))
        best = int(possible) & -int(possible)
        edges = _first_edges(lower, upper, popcount(mask))
        step = lower + 1
        while lower < upper:
            beta = next((edge for edge in edges if lower < edge <= upper), step)
            self._limits[search.ROOT_ROW, 0] = lower, upper
            value = search.negamax(
                search.ROOT_ROW,
                0,
                beta,
                self._table,
                self._frames,
                self._limits,
                self._moves,
                self._scores,
                self._counters,
            )
            if self._counters[search.STOP]:
                raise OutOfTime(lower, column(best), int(self._counters[search.NODES]))
            if value >= beta:
                lower, best = value, int(self._counters[search.BEST_MOVE])
                step = lower + 1
            else:
                step = upper = value
        return lower, best
