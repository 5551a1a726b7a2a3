"""What every search shares: whose view it takes, what a leaf is worth, the count of nodes, the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from palestra_bots.evaluations import Evaluate
from palestra_bots.search.reference.ordering import Ordering, natural
from palestra_games import Seat, State

# A node costs up to about 0.1 ms here, so a search stops a few milliseconds after it should.
NODES_BETWEEN_LOOKS_AT_THE_CLOCK = 32


class OutOfTime(Exception):
    """Raised inside a search when `stop` says so; what the search had found so far is lost."""


class Line(NamedTuple):
    """A value and the actions that lead to it, from the searched position on."""

    value: float
    actions: tuple[int, ...]


@dataclass(eq=False)
class Tree:
    """One search tree, grown from one root for one seat."""

    seat: Seat  # the maximizer: all values are from its view
    evaluate: Evaluate
    ordering: Ordering = natural
    stop: Callable[[], bool] = lambda: False  # asked every few nodes; True ends the search with `OutOfTime`
    nodes: int = 0  # positions visited so far, roots included
    horizon: bool = False  # whether a position was evaluated before its game was over; while False, values are exact

    def visit(self) -> None:
        """Counts a node, and looks at the clock now and then."""
        self.nodes += 1
        if self.nodes % NODES_BETWEEN_LOOKS_AT_THE_CLOCK == 0 and self.stop():
            raise OutOfTime

    def leaf(self, state: State, depth: int) -> Line | None:
        """The value of `state` if it is a leaf (game over, or no ply left to search), else None."""
        over = state.returns() is not None
        if not over and depth > 0:
            return None
        self.horizon |= not over
        return Line(self.evaluate(state, self.seat), ())
