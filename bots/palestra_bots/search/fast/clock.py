"""Runs a search in slices short enough to look at the clock in between, and never far past the deadline."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

SLICE_S: Final = 0.004
"""How long a slice is meant to take."""
FIRST_SLICE: Final = 128
"""Nodes of the first slice, when the speed isn't known yet."""
SMALLEST_SLICE: Final = 32
LARGEST_SLICE: Final = 1 << 19
"""Whatever a clock claims: a slice of this size ends in a few hundredths of a second."""


class Slices:
    """How many nodes to search until the next look at the clock, from the speed so far.

    `late_s` is the longest time by which a slice ended after its deadline, over the life of the object: what
    the machine, not the search, makes of a deadline.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.late_s = 0.0
        self._deadline = math.inf
        self._slice_began = 0.0
        self._nodes = FIRST_SLICE

    def start(self, deadline: float) -> None:
        """Begin a search that must end by `deadline` (seconds by the clock; infinity for none)."""
        self._deadline = deadline
        self._slice_began = self.clock()
        self._nodes = min(self._nodes, self._fitting(self._nodes, SLICE_S))

    def _fitting(self, nodes: int, took_s: float) -> int:
        """Nodes for the next slice, if `nodes` took so long: a full slice, or half of the time that is left."""
        wanted = min(SLICE_S, (self._deadline - self._slice_began) / 2)
        # Growing by more than 4 on one measurement would trust it too much.
        return max(SMALLEST_SLICE, min(4 * nodes, LARGEST_SLICE, int(nodes * wanted / max(took_s, 1e-6))))

    def next(self) -> int:
        """The nodes of the next slice."""
        return self._nodes

    def out_of_time(self) -> bool:
        """After a slice: whether the deadline has come. Learns the speed."""
        now = self.clock()
        took_s, self._slice_began = now - self._slice_began, now
        if now >= self._deadline:
            self.late_s = max(self.late_s, now - self._deadline)
            return True
        self._nodes = self._fitting(self._nodes, took_s)
        return False
