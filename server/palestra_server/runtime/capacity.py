"""How many simultaneous matches this machine can host, from the measured cost of a move.

The referee is one event loop on one core; bots that run elsewhere cost it nothing. The cost of a move (reading, rules,
journal, watchers) is the CPU time of the process divided by the number of accepted actions, whose rate is measured,
too. With n matches of p actions per second at c seconds each, n * p * c of a core is busy. n is chosen to keep that at
or below SHARE, which leaves room for bursts (in a queue, turnaround grows as 1 / (1 - load)). Reference bots think on
this very machine, so they play as many matches as there are cores: only one of a match's two bots thinks at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

SHARE: Final = 0.5  # the referee's share of a core
FIRST: Final = 64  # simultaneous matches until there is a measurement
MOST: Final = 500  # upper limit: each match takes a timer, two connections and some memory
ENOUGH: Final = 400  # actions per measurement


@dataclass(slots=True)
class _Mark:
    wall_s: float
    cpu_s: float
    actions: int
    match_s: float


class Capacity:
    """`wall_s` and `cpu_s` read clocks in seconds; `actions` returns the number of accepted actions so far."""

    def __init__(
        self,
        wall_s: Callable[[], float],
        cpu_s: Callable[[], float],
        actions: Callable[[], int],
        *,
        cores: int | None = None,
    ) -> None:
        self._wall_s, self._cpu_s, self._actions = wall_s, cpu_s, actions
        self.local = max(1, cores or os.cpu_count() or 1)
        self._mark = _Mark(wall_s(), cpu_s(), actions(), 0.0)
        self._looked = wall_s()
        self.matches = FIRST

    def look(self, playing: int) -> int:
        """How many matches may be played simultaneously, given that `playing` are in progress."""
        now, mark = self._wall_s(), self._mark
        mark.match_s += playing * (now - self._looked)
        self._looked = now
        actions = self._actions() - mark.actions
        if actions >= ENOUGH and mark.match_s > 0:
            cost = (self._cpu_s() - mark.cpu_s) / actions
            pace = actions / mark.match_s
            self.matches = max(self.local, min(MOST, int(SHARE / max(cost * pace, 1e-9))))
            self._mark = _Mark(now, self._cpu_s(), self._actions(), 0.0)
        return self.matches
