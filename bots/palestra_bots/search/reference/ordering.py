"""Move ordering: alpha-beta cuts most when the best action is tried first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from palestra_bots.evaluations import Evaluate
from palestra_games import State

# All legal actions of a position, each once, in the order to try them. Of equal actions the first is played.
Ordering = Callable[[State], Sequence[int]]


def natural(state: State) -> Sequence[int]:
    """Ascending, as the rules list them."""
    return state.legal_actions()


def rotated(start: int) -> Ordering:
    """Ascending from `start` on, then from 0: the order (i + start) mod 8 of the 8x8 report's study."""

    def order(state: State) -> Sequence[int]:
        actions = state.legal_actions()
        return [a for a in actions if a >= start] + [a for a in actions if a < start]

    return order


def best_first(evaluate: Evaluate) -> Ordering:
    """The action whose next position looks best to the player who moves comes first; equal ones ascending.

    It costs an evaluation per action, so it pays where searching the subtree costs more than that.
    """

    def order(state: State) -> Sequence[int]:
        return sorted(state.legal_actions(), key=lambda a: evaluate(state.apply(a), state.to_move), reverse=True)

    return order
