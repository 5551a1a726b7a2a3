"""Perfect play against the clock, and `solve`: states of `palestra_games` in, solutions out."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import lru_cache
from typing import Final

from palestra_bots.solvers.interface import PerfectMove, Solution
from palestra_bots.solvers.mancala import book, cache
from palestra_bots.solvers.mancala.endgame import EndgameTable, build
from palestra_bots.solvers.mancala.rows import MAX_PITS, MAX_SEEDS
from palestra_bots.solvers.mancala.solver import Result, Solver
from palestra_games.mancala import MancalaState
from palestra_games.sowing import Capture

_QUICK_BITS: Final = 18
_QUICK_NODES: Final = 100_000
# Most questions are easy. A table of 256 MiB comes in huge pages, and the kernel clears nearly all of them for the
# first few thousand nodes, which took ten times as long as the search: it is made for what 4 MiB are too few for.
_THOROUGH_BITS: Final = 24
_MATCH_PITS: Final = 6
_MATCH_CAPTURE: Final = "non-empty"


def _require_solvable(state: MancalaState) -> None:
    if state.returns() is not None:
        raise ValueError("The game is over, so there is nothing to solve.")
    if len(state.pits[0]) > MAX_PITS or sum(map(sum, state.pits)) > MAX_SEEDS:
        raise ValueError(f"Mancala is solved with up to {MAX_PITS} pits a side and {MAX_SEEDS} seeds on the board.")


def solve(state: MancalaState) -> Solution:
    """The final difference of the stores for the player to move, and a best action, however long it takes.

    Any number of pits up to MAX_PITS and either capture rule; those of the match game are looked up in the book first.
    ValueError for others.
    """
    _require_solvable(state)
    started = time.monotonic()
    entry = book.load_book().look_up(state)
    if entry is not None:
        return Solution(_lead(state) + entry.value, entry.action, 0, time.monotonic() - started)
    with _SOLVING:
        found = _solvers(len(state.pits[0]), state.capture).solve(state)
    assert found.action is not None  # nothing broke it off
    return Solution(found.lower, found.action, found.nodes, time.monotonic() - started)


def _lead(state: MancalaState) -> int:
    return state.stores[state.to_move] - state.stores[1 - state.to_move]


_SOLVING = threading.Lock()


class _Solvers:
    """What is kept for one set of rules: the endgame table, a solver for easy positions, and one for the others."""

    def __init__(self, pits: int, capture: Capture) -> None:
        self._pits, self._capture = pits, capture
        self._endgame: EndgameTable | None = None
        self._thorough: Solver | None = None

    def solve(self, state: MancalaState) -> Result:
        endgame = self._tables(sum(map(sum, state.pits)))
        found = self._quick.solve(state, node_limit=_QUICK_NODES)
        if found.solved:
            return found
        if self._thorough is None:
            self._thorough = Solver(endgame, _THOROUGH_BITS)
        whole = self._thorough.solve(state, guesses=(found.lower if found.action is not None else 0,))
        return replace(whole, nodes=found.nodes + whole.nodes)

    def _tables(self, seeds: int) -> EndgameTable:
        """The endgame table for positions with `seeds` seeds; a larger one replaces the one that was kept."""
        wanted = cache.DEFAULT_SEEDS if self._pits == _MATCH_PITS else min(cache.DEFAULT_SEEDS, seeds)
        if self._endgame is None or self._endgame.seeds < wanted:
            if self._pits == _MATCH_PITS:
                self._endgame = cache.load(self._pits, self._capture)
            else:
                self._endgame = build(self._pits, self._capture, wanted)
            self._quick = Solver(self._endgame, _QUICK_BITS)
            self._thorough = None
        return self._endgame


_solvers = lru_cache(maxsize=2)(_Solvers)


class PerfectPlayer:
    """Plays one match of mancala as well as can be played. Keep it for the match: it remembers what it has proved.

    `table_bits`: the transposition table has 2**table_bits entries of 16 bytes.
    """

    def __init__(self, *, table_bits: int = 22) -> None:
        self._book = book.load_book()
        self._solver = Solver(cache.load(_MATCH_PITS, _MATCH_CAPTURE), table_bits)
        self._seat = 0
        self._seeds = 0
        self._first: int | None = None
        self._promised: int | None = None

    def perfect_move(self, state: MancalaState, seconds: float, node_limit: int | None = None) -> PerfectMove | None:
        """A best move by book, tables or search, found within `seconds` and `node_limit` nodes. None if they
        do not suffice, and for other rules than the match game's.

        If it is not exact, `score` is at least that of the same player's last move, or at least that of its first one
        if that wins the match. ValueError if the game is over.
        """
        _require_solvable(state)
        if len(state.pits[0]) != _MATCH_PITS or state.capture != _MATCH_CAPTURE:
            return None
        started = time.monotonic()
        seeds = sum(map(sum, state.pits))
        if state.to_move != self._seat or seeds > self._seeds:
            self._first = self._promised = None  # another match, or asked for the other player
        self._seat, self._seeds = state.to_move, seeds
        entry = self._book.look_up(state)
        if entry is not None:
            score = _lead(state) + entry.value
            action, exact, nodes = entry.action, True, 0
        else:
            # Whether the promises hold takes the least to find out, and their proof may be in the table already.
            promises = [self._first] if self._first is not None and self._first > 0 else []
            if self._promised is not None:
                promises.append(self._promised)
            found = self._solver.solve(state, guesses=promises or (0,), seconds=seconds, node_limit=node_limit)
            if found.action is None or not (found.solved or any(found.lower >= least for least in promises)):
                return None
            score, action, exact, nodes = found.lower, found.action, found.solved, found.nodes
        self._promised = score
        if self._first is None:
            self._first = score
        return PerfectMove(score, action, nodes, time.monotonic() - started, exact)
