"""MTD(f): the minimax value, closed in by searches that only ask "this much, or less?".

Source: Aske Plaat, "Research Re: Search & Re-Search", PhD thesis, Rotterdam 1996; the pseudocode of
"MTD(f), a minimax algorithm faster than NegaScout".
"""

from __future__ import annotations

from math import inf

from palestra_bots.search.reference.memory import alphabeta_with_memory
from palestra_bots.search.reference.table import Table
from palestra_bots.search.reference.tree import Line, Tree
from palestra_games import State


def mtdf(tree: Tree, table: Table, state: State, depth: int, first_guess: float = 0) -> Line:
    """The value of `state` at `depth`, found faster the closer `first_guess` is to it.

    Each pass has the window (beta - 1, beta), so the evaluation must give whole numbers. A window that narrow cuts the
    most, and answers with a bound; the table makes the next pass cheap, since it visits mostly the same positions.
    """
    value = first_guess
    lower, upper = -inf, inf
    best = Line(value, ())
    while lower < upper:
        beta = max(value, lower + 1)
        found = alphabeta_with_memory(tree, table, state, depth, beta - 1, beta)
        value = found.value
        if value < beta:
            upper = value  # every action was refuted: this pass says nothing about which is best
        else:
            lower, best = value, found
    # The bounds met, so the last pass that reached its beta reached the value itself.
    return best
