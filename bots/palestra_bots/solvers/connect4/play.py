"""From states of `palestra_games` to the solver: exact solutions, and perfect moves against a clock."""

from __future__ import annotations

import os
import threading
import time
from functools import cache

from palestra_bots.solvers.connect4.bitboard import COLS, ROWS
from palestra_bots.solvers.connect4.book import load_book
from palestra_bots.solvers.connect4.solver import TABLE_BITS, OutOfTime, Solver
from palestra_bots.solvers.interface import PerfectMove, Solution
from palestra_games.connect4 import Connect4State

# Most questions are easy. A table of 256 MiB comes in huge pages, and the kernel clears nearly all of them for the
# first few thousand nodes, which took ten times as long as the search: it is made for what 16 MiB are too few for.
_QUICK_BITS = 20
_QUICK_NODES = 500_000
_THOROUGH_BITS = 24
# More gain less and less: ever more often, two of them are at the same position.
_SOLVE_THREADS = min(2, os.cpu_count() or 1)


def bitboards(state: Connect4State) -> tuple[int, int]:
    """(stones of the player to move, all stones) of a position in play; ValueError if it is not ours to solve."""
    if (state.rows, state.cols) != (ROWS, COLS):
        raise ValueError(f"Connect four is solved on {ROWS}x{COLS} only, not on {state.rows}x{state.cols}.")
    if state.returns() is not None:
        raise ValueError("The game is over, so there is nothing to solve.")
    first, second = state.stones
    return state.stones[state.to_move], first | second


def solve(state: Connect4State) -> Solution:
    """Exact score and a best action of a 6x7 position in play, from the book or by search, however long it takes.

    Two threads search where there are two cores, so that nodes differ from run to run, and of several best actions it
    may be another one. Raises ValueError for other boards and for finished games.
    """
    own, mask = bitboards(state)
    started = time.monotonic()
    entry = load_book().look_up(own, mask)
    if entry is not None:
        return Solution(entry.value, entry.action, 0, time.monotonic() - started)
    with _SOLVING:
        score, action, nodes = _searched(own, mask)
    return Solution(score, action, nodes, time.monotonic() - started)


_SOLVING = threading.Lock()


def _searched(own: int, mask: int) -> tuple[int, int, int]:
    """(score, best action, nodes)."""
    before = 0
    try:
        result = _quick().solve(own, mask, node_limit=_QUICK_NODES)
    except OutOfTime as stopped:
        before = stopped.nodes
        result = _thorough().solve(own, mask)
    return result.score, result.action, before + result.nodes


@cache
def _quick() -> Solver:
    return Solver(_QUICK_BITS)


@cache
def _thorough() -> Solver:
    return Solver(_THOROUGH_BITS, threads=_SOLVE_THREADS)


class PerfectPlayer:
    """Perfect moves for a player on the clock: the opening book, then the solver, which remembers from move to move.

    One thread: a bot on a machine with other bots leaves the other cores to them.
    """

    def __init__(self, *, table_bits: int = TABLE_BITS) -> None:
        self._book = load_book()
        self._solver = Solver(table_bits)

    def perfect_move(self, state: Connect4State, seconds: float, node_limit: int | None = None) -> PerfectMove | None:
        """A move of the greatest score: the quickest win, the slowest loss. None if `seconds` or the nodes do
        not suffice.

        If the time ran out but the move does not lose, it is given all the same, as not exact: another one might win,
        or win sooner. ValueError as `bitboards`.
        """
        own, mask = bitboards(state)
        started = time.monotonic()
        entry = self._book.look_up(own, mask)
        if entry is not None:
            return PerfectMove(entry.value, entry.action, 0, time.monotonic() - started, True)
        try:
            result = self._solver.solve(own, mask, seconds=seconds, node_limit=node_limit)
        except OutOfTime as stopped:
            if stopped.lower < 0:
                return None
            return PerfectMove(stopped.lower, stopped.action, stopped.nodes, time.monotonic() - started, False)
        return PerfectMove(result.score, result.action, result.nodes, time.monotonic() - started, True)
