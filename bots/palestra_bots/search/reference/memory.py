"""Alpha-beta with memory: a position that was searched before isn't searched again."""

from __future__ import annotations

from math import inf

from palestra_bots.search.reference.table import Table
from palestra_bots.search.reference.tree import Line, Tree
from palestra_games import State


def alphabeta_with_memory(
    tree: Tree, table: Table, state: State, depth: int, alpha: float = -inf, beta: float = inf
) -> Line:
    """`alphabeta` with a transposition table (the `AlphaBetaWithMemory` of Plaat 1996).

    The table remembers between which bounds the value of a position lies. Bounds that already answer the
    question end the search of the position; others narrow its window. The action that was best the last
    time, perhaps in a shallower search, is tried first.
    """
    tree.visit()
    leaf = tree.leaf(state, depth)
    if leaf is not None:
        return leaf
    known = table.bounds(state, depth)
    if known.lower.value >= beta:
        return known.lower
    if known.upper.value <= alpha or known.upper.value == known.lower.value:
        return known.upper
    alpha = max(alpha, known.lower.value)
    beta = min(beta, known.upper.value)

    asked_alpha, asked_beta = alpha, beta
    maximizing = state.to_move == tree.seat
    best = Line(-inf if maximizing else inf, ())
    for action in table.best_action_first(state, tree.ordering(state)):
        value, line = alphabeta_with_memory(tree, table, state.apply(action), depth - 1, alpha, beta)
        if value > best.value if maximizing else value < best.value:
            best = Line(value, (action, *line))
        if maximizing:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break

    # Inside the window the value is exact: both bounds. Outside it is the bound that alpha-beta promises.
    if best.value > asked_alpha:
        known = known._replace(lower=best)
    if best.value < asked_beta:
        known = known._replace(upper=best)
    table.store(state, depth, known, best.actions[0])
    return best
