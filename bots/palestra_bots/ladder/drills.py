"""Positions to practise on: few actions keep the value, and a search of some depth finds one."""

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
GLANCE: Final = 20_000  # nodes of an estimate that tells where a better one is worth its time
FIRST: Final = 4  # plies that are played before a position is looked at
SHARE: Final = 5  # no depth has more than one position in so many


def drills(game: str, count: int, seed: int) -> Iterator[Position]:
    """So many, one of a game at most, played half at random and half by a search that looks ahead a few plies.

    KeyError for a game without a compiled search.
    """
    chance, searcher, estimator, proving = random.Random(seed), Searcher(game), Estimator(game), prover(game)
    had: set[State] = set()
    depths: Counter[int] = Counter()
    most = max(1, count // SHARE)
    while len(had) < count:
        for state, actions in _played(game, chance, searcher):
            choices = [searcher.analyse(state, Limit(depth=depth)).action for depth in range(1, DEPTH_MAX + 1)]
            if state in had or (len(set(choices)) == 1 and depths[1] >= most):
                continue  # too easy, as most are: to see that costs least
            if proving is None and not separated(state, estimator, GLANCE)[0]:
                continue
            # A proof leaves one action; estimates are so rough that few positions would be left.
            alone = 1 if proving is not None else len(state.legal_actions()) // 2
            keeps, _ = keepers(state, proving, NODES) if proving is not None else separated(state, estimator)
            depth = max((plies for plies, action in enumerate(choices, 1) if action not in keeps), default=0) + 1
            # The last search alone may be right by chance.
            if not 0 < len(keeps) <= alone or depth >= DEPTH_MAX or depths[depth] >= most:
                continue
            value = "better"
            if proving is not None:
                found = proving.solve(state, NODES)
                value = "won" if found is not None and found.score > 0 else "drawn"
            had.add(state)
            depths[depth] += 1
            yield Position.model_validate(
                {"game": game, "actions": actions, "keeps": keeps, "value": value, "depth": depth}
            )
            break


def _played(game: str, chance: random.Random, searcher: Searcher) -> Iterator[tuple[State, tuple[int, ...]]]:
    """The positions of a game from its ply FIRST on, and the actions that led to each."""
    state, actions = get_game(game).initial_state(), tuple[int, ...]()
    while state.returns() is None:
        if len(actions) >= FIRST:
            yield state, actions
        if chance.random() < 0.5:
            action = chance.choice(state.legal_actions())
        else:
            action = searcher.analyse(state, Limit(depth=chance.randint(2, 5))).action
        state, actions = state.apply(action), (*actions, action)
