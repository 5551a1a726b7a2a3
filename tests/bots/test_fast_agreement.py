"""The fast search finds what the reference finds: value and action, at equal depth, with and without the table."""

import random
from functools import cache

import pytest

from palestra_bots import evaluations
from palestra_bots.kernels.load import KERNELS, kernel_for
from palestra_bots.search import reference
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.timeman import Limit
from palestra_games import get_game

pytestmark = pytest.mark.slow

GAMES = tuple(KERNELS)


@cache
def positions(game, seed, count, plies=60):
    """Positions in play from random games, at random plies."""
    choose = random.Random(f"{game} {seed}")
    found = []
    while len(found) < count:
        state = get_game(game).initial_state()
        for _ in range(choose.randrange(plies)):
            after = state.apply(choose.choice(state.legal_actions()))
            if after.returns() is not None:
                break
            state = after
        found.append(state)
    return found


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("depth", "count"), [(1, 100), (2, 60), (3, 25), (4, 10)])
def test_plain_alphabeta_is_the_reference_node_for_node(game, depth, count):
    fast = Searcher(game, "alphabeta", plain=True)
    for state in positions(game, depth, count):
        limit = Limit(depth=depth)
        found, expected = fast.analyse(state, limit), reference.analyse(state, "alphabeta", limit)
        assert (found.value, found.action, found.nodes) == (expected.value, expected.action, expected.nodes)
        assert found.pv == expected.pv
        assert found.exact == expected.exact


@pytest.mark.parametrize("game", GAMES)
def test_minimax_is_the_reference_node_for_node(game):
    fast = Searcher(game, "minimax")
    for state in positions(game, "minimax", 10):
        found, expected = fast.analyse(state, Limit(depth=3)), reference.analyse(state, "minimax", Limit(depth=3))
        assert (found.value, found.action, found.nodes) == (expected.value, expected.action, expected.nodes)


@pytest.mark.parametrize(
    ("game", "evaluation"), [(game, name) for game in GAMES for name in kernel_for(game).EVALUATIONS]
)
def test_with_a_table_value_and_action_are_those_of_the_plain_search(game, evaluation):
    """One table for all positions, so that wrong reuse would show."""
    plain = Searcher(game, "alphabeta", evaluation=evaluation, plain=True)
    ordered = Searcher(game, "alphabeta", evaluation=evaluation, table_bits=14)
    mtdf = Searcher(game, "mtdf", evaluation=evaluation, table_bits=14)
    for number, state in enumerate(positions(game, "table", 300)):
        depth = 1 + number % 6
        expected = plain.analyse(state, Limit(depth=depth))
        found = ordered.analyse(state, Limit(depth=depth))
        assert (found.value, found.action) == (expected.value, expected.action)
        assert mtdf.analyse(state, Limit(depth=depth)).value == expected.value


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("algorithm", ["alphabeta", "mtdf"])
def test_what_other_depths_left_in_the_table_is_not_taken_for_this_one(game, algorithm):
    """Deep first, then shallower, then deep again, in one table."""
    plain = Searcher(game, "alphabeta", plain=True)
    kept = Searcher(game, algorithm, table_bits=16)
    for state in positions(game, "depths", 60):
        for depth in (6, 4, 3, 5, 2, 6):
            assert kept.analyse(state, Limit(depth=depth)).value == plain.analyse(state, Limit(depth=depth)).value


@pytest.mark.parametrize(
    ("game", "evaluation"),
    [(game, name) for game in GAMES if game.startswith("connect4") for name in kernel_for(game).EVALUATIONS],
)
def test_mirror_images_that_share_their_entries_change_no_value_and_no_action(game, evaluation):
    """Roots that are their own mirror image, where entries are shared, and those after them, where they aren't."""
    plain = Searcher(game, "alphabeta", evaluation=evaluation, plain=True)
    ordered = Searcher(game, "alphabeta", evaluation=evaluation, table_bits=14)
    mtdf = Searcher(game, "mtdf", evaluation=evaluation, table_bits=14)
    start = get_game(game).initial_state()
    last = start.cols - 1
    symmetric = [start, *(start.apply(side).apply(last - side) for side in range(start.cols // 2))]
    if start.cols % 2:
        symmetric += [start.apply(last // 2), start.apply(last // 2).apply(last // 2)]
    for root in symmetric:
        for state in (root, *(root.apply(action) for action in root.legal_actions())):
            depth = 7 if state is root else 5
            expected = plain.analyse(state, Limit(depth=depth))
            found = ordered.analyse(state, Limit(depth=depth))
            assert (found.value, found.action) == (expected.value, expected.action)
            by_mtdf = mtdf.analyse(state, Limit(depth=depth))
            assert by_mtdf.value == expected.value
            for action in by_mtdf.pv:
                state = state.apply(action)
    assert mtdf.analyse(start, Limit(depth=8)).nodes < plain.analyse(start, Limit(depth=8)).nodes


@pytest.mark.parametrize("game", GAMES)
def test_near_the_end_all_algorithms_give_the_outcome(game):
    """Deep enough to see every end: the value of "outcome" is then the result of the game, and says so."""
    minimax = Searcher(game, "minimax", evaluation="outcome")
    mtdf = Searcher(game, "mtdf", evaluation="outcome", table_bits=12)
    exact = 0
    for state in positions(game, "end", 300, plies=70):
        found = mtdf.analyse(state, Limit(depth=5))
        slow = minimax.analyse(state, Limit(depth=5))
        assert found.value == slow.value
        assert found.exact or not slow.exact
        if found.exact:
            exact += 1
            assert mtdf.analyse(state, Limit(depth=8)).value == found.value
    assert exact > 0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("algorithm", ["alphabeta", "mtdf"])
def test_an_exact_value_does_not_change_with_more_depth(game, algorithm):
    plain = Searcher(game, "alphabeta", plain=True)
    fast = Searcher(game, algorithm, table_bits=16)
    seen = 0
    for state in positions(game, "exact", 60, plies=60):
        found = fast.analyse(state, Limit(depth=5))
        if found.exact:
            seen += 1
            assert plain.analyse(state, Limit(depth=8)).value == found.value
    assert seen > 0


@pytest.mark.parametrize("game", GAMES)
def test_every_evaluation_of_the_reference_has_a_kernel(game):
    assert set(kernel_for(game).EVALUATIONS) == set(evaluations.names(game))
