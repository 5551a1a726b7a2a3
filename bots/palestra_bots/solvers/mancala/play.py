"""Perfect play against the clock, and `solve`: states of `palestra_games` in, solutions out."""

from __future__ import annotations

import time
from typing import Final

from palestra_bots.solvers.mancala import book, cache
from palestra_bots.solvers.mancala.endgame import build
from palestra_bots.solvers.mancala.rows import MAX_PITS, MAX_SEEDS
from palestra_bots.solvers.mancala.solver import Solver
from palestra_bots.solvers.solution import Solution
from palestra_games.mancala import MancalaState

SHARE: Final = 0.6
"""The share of the time for a move that is spent on solving; the rest is for an ordinary search, if it fails."""

_SOLVE_TABLE_BITS: Final = 24
_MATCH_PITS: Final = 6


def _require_solvable(state: MancalaState) -> None:
    if state.returns() is not None:
        raise ValueError("The game is over, so there is nothing to solve.")
    if len(state.pits[0]) > MAX_PITS or sum(map(sum, state.pits)) > MAX_SEEDS:
        raise ValueError(f"Mancala is solved with up to {MAX_PITS} pits a side and {MAX_SEEDS} seeds on the board.")


def solve(state: MancalaState) -> Solution:
    """The final difference of the stores for the player to move, and a best action, however long it takes.

    Any number of pits up to MAX_PITS and either capture rule; the book is not asked. ValueError for others.
    """
    _require_solvable(state)
    started = time.monotonic()
    pits = len(state.pits[0])
    if pits == _MATCH_PITS:
        endgame = cache.load(pits, state.capture)
    else:
        endgame = build(pits, state.capture, min(cache.DEFAULT_SEEDS, sum(map(sum, state.pits))))
    found = Solver(endgame, _SOLVE_TABLE_BITS).solve(state)
    assert found.action is not None  # nothing broke it off
    return Solution(found.lower, found.action, found.nodes, time.monotonic() - started)


class PerfectPlayer:
    """Plays one match of mancala as well as can be played. Keep it for the match: it remembers what it has proved.

    `table_bits`: the transposition table has 2**table_bits entries of 16 bytes.
    """

    def __init__(self, *, table_bits: int = 22) -> None:
        self._book = book.load()
        self._solver = Solver(cache.load(_MATCH_PITS, "non-empty"), table_bits)
        self._promised: int | None = None
        self._floor = 0

    def perfect_move(self, state: MancalaState, remaining_s: float) -> Solution | None:
        """A best move by book, tables or search, for whoever is to move in `state`; None if the time doesn't suffice.

        `remaining_s`: seconds left for the move, of which SHARE may be used. The score is exact, unless the time was
        short: then it is what the move is proved to keep, and at least the score of this player's last move; or at
        least the score of the first one if that wins the match, so that a win once proved is never lost.
        None for other rules than the match game's. ValueError if the game is over.
        """
        _require_solvable(state)
        if len(state.pits[0]) != _MATCH_PITS or state.capture != "non-empty":
            return None
        started = time.monotonic()
        entry = self._book.look_up(state)
        if entry is not None:
            stored = state.stores[state.to_move] - state.stores[1 - state.to_move]
            return self._promise(stored + entry.value, entry.action, 0, started)
        # Whether the promises still hold takes the least to find out, and their proof may be in the table already.
        promises = (
            *((self._floor,) if self._floor > 0 else ()),
            *(() if self._promised is None else (self._promised,)),
        )
        found = self._solver.solve(state, guesses=promises or (0,), seconds=SHARE * remaining_s)
        if found.action is None or not (found.solved or any(found.lower >= least for least in promises)):
            return None
        return self._promise(found.lower, found.action, found.nodes, started)

    def _promise(self, score: int, action: int, nodes: int, started: float) -> Solution:
        if self._promised is None:
            self._floor = score
        self._promised = score
        return Solution(score, action, nodes, time.monotonic() - started)
