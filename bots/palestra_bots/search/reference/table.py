"""The transposition table: what is known about positions that were searched before."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from palestra_bots.search.reference.tree import Line
from palestra_games import State


class Bounds(NamedTuple):
    """The value of a position lies from `lower.value` to `upper.value`; each with the line that shows it."""

    lower: Line = Line(-inf, ())
    upper: Line = Line(inf, ())


UNKNOWN = Bounds()


class Table:
    """Bounds and best actions by position, for the tree of one root.

    The bounds belong to one depth: a value seen from 3 plies away isn't used where 5 were asked for, nor the other
    way round, so that the result is that of the search without a table, to the last point. The best actions
    outlive their depth: they only order.
    """

    def __init__(self, capacity: int = 500_000) -> None:
        # Positions to remember, at roughly 1 kB each. A full table starts again from nothing.
        self.capacity = capacity
        self._bounds: dict[tuple[State, int], Bounds] = {}
        self._best: dict[State, int] = {}

    def bounds(self, state: State, depth: int) -> Bounds:
        """What is known of `state` searched `depth` plies deep."""
        return self._bounds.get((state, depth), UNKNOWN)

    def best_action_first(self, state: State, actions: Sequence[int]) -> Sequence[int]:
        """Moves the action that was best the last time to the front."""
        best = self._best.get(state)
        return actions if best is None else [best, *(action for action in actions if action != best)]

    def store(self, state: State, depth: int, bounds: Bounds, best: int) -> None:
        """Remembers the bounds of `state` at `depth`, and its best action."""
        if len(self._bounds) >= self.capacity:
            self._bounds.clear()
        if len(self._best) >= self.capacity:
            self._best.clear()
        self._bounds[state, depth] = bounds
        self._best[state] = best

    def forget_bounds(self) -> None:
        """Keeps the best actions only: the next search is of another depth."""
        self._bounds.clear()
