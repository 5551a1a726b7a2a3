"""`analyse`: what is this position worth, and what should be played? For every game, by the fastest means there is.

Games and evaluations with a kernel are searched by the compiled engine, all others by the reference in plain Python.
"""

from __future__ import annotations

from typing import Final, Literal, cast, get_args

from palestra_bots import evaluations
from palestra_bots.analysis_types import Analysis
from palestra_bots.search import reference
from palestra_bots.search.fast.loops import has_kernel
from palestra_bots.search.fast.searcher import Algorithm, Searcher
from palestra_bots.search.reference import Ordering
from palestra_bots.timeman import DEFAULT_MOVE_S, Limit
from palestra_games import State

OrderingName = Literal["natural", "dynamic"]
ALGORITHMS: Final[tuple[str, ...]] = get_args(Algorithm)
ORDERINGS: Final[tuple[str, ...]] = get_args(OrderingName)


def analyse(
    state: State,
    algorithm: str = "alphabeta",
    depth: int | None = None,
    move_s: float | None = None,
    evaluation: str | None = None,
    ordering: str | Ordering | None = None,
) -> Analysis:
    """Searches `state` for the player to move.

    `algorithm`: "minimax", "alphabeta" or "mtdf". `evaluation`: one of the game's (`evaluations.names`), None for its
    default. `depth` in plies alone: exactly that deep. `move_s` in seconds: deeper and deeper until the time is up,
    or `depth` is reached, or nothing can change any more. Neither: DEFAULT_MOVE_S.

    `ordering` says which actions a position's search tries first:

    - "natural": ascending, without a table. The textbook, node for node.
    - "dynamic": by what the search has learnt (table, killers, history) and what the game's kernel suggests.
    - None: "natural" for minimax, and for alpha-beta that is given a depth and no time; else "dynamic".
    - a function from a state to its actions: that order, by the reference search.

    The value never depends on it; alpha-beta given a depth alone always plays the first of the best actions (by
    number, or in the order of the function). The value is from the view of the player to move.

    ValueError, in one sentence, for a game that is over, an unknown name or a number that makes no sense.
    """
    if state.returns() is not None:
        raise ValueError("The game is over, so there is no action to look for.")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"There is no algorithm {algorithm!r}; choose one of {', '.join(ALGORITHMS)}.")
    if isinstance(ordering, str) and ordering not in ORDERINGS:
        raise ValueError(
            f"There is no ordering {ordering!r}; choose one of {', '.join(ORDERINGS)}, or give a function."
        )
    if algorithm == "mtdf" and ordering == "natural":
        raise ValueError("MTD(f) lives on its table; for actions in ascending order give reference.natural.")
    if algorithm == "minimax" and ordering == "dynamic":
        raise ValueError("Minimax searches everything, so there is nothing to order; leave the ordering out.")
    limit = Limit(depth, move_s).or_else(Limit(move_s=DEFAULT_MOVE_S))
    game = evaluations.game_of(state)
    chosen = evaluations.get(game, evaluation)
    searched = cast(Algorithm, algorithm)
    if not callable(ordering) and has_kernel(state, chosen.name):
        if ordering is None:
            ordering = "natural" if searched == "alphabeta" and limit.move_s is None else "dynamic"
        searcher = Searcher(game, searched, evaluation=chosen.name, plain=ordering == "natural")
        return searcher.analyse(state, limit)
    return reference.analyse(
        state,
        "memory" if searched == "alphabeta" and ordering == "dynamic" else searched,
        limit,
        evaluation=chosen,
        ordering=ordering if callable(ordering) else reference.natural,
    )
