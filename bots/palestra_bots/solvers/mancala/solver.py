"""The exact solver as an object: a table that lives from question to question, and MTD(f) to the end of the game."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

import numpy as np

from palestra_bots.solvers.mancala import search
from palestra_bots.solvers.mancala.endgame import EndgameTable, numbering
from palestra_bots.solvers.mancala.rows import rest_of, sowing
from palestra_bots.solvers.mancala.table import new_table
from palestra_bots.solvers.timer import calling_after
from palestra_games.mancala import MancalaState

TABLE_BITS: Final = 22
_NO_LIMIT: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of a position, as final differences of the stores in the view of the player to move.

    It is solved if `lower == upper`; `action` is then a best one. Else the search was broken off, `action` is one that
    is proved to reach `lower`, or None if none is. `nodes` is the number of positions whose moves were looked at.
    """

    lower: int
    upper: int
    action: int | None
    nodes: int

    @property
    def solved(self) -> bool:
        return self.lower == self.upper


class Solver:
    """Solves positions of mancala for one number of pits and one capture rule. Not for several threads at once.

    `table_bits`: the transposition table has 2**table_bits entries of 16 bytes (22: 64 MiB).
    """

    def __init__(self, endgame: EndgameTable, table_bits: int = TABLE_BITS) -> None:
        self.endgame = endgame
        self._sowing = sowing(endgame.pits, endgame.capture)
        self._numbering = numbering(endgame.pits)
        self._table = new_table(table_bits)
        self._boards = np.zeros((search.MAX_PLIES, search.BOARD), np.uint64)
        self._frames = np.zeros((search.MAX_PLIES, search.FRAME), np.int64)
        self._counters = np.zeros(search.COUNTERS, np.int64)

    def clear(self) -> None:
        self._table.fill(0)

    def solve(
        self,
        state: MancalaState,
        *,
        guesses: Sequence[int] = (0,),
        at_least: int | None = None,
        seconds: float | None = None,
        node_limit: int | None = None,
    ) -> Result:
        """Searches a position until it is solved, or `seconds` or `node_limit` nodes are used up.

        With `at_least`, only until it is known whether it is worth that much.

        `guesses` are the values that MTD(f) asks for first, those that are still possible: whether the position is
        worth that much. Good ones save passes. ValueError if the game is over or has other rules.
        """
        if state.returns() is not None:
            raise ValueError("The game is over, so there is nothing to solve.")
        rules = (self.endgame.pits, self.endgame.capture)
        if (len(state.pits[0]), state.capture) != rules:
            raise ValueError(f"This solver is for {rules[0]} pits a side and the capture rule {rules[1]!r}.")
        own, other = rest_of(state)
        stored = state.stores[state.to_move] - state.stores[1 - state.to_move]
        counters = self._counters
        with np.errstate(over="ignore"), self._begin(seconds, node_limit):
            seeds = sum(map(sum, state.pits))
            lower, upper = -seeds, seeds
            value = 0
            asked = [guess - stored for guess in reversed(guesses)]
            action: int | None = None
            # The action is only known from a pass that fails high: so even a value of -seeds takes one.
            while lower < upper or action is None:
                if asked:
                    value = min(max(asked.pop(), lower), upper)
                beta = value + (value - seeds) % 2
                if beta == lower and action is not None:
                    beta += 2
                self._boards[0, search.OWN], self._boards[0, search.OTHER] = own, other
                value = search.prove(
                    beta,
                    self._boards,
                    self._frames,
                    self._sowing,
                    self._numbering,
                    self.endgame.values,
                    self._table,
                    counters,
                )
                if counters[search.STOP]:
                    break
                if value >= beta:
                    lower, action = value, int(counters[search.BEST_MOVE])
                else:
                    upper = value
                if at_least is not None and (lower >= at_least - stored or upper < at_least - stored):
                    break
        return Result(stored + lower, stored + upper, action, int(counters[search.NODES]))

    def _begin(self, seconds: float | None, node_limit: int | None) -> AbstractContextManager[None]:
        """Sets the counters to their beginning; in the context, the search is stopped when the time is over."""
        counters = self._counters
        counters.fill(0)
        counters[search.TABLE_SEEDS] = self.endgame.seeds
        counters[search.NODE_LIMIT] = _NO_LIMIT if node_limit is None else node_limit
        counters[search.STOP] = seconds is not None and seconds <= 0
        return calling_after(seconds, self._stop)

    def _stop(self) -> None:
        self._counters[search.STOP] = 1
