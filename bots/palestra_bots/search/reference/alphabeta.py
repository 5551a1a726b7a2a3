"""Alpha-beta: minimax without the positions that can't change the result (Knuth and Moore, 1975)."""

from __future__ import annotations

from math import inf

from palestra_bots.search.reference.tree import Line, Tree
from palestra_games import State


def alphabeta(tree: Tree, state: State, depth: int, alpha: float = -inf, beta: float = inf) -> Line:
    """The value of `state`, if it lies inside the window (alpha, beta).

    `alpha` is what the maximizer is already sure of elsewhere in the tree, `beta` what the minimizer is sure of. A
    position worth `alpha` or less, or `beta` or more, will never be reached, so the search leaves it as soon as it
    knows: a returned value <= alpha is an upper bound, one >= beta a lower bound ("fail-soft": the closest bound
    that was seen). With the full window the value, and at the root the action too, is that of minimax.
    """
    tree.visit()
    leaf = tree.leaf(state, depth)
    if leaf is not None:
        return leaf
    maximizing = state.to_move == tree.seat
    best = Line(-inf if maximizing else inf, ())
    for action in tree.ordering(state):
        value, line = alphabeta(tree, state.apply(action), depth - 1, alpha, beta)
        if value > best.value if maximizing else value < best.value:
            best = Line(value, (action, *line))
        if maximizing:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break  # the player who moved before has something better: this position won't come up
    return best
