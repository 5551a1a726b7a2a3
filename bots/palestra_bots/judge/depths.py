"""At which depth a search sees that a move is worse than another one."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from palestra_bots import evaluations
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.timeman import Limit
from palestra_games import Seat, State

DEEPEST: Final = 24  # plies
NODES: Final = 400_000  # for one move, about 0.2 s
USED: Final = 0.9  # of its time, which a bot may spend on thinking


class Seen(NamedTuple):
    """From depth `first` on a sound search prefers the better move; None if none did as far as it looked, `deepest`.

    From depth `proved` on it even sees that the move that was played loses what the better one keeps: any sound search
    does, whatever its evaluation.
    """

    first: int | None
    proved: int | None
    deepest: int
    nodes: int


class Depths:
    def __init__(self, game: str) -> None:
        self._evaluation = evaluations.default(game)
        self._searcher = Searcher(game, "mtdf", table_bits=20)

    def seen(self, state: State, played: int, better: int) -> Seen:
        seat, bad, good = state.to_move, state.apply(played), state.apply(better)
        first = proved = None
        nodes = deepest = 0
        while deepest < DEEPEST and nodes < NODES:
            (low, spent), (high, more) = self._value(bad, seat, deepest), self._value(good, seat, deepest)
            nodes, deepest = nodes + spent + more, deepest + 1
            first = (first or deepest) if low < high else None
            if proved is None and self._evaluation.decides(low) != self._evaluation.decides(high) and low < high:
                proved = deepest
        return Seen(first, proved, deepest, nodes)

    def _value(self, state: State, seat: Seat, depth: int) -> tuple[float, int]:
        """For `seat`, and the nodes that it took."""
        if state.returns() is not None or depth == 0:
            return self._evaluation(state, seat), 1
        found = self._searcher.analyse(state, Limit(depth=depth))
        return found.value if state.to_move == seat else -found.value, found.nodes


def bought(depth: int, nodes: int | None, took_ms: float, move_ms: float) -> int:
    """The plies that the rest of its time would have added to a search of so many nodes, by its own growth."""
    growth = 3.0 if not nodes else max(1.5, nodes ** (1 / max(depth, 1)))
    return int(math.log(max(1.0, USED * move_ms / max(took_ms, 1.0))) / math.log(growth))
