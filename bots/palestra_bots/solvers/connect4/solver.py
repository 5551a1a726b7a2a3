"""The exact solver as an object: a table that lives from question to question, and scores found by MTD(f)."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from palestra_bots.kernels.bits import popcount
from palestra_bots.solvers.connect4 import quiet, search
from palestra_bots.solvers.connect4.bitboard import BOARD, BOTTOM, CELLS, COLS, ROWS, Word, mirrored, threats
from palestra_bots.solvers.connect4.bounds import live_cells, reply_bound
from palestra_bots.solvers.connect4.keys import key_of
from palestra_bots.solvers.connect4.proof import Proof, Worker
from palestra_bots.solvers.connect4.table import Words, find_slot, new_table
from palestra_bots.solvers.timer import calling_after

TABLE_BITS = 22
# Words to note in what the threads are at, a power of two; two positions with the same word do no harm.
_BUSY_MARKS = 1 << 12
_NO_LIMIT = np.iinfo(np.int64).max


class OutOfTime(Exception):
    """The search was stopped before the score was known."""

    def __init__(self, lower: int, action: int, nodes: int) -> None:
        super().__init__("The time or the nodes ran out before the position was solved.")
        # The mover is proved to score at least this, for the player to move at the root.
        self.lower = lower
        # A column that scores at least `lower`.
        self.action = action
        self.nodes = nodes


class _Stopped(Exception):
    """As OutOfTime, for the position that was searched; `move` is a cell."""

    def __init__(self, lower: int, move: int) -> None:
        super().__init__()
        self.lower, self.move = lower, move


@dataclass(frozen=True, slots=True)
class Result:
    """`score` in the view of the player to move, `action` a column (from 0) that keeps it, `nodes` searched for it."""

    score: int
    action: int
    nodes: int


def column(cell: int) -> int:
    """Column of the single cell `cell`, a bit as in `bitboard`."""
    return (cell.bit_length() - 1) // (ROWS + 1)


class Solver:
    """Solves 6x7 positions exactly. Only one thread may use it; two solvers may share a table (`twin`).

    `table_bits`: the transposition table has 2**table_bits entries of 16 bytes (22: 64 MiB). `threads` search every
    position together. With more than one the score is the same; nodes, and which of several best columns, may differ.
    """

    def __init__(self, table_bits: int = TABLE_BITS, *, threads: int = 1, table: Words | None = None) -> None:
        self._table = new_table(table_bits) if table is None else table
        self._workers = tuple(Worker() for _ in range(threads))
        self._busy = np.zeros(_BUSY_MARKS if threads > 1 else 0, np.uint64)
        self._helpers: list[threading.Thread] = []

    def twin(self) -> Solver:
        """A solver for another thread, on the same table: what one finds, both know."""
        return Solver(table=self._table)

    def clear(self) -> None:
        self._await_helpers()
        self._table.fill(0)

    @property
    def forced(self) -> int:
        """Plies that the last search followed without a node."""
        return self._count(quiet.FORCED)

    def solve(
        self,
        own: int,
        mask: int,
        *,
        at_least: int | None = None,
        seconds: float | None = None,
        node_limit: int | None = None,
    ) -> Result:
        """Score and best column of a position that is not over.

        With `at_least`, only until it is known whether the score reaches that: it is then a bound that tells, and if it
        does, the column reaches `at_least`.

        `own` are the stones of the player to move, `mask` all stones (layout: `bitboard`). Raises `OutOfTime` after
        `seconds`, or when a thread has searched `node_limit` nodes, whichever comes first.
        """
        self._await_helpers()
        for worker in self._workers:
            worker.counters.fill(0)
            worker.counters[quiet.NODE_LIMIT] = _NO_LIMIT if node_limit is None else node_limit
        with np.errstate(over="ignore"):
            # Mirror images cost the same and get the same move: what was checked of one holds for both.
            image = int(mirrored(Word(mask))), int(mirrored(Word(own)))
            turned = image < (mask, own)
            if turned:
                mask, own = image
            try:
                score, move = self._search(Word(own), Word(mask), at_least, seconds)
            except _Stopped as stopped:
                action = column(stopped.move)
                raise OutOfTime(
                    stopped.lower, COLS - 1 - action if turned else action, self._count(quiet.NODES)
                ) from None
        action = column(move)
        return Result(score, COLS - 1 - action if turned else action, self._count(quiet.NODES))

    def _count(self, counter: int) -> int:
        return sum(int(worker.counters[counter]) for worker in self._workers)

    def _await_helpers(self) -> None:
        # They were told to stop, but on a busy machine it may take them a moment to hear it; nobody else waits for it.
        for helper in self._helpers:
            helper.join()
        self._helpers = []

    def _search(self, own: Word, mask: Word, at_least: int | None, seconds: float | None) -> tuple[int, int]:
        """(score, a move that keeps it, as a cell)."""
        moves = popcount(mask)
        playable = int((mask + BOTTOM) & BOARD)
        wins = int(threats(own, mask)) & playable
        if wins:
            return (CELLS + 1 - moves) // 2, wins & -wins
        possible = int(quiet.not_losing(mask, threats(own ^ mask, mask)))
        if not possible:
            return -((CELLS - moves) // 2), playable & -playable
        value, *settled = quiet.settle(own, mask, self._workers[0].counters)
        quiet_own, quiet_mask, quiet_possible, rival_threats = map(Word, settled)
        best, same = possible & -possible, (popcount(quiet_mask) - moves) % 2 == 0
        if value == quiet.QUIET:
            asked = at_least if at_least is None or same else 1 - at_least
            try:
                value, move = self._prove(quiet_own, quiet_mask, quiet_possible, rival_threats, asked, seconds)
            except _Stopped as stopped:
                # After forced moves the bound is that of whoever is on the move there.
                lower = stopped.lower if same else -((CELLS - moves) // 2)
                raise _Stopped(lower, stopped.move if quiet_mask == mask else best) from None
            if quiet_mask == mask:
                best = move
        return (value if same else -value), best

    def _prove(
        self, own: Word, mask: Word, possible: Word, rival_threats: Word, at_least: int | None, seconds: float | None
    ) -> tuple[int, int]:
        """(score, a move that keeps it) of a quiet position."""
        own_live, rival_live = Word(live_cells(BOARD & ~(own ^ mask))), Word(live_cells(BOARD & ~own))
        stones, dead = key_of(own, mask, own_live, rival_live)
        slot = find_slot(stones, dead, self._table)
        for worker in self._workers:
            worker.frames[search.ROOT_ROW, 0] = own, mask, possible, stones, dead, slot
        # A lower bound counts here only with a move that reaches it: to lose no sooner than that, any move will do.
        lower = -((CELLS - 2 - popcount(mask)) // 2)
        upper = min((CELLS - 1 - popcount(mask)) // 2, reply_bound(own, mask, rival_threats))
        proof = Proof(lower, upper, int(possible) & -int(possible), popcount(mask), at_least)
        self._helpers = [
            threading.Thread(target=self._help, args=(proof, worker), daemon=True) for worker in self._workers[1:]
        ]
        with calling_after(seconds, lambda: self._stop(proof)):
            for helper in self._helpers:
                helper.start()
            self._help(proof, self._workers[0])
        if proof.stopped:
            raise _Stopped(proof.lower, proof.best)
        return proof.score, proof.best

    def _stop(self, proof: Proof) -> None:
        with proof.lock:
            proof.stopped = True
            self._interrupt(self._workers)

    def _interrupt(self, workers: Iterable[Worker]) -> None:
        for worker in workers:
            worker.counters[quiet.STOP] = 1

    def _help(self, proof: Proof, worker: Worker) -> None:
        """Search window after window until the proof is done."""
        counters = worker.counters
        while True:
            with proof.lock:
                if proof.is_done:
                    return
                counters[quiet.STOP] = 0
                beta = proof.beta
                worker.limits[search.ROOT_ROW, 0] = proof.lower, proof.upper
            value = search.negamax(
                search.ROOT_ROW,
                0,
                beta,
                self._table,
                worker.frames,
                worker.limits,
                worker.moves,
                worker.scores,
                counters,
                self._busy,
            )
            with proof.lock:
                if counters[quiet.NODES] > counters[quiet.NODE_LIMIT]:
                    proof.stopped = True
                elif not counters[quiet.STOP]:
                    proof.learn(beta, value, int(counters[quiet.BEST_MOVE]))
                else:
                    # Another thread answered first, or the time is over.
                    continue
                self._interrupt(other for other in self._workers if other is not worker)
