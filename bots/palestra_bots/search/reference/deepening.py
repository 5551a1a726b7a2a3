"""Iterative deepening: search 1 ply deep, then 2, then 3, and have an answer whenever the clock says stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, get_args

from palestra_bots import evaluations
from palestra_bots.analysis_types import Analysis
from palestra_bots.evaluations import Evaluation
from palestra_bots.search.reference.alphabeta import alphabeta
from palestra_bots.search.reference.memory import alphabeta_with_memory
from palestra_bots.search.reference.minimax import minimax
from palestra_bots.search.reference.mtdf import mtdf
from palestra_bots.search.reference.ordering import Ordering, natural
from palestra_bots.search.reference.table import Table
from palestra_bots.search.reference.tree import Line, OutOfTime, Tree
from palestra_bots.timeman import MAX_DEPTH, Limit
from palestra_games import State

Algorithm = Literal["minimax", "alphabeta", "memory", "mtdf"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)


def analyse(
    state: State,
    algorithm: Algorithm,
    limit: Limit,
    *,
    evaluation: Evaluation | None = None,
    ordering: Ordering = natural,
    clock: Callable[[], float] = time.monotonic,
) -> Analysis:
    """Searches `state` for the player to move.

    With a depth alone: one search, just that deep. With a time (seconds by `clock`) or nodes: deeper and deeper until
    they are used up, the depth is reached, or nothing can change any more. A search that was broken off is thrown
    away: what counts is the last one that was finished. Not even one: the first action, as depth 0.

    Deepening also makes the shortest win be played, since it stops at the first depth that shows one; and in a
    lost position it keeps the action that held out longest.

    Raises ValueError if the game is over or the limit is open.
    """
    if state.returns() is not None:
        raise ValueError("The game is over, so there is no action to look for.")
    if limit.is_open:
        raise ValueError(
            "Say how deep to search (depth, in plies), for how long (move_s, in seconds) or how much (nodes)."
        )
    if evaluation is None:
        evaluation = evaluations.default(evaluations.game_of(state))

    started = clock()
    stop_at = None if limit.move_s is None else started + limit.move_s
    most_nodes = limit.nodes

    def used_up() -> bool:
        return (most_nodes is not None and tree.nodes >= most_nodes) or (stop_at is not None and clock() >= stop_at)

    tree = Tree(state.to_move, evaluation, ordering, stop=used_up)
    table = Table()
    deepest = limit.depth or MAX_DEPTH
    depths = range(1 if limit.deepens else deepest, deepest + 1)

    found = Line(evaluation(state, state.to_move), (ordering(state)[0],))
    reached, exact = 0, False
    for depth_now in depths:
        tree.horizon = False
        table.forget_bounds()
        try:
            line = _search(algorithm, tree, table, state, depth_now, found.value)
        except OutOfTime:
            break
        exact = not tree.horizon or evaluation.decides(line.value)
        lost = evaluation.decides(line.value) and line.value < 0
        # Every action loses within this depth. The one found before loses as late as any.
        found = Line(line.value, found.actions) if lost and reached else line
        reached = depth_now
        if exact or tree.stop():
            break
    return Analysis(
        action=found.actions[0],
        value=found.value,
        depth=reached,
        nodes=tree.nodes,
        pv=found.actions,
        elapsed_s=clock() - started,
        exact=exact,
    )


def _search(algorithm: Algorithm, tree: Tree, table: Table, state: State, depth: int, guess: float) -> Line:
    match algorithm:
        case "minimax":
            return minimax(tree, state, depth)
        case "alphabeta":
            return alphabeta(tree, state, depth)
        case "memory":
            return alphabeta_with_memory(tree, table, state, depth)
        case "mtdf":
            return mtdf(tree, table, state, depth, guess)
