"""How long to think: every decision about time made by a bot or a search of this package."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

# Plies. No game here is longer, and the boards of a line fit into scratch arrays of this length.
MAX_DEPTH: Final = 127
DEFAULT_MOVE_S: Final = 1.0  # for an analysis with neither a depth nor a time
FULL_MOVE_S: Final = 2.0  # for the bot that plays at full strength whatever is on the clock: level 8 of the ladder
WARM_UP_S: Final = 0.5  # for a first question to a solver, asked to compile it; its answer is ignored

MARGIN_S: Final = 0.05
# Held back from the clock, in seconds and as a share of it, in case the machine runs another program. With 3 % and ten
# programs on two cores 6 of 2,602 answers were late at 2 s, by at most 136 ms (benchmarks/moves_in_time.py); the
# difference costs a seventh of a ply. (The server's grace is for the network.)
MARGIN_SHARE: Final = 0.1
# The share of a move's time or nodes that an exact solver may use; the rest is for the search, should the solver fail.
PROOF_SHARE: Final = 0.6
# A search gets at least this, even if the clock has run out and nobody is waiting for the answer.
SHORTEST_S: Final = 0.001


@dataclass(frozen=True, slots=True)
class Limit:
    """What ends a search: `depth` in plies, `move_s` in seconds, `nodes`, or whichever comes first.

    With nodes and no time the same search ends the same way on any machine, however busy.
    ValueError, in one sentence, for a number that makes no sense.
    """

    depth: int | None = None
    move_s: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        if self.depth is not None and not 1 <= self.depth <= MAX_DEPTH:
            raise ValueError(f"The depth of a search is 1 to {MAX_DEPTH} plies, not {self.depth}.")
        if self.move_s is not None and not 0 < self.move_s < math.inf:
            raise ValueError(f"The time for a move is a number of seconds above 0, not {self.move_s}.")
        if self.nodes is not None and self.nodes < 1:
            raise ValueError(f"A search takes at least 1 node, not {self.nodes}.")

    @property
    def is_open(self) -> bool:
        """Whether nothing but the end of the game ends it."""
        return self.depth is None and not self.deepens

    @property
    def deepens(self) -> bool:
        """Whether the search goes deeper and deeper until its time or its nodes are used up."""
        return self.move_s is not None or self.nodes is not None

    def or_else(self, other: Limit) -> Limit:
        """This limit, or `other` where this one is open."""
        return other if self.is_open else self

    def clock_s(self, remaining_s: float) -> float:
        """What is on the clock for a move: `remaining_s` seconds, or `move_s` if that is less."""
        return max(remaining_s if self.move_s is None else min(remaining_s, self.move_s), SHORTEST_S)


def thinking_s(clock_s: float, late_s: float = 0.0) -> float:
    """How long to search with `clock_s` seconds on the clock. `late_s`: how late recent looks at it came."""
    held_back = MARGIN_S + MARGIN_SHARE * clock_s + 2 * late_s
    return max(clock_s - held_back, clock_s / 4, SHORTEST_S)


def proof_s(move_s: float) -> float:
    """How long an exact solver may try, out of `move_s` seconds of thinking."""
    return PROOF_SHARE * move_s


def proof_nodes(nodes: int | None) -> int | None:
    """How many nodes of a limit an exact solver may search."""
    return None if nodes is None else max(1, int(PROOF_SHARE * nodes))


def left_s(move_s: float, spent_s: float) -> float:
    """What remains for the search of `move_s` seconds of thinking once `spent_s` are gone."""
    return max(move_s - spent_s, SHORTEST_S)
