"""Minimax: the definition that all other searches must agree with."""

from __future__ import annotations

from math import inf

from palestra_bots.search.reference.tree import Line, Tree
from palestra_games import State


def minimax(tree: Tree, state: State, depth: int) -> Line:
    """The value of `state` when both players look `depth` plies ahead, and the line they play.

    The maximizer (`tree.seat`) takes the action of the highest value, the other player that of the lowest.
    Of equal actions the first one tried stays: only a strictly better one takes its place.
    """
    tree.visit()
    leaf = tree.leaf(state, depth)
    if leaf is not None:
        return leaf
    maximizing = state.to_move == tree.seat
    best = Line(-inf if maximizing else inf, ())
    for action in tree.ordering(state):
        value, line = minimax(tree, state.apply(action), depth - 1)
        if value > best.value if maximizing else value < best.value:
            best = Line(value, (action, *line))
    return best
