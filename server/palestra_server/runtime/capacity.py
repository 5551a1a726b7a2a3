"""How many matches at once this machine can host, from what a move was measured to cost.

The referee is one event loop on one core, and bots that think elsewhere cost it nothing. What a move costs (reading,
rules, journal, watchers) is the processor time of the process divided by the actions accepted; how many come a second
is counted. With n matches that make p actions a second each at a cost of c seconds, n * p * c of a core is busy: n is
chosen so that this stays at or below SHARE, which leaves room for bursts (turnaround grows as 1 / (1 - load) in a
queue). Reference bots think on this very machine, so as many matches of theirs as there are cores are played at once:
in a match one of two bots thinks at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

SHARE: Final = 0.5
"""Share of a core for the referee."""
FIRST: Final = 64
"""Matches at once until there is a measurement."""
MOST: Final = 500
"""Upper limit: each match is a timer, two connections and its share of memory."""
ENOUGH: Final = 400
"""Actions for one measurement."""


@dataclass(slots=True)
class _Mark:
    wall_s: float
    cpu_s: float
    actions: int
    match_s: float


class Capacity:
    """`wall_s` and `cpu_s` read clocks in seconds; `actions` counts the accepted ones; `most` caps it by hand."""

    def __init__(
        self,
        wall_s: Callable[[], float],
        cpu_s: Callable[[], float],
        actions: Callable[[], int],
        *,
        cores: int | None = None,
        most: int = MOST,
    ) -> None:
        self._wall_s, self._cpu_s, self._actions = wall_s, cpu_s, actions
        self.local = max(1, cores or os.cpu_count() or 1)
        self._most = most
        self._mark = _Mark(wall_s(), cpu_s(), actions(), 0.0)
        self._looked = wall_s()
        self.matches = min(FIRST, most)

    def look(self, playing: int) -> int:
        """How many matches may be played at once, now that `playing` are."""
        now, mark = self._wall_s(), self._mark
        mark.match_s += playing * (now - self._looked)
        self._looked = now
        actions = self._actions() - mark.actions
        if actions >= ENOUGH and mark.match_s > 0:
            cost = (self._cpu_s() - mark.cpu_s) / actions
            pace = actions / mark.match_s
            self.matches = max(self.local, min(self._most, int(SHARE / max(cost * pace, 1e-9))))
            self._mark = _Mark(now, self._cpu_s(), self._actions(), 0.0)
        return self.matches
