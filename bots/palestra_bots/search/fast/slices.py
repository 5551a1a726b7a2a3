"""Runs a search in slices short enough to look at the clock in between: never far past the deadline or the nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

SLICE_S: Final = 0.004  # how long a slice is meant to take
FIRST_SLICE: Final = 128  # nodes of the first slice, when the speed isn't known yet
SMALLEST_SLICE: Final = 32
LARGEST_SLICE: Final = 1 << 19  # whatever the clock says; a slice of this size ends within a few hundredths of a second


class Slices:
    """How many nodes to search until the next look at the clock, from the speed so far.

    `late_s` is by how much slices ended after their deadline lately, the worst case of the last searches counting most:
    what the machine, not the search, makes of a deadline.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.late_s = 0.0
        # Whether the deadline had come, or the nodes were used up, at the last look.
        self.expired = False
        self._deadline = math.inf
        self._left: float = math.inf
        self._began = 0.0
        self._nodes = FIRST_SLICE

    def start(self, deadline: float, nodes: float = math.inf) -> None:
        """Begin a search that must end by `deadline` (seconds by the clock) and after `nodes`; infinity: no limit."""
        self._deadline = deadline
        self._left = nodes
        self._began = self.clock()
        self.expired = False
        # At the speed of last time a slice takes SLICE_S; the machine may have become slower since.
        self._nodes = max(SMALLEST_SLICE, self._nodes // 4)

    def next(self) -> int:
        """The nodes of the next slice."""
        return int(min(self._nodes, max(self._left, 1)))

    def look(self, nodes: int) -> None:
        """Look at the clock after `nodes` nodes, a whole slice or the end of a search, and learn the speed."""
        now = self.clock()
        took_s, self._began = now - self._began, now
        left_s = self._deadline - now
        self._left -= nodes
        if self._left <= 0:
            self.expired = True
        if left_s <= 0:
            if not self.expired:
                self.late_s = max(0.9 * self.late_s, -left_s)
            self.expired = True
        elif nodes >= self._nodes:
            fitting = int(nodes * min(SLICE_S, left_s / 2) / max(took_s, 1e-6))
            # Growing by more than 4 on one measurement would trust it too much.
            self._nodes = max(SMALLEST_SLICE, min(fitting, 4 * nodes, LARGEST_SLICE))
