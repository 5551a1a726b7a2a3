"""Do a bot's values agree with each other? That tells a fault of its search from one of its evaluation.

To search d plies is to search d - 2 after each pair of moves, and to take the best of the worst. So the bot is asked,
each time anew, in a position and in those that follow it: whatever its evaluation, a sound search agrees with itself.
One that leaves moves out on purpose (null moves, reductions) need not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import inf
from typing import Final, Literal, NamedTuple

from palestra_games import State

# Asks a new bot, with nothing in its tables, after these actions: its values by depth.
Ask = Callable[[tuple[int, ...]], Mapping[int, float]]

DEPTHS: Final = range(3, 9)
NODES: Final = 20_000  # to see whether a position is decided within a depth
# A won end is worth more than anything else here, to any bot; elsewhere it may be worth its points.
DECIDED_BY_ITS_END: Final = ("connect4", "connect4-8x8", "desconecta4")


class Compared(NamedTuple):
    """The values `contradict` each other: at `depth` before `ply` it told `told`, and by its own values two moves later
    that is `own`. Or one question got two answers (`unsteady`), or they `agree` in so many `places`, or too few depths
    are reported (`incomparable`).
    """

    code: Literal["contradict", "unsteady", "agree", "incomparable"]
    places: int = 0
    ply: int = 0
    depth: int = 0
    told: float = 0.0
    own: float = 0.0


class _Convention(NamedTuple):
    """How a bot counts: values for itself (1) or for the other one (-1), and whether a further turn costs no depth."""

    sign: int
    free: bool


class _Bounds(NamedTuple):
    low: float
    high: float


_CONVENTIONS: Final = tuple(_Convention(*each) for each in product((1, -1), (False, True)))
_UNKNOWN: Final = _Bounds(-inf, inf)


def compared(ask: Ask, game: str, states: Sequence[State], actions: tuple[int, ...], plies: Iterable[int]) -> Compared:
    """Before each of `plies`, until it is shown that the values agree by no convention."""
    wrong: dict[_Convention, Compared] = {}
    places = 0
    for ply in plies:
        position = _Position(ask, game, states[ply], actions[:ply])
        places += any(position.checks(_CONVENTIONS[0]))
        for convention in _CONVENTIONS:
            if convention not in wrong and (found := position.contradiction(convention)) is not None:
                wrong[convention] = found
        if len(wrong) == len(_CONVENTIONS):
            convention, found = next(iter(wrong.items()))
            again = _Position(ask, game, states[found.ply], actions[: found.ply]).contradiction(convention)
            return found if found == again else Compared("unsteady", places, found.ply)
    return Compared("agree", places) if places else Compared("incomparable")


class _Position:
    """A position in which the bot is asked, and those that follow it."""

    def __init__(self, ask: Ask, game: str, state: State, actions: tuple[int, ...]) -> None:
        self._ask, self._state, self._actions = ask, state, actions
        self._ends = game in DECIDED_BY_ITS_END
        self._values: dict[State, Mapping[int, float]] = {}
        self._forced: dict[tuple[State, int], float] = {}

    def contradiction(self, convention: _Convention) -> Compared | None:
        for depth, told, own in self.checks(convention):
            if not own.low <= told <= own.high and not _decided(self._state, depth):
                worth = own.low if told < own.low else own.high
                return Compared("contradict", 1, len(self._actions), depth, told, worth)
        return None

    def checks(self, convention: _Convention) -> Iterator[tuple[int, float, _Bounds]]:
        """Depth, the value told, and what that is by the values further on, wherever these say something."""
        for depth, value in self._told(self._state, self._actions).items():
            if depth in DEPTHS:
                own = self._after_a_move(self._state, self._actions, depth, convention)
                if own != _UNKNOWN:
                    yield depth, convention.sign * value, own

    def _told(self, state: State, actions: tuple[int, ...]) -> Mapping[int, float]:
        if state not in self._values:
            told = self._ask(actions)
            deepest = max(told, default=0)  # left out: the clock may have broken that search off
            self._values[state] = {depth: value for depth, value in told.items() if depth < deepest}
        return self._values[state]

    def _after_a_move(self, state: State, actions: tuple[int, ...], depth: int, convention: _Convention) -> _Bounds:
        best = max if state.to_move == self._state.to_move else min
        found = list[_Bounds]()
        for action in state.legal_actions():
            child = state.apply(action)
            cost = 0 if convention.free and child.to_move == state.to_move else 1
            found.append(self._bounds(child, (*actions, action), depth - cost, convention))
        return _Bounds(best(each.low for each in found), best(each.high for each in found))

    def _bounds(self, state: State, actions: tuple[int, ...], depth: int, convention: _Convention) -> _Bounds:
        seat = self._state.to_move
        result = state.returns()
        if result is not None:
            won = result[seat] - result[1 - seat]
            return _Bounds(won * inf, won * inf) if self._ends and won else _UNKNOWN
        if state.to_move != seat:
            return self._after_a_move(state, actions, depth, convention) if depth > 0 else _UNKNOWN
        value = self._told(state, actions).get(depth)
        worth = self._end(state, depth) if value is None else convention.sign * value
        return _UNKNOWN if worth is None else _Bounds(worth, worth)

    def _end(self, state: State, depth: int) -> float | None:
        """What it is worth if it is decided: a bot that sees the end need not search on."""
        if not self._ends:
            return None
        if (state, depth) not in self._forced:
            won, lost = (_forces(state, depth, seat, [NODES]) for seat in (state.to_move, 1 - state.to_move))
            self._forced[state, depth] = inf if won else -inf if lost else 0
        return self._forced[state, depth] or None


def _decided(state: State, depth: int) -> bool:
    """Within this depth, or it can't be told: a bot may count the plies to the end."""
    left = [NODES]
    return any(_forces(state, depth, seat, left) for seat in (0, 1)) or left[0] <= 0


def _forces(state: State, depth: int, winner: int, left: list[int]) -> bool:
    """Whether `winner` wins within `depth` plies, further turns not counted, as far as the nodes `left` go."""
    left[0] -= 1
    result = state.returns()
    if result is not None or depth == 0 or left[0] <= 0:
        return result is not None and result[winner] > result[1 - winner]
    children = (state.apply(action) for action in state.legal_actions())
    won = (_forces(child, depth - (child.to_move != state.to_move), winner, left) for child in children)
    return any(won) if state.to_move == winner else all(won)
