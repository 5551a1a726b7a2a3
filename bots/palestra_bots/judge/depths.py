"""At which depth a search sees that a move is worse than another one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from palestra_bots import evaluations
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.timeman import Limit
from palestra_games import Seat, State

DEEPEST: Final = 24  # plies
NODES: Final = 400_000  # for one move or search, about 0.2 s
USED: Final = 0.9  # of its time, which a bot may spend on thinking


class Seen(NamedTuple):
    """From depth `first` on a sound search prefers the better move; None if none did as far as it looked, `deepest`.

    From depth `proved` on it even sees that the move that was played loses what the better one keeps: any sound search
    does, whatever its evaluation.
    """

    first: int | None
    proved: int | None
    deepest: int


class _Found(NamedTuple):
    """`result`: 1, 0 or -1 where the search saw how it ends; `wins`: a won game is worth more than any other value."""

    value: float
    result: int | None
    wins: bool

    def surely_below(self, other: _Found) -> bool:
        if not self.wins:
            return self.result is not None and other.result is not None and self.result < other.result
        return self.result != other.result and (self.result == -1 or other.result == 1)


class _TooMany(Exception):
    """More nodes than a search may take."""


class Depths:
    """Searches of one game with one evaluation, its default unless another is named."""

    def __init__(self, game: str, evaluation: str | None = None) -> None:
        self._evaluation = evaluations.get(game, evaluation)
        self._searcher = Searcher(game, "mtdf", evaluation=evaluation, table_bits=20)
        self.nodes = 0  # spent so far

    def seen(self, state: State, played: int, better: int) -> Seen:
        seat, bad, good = state.to_move, state.apply(played), state.apply(better)
        first = proved = None
        before, deepest = self.nodes, 0
        while deepest < DEEPEST and self.nodes - before < NODES:
            low, high = self._search(bad, seat, deepest), self._search(good, seat, deepest)
            deepest += 1
            first = (first or deepest) if low.value < high.value else None
            if proved is None and low.surely_below(high):
                proved = deepest
        return Seen(first, proved, deepest)

    def rejects(self, state: State, played: int, depths: Iterable[int], *, surely: bool) -> bool:
        """Whether each search to one of these depths finds something better than what was played; `surely`: so that it
        shows with any evaluation. False if a search takes more than NODES.
        """
        seat, child = state.to_move, state.apply(played)
        with suppress(_TooMany):
            for depth in depths:
                low, high = self._search(child, seat, depth - 1, NODES), self._search(state, seat, depth, NODES)
                if not (low.surely_below(high) if surely else low.value < high.value):
                    return False
            return True
        return False

    def _search(self, state: State, seat: Seat, depth: int, nodes: int | None = None) -> _Found:
        """For `seat`. Raises _TooMany if it takes more than `nodes`."""
        win = self._evaluation.win
        if state.returns() is not None or depth == 0:
            value, exact = float(self._evaluation(state, seat)), state.returns() is not None
        else:
            found = self._searcher.analyse(state, Limit(depth=depth, nodes=nodes))
            self.nodes += found.nodes
            if found.depth < depth and not found.exact:
                raise _TooMany
            value, exact = found.value if state.to_move == seat else -found.value, found.exact
        known = exact or self._evaluation.decides(value)
        return _Found(value, (value > 0) - (value < 0) if known else None, win is not None)


def bought(depth: int, nodes: int | None, took_ms: float, move_ms: float) -> int:
    """The plies that the rest of its time would have added to a search of so many nodes, by its own growth."""
    growth = 3.0 if not nodes else max(1.5, nodes ** (1 / max(depth, 1)))
    return round(math.log(max(1.0, USED * move_ms / max(took_ms, 1.0))) / math.log(growth))
