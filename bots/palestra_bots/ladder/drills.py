"""Positions to practise on: one action keeps the value, and a search of some depth finds it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Final

from palestra_bots.judge.keeping import keepers, separated
from palestra_bots.judge.values import Estimator, prover
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.timeman import Limit
from palestra_client.drill.positions import Position
from palestra_games import State, get_game

DEPTH_MAX: Final = 11  # what needs a deeper search is left out
NODES: Final = 300_000
PLIES: Final = (4, 30)  # how many are played before a position is looked at
SHARE: Final = 5  # no depth has more than one position in so many


def drills(game: str, count: int, seed: int) -> Iterator[Position]:
    """At most `count`, from play that is half at random, half of a search that looks ahead a few plies.

    KeyError for a game without a compiled search.
    """
    chance, searcher, estimator, proving = random.Random(seed), Searcher(game), Estimator(game), prover(game)
    had: set[State] = set()
    depths: Counter[int] = Counter()
    most = max(1, count // SHARE)
    while len(had) < count:
        state, actions = get_game(game).initial_state(), list[int]()
        for _ in range(chance.randint(*PLIES)):
            if state.returns() is not None:
                break
            if chance.random() < 0.5:
                actions.append(chance.choice(state.legal_actions()))
            else:
                actions.append(searcher.analyse(state, Limit(depth=chance.randint(2, 5))).action)
            state = state.apply(actions[-1])
        if state.returns() is not None or state in had:
            continue
        keeps, _ = keepers(state, proving, NODES) if proving is not None else separated(state, estimator)
        if len(keeps) != 1:
            continue
        depth = _depth(state, searcher, keeps[0])
        if depth is None or depths[depth] >= most:
            continue
        had.add(state)
        depths[depth] += 1
        value = "better"
        if proving is not None:
            found = proving.solve(state, NODES)
            value = "won" if found is not None and found.score > 0 else "drawn"
        yield Position.model_validate(
            {"game": game, "actions": actions, "keeps": keeps, "value": value, "depth": depth}
        )


def _depth(state: State, searcher: Searcher, wanted: int) -> int | None:
    """From which depth on every search up to DEPTH_MAX chooses the action."""
    depth = DEPTH_MAX + 1
    while depth > 1 and searcher.analyse(state, Limit(depth=depth - 1)).action == wanted:
        depth -= 1
    return depth if depth < DEPTH_MAX else None  # the last one alone may be chance
