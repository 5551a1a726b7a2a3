"""The textbook searches agree with each other, on random positions of all four games."""

import random
from math import inf

import pytest

from palestra_bots import evaluations
from palestra_bots.search.reference import (
    ALGORITHMS,
    Tree,
    alphabeta,
    alphabeta_with_memory,
    analyse,
    best_first,
    minimax,
    mtdf,
    natural,
    rotated,
)
from palestra_bots.search.reference.table import Table
from palestra_bots.timeman import Limit
from palestra_games import get_game

DEPTH = {"connect4": 3, "connect4-8x8": 3, "desconecta4": 3, "mancala": 4}
EVALUATIONS = [(e.game, e.name) for e in evaluations.EVALUATIONS] + [("mancala", "outcome")]


def random_positions(game, count, seed=1):
    """Positions in play, from the first ply to the last, each after random actions."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        state = get_game(game).initial_state()
        for _ in range(rng.randrange(60)):
            if state.returns() is None:
                state = state.apply(rng.choice(state.legal_actions()))
        if state.returns() is None:
            found.append(state)
    return found


def follow(state, line):
    for action in line:
        state = state.apply(action)
    return state


@pytest.mark.parametrize(("game", "name"), EVALUATIONS)
@pytest.mark.slow
def test_all_searches_find_the_value_of_minimax(game, name):
    evaluation = evaluations.get(game, name)
    depth = DEPTH[game]
    for number, state in enumerate(random_positions(game, 8, seed=name)):
        seat = state.to_move
        for ordering in (natural, best_first(evaluation)) if number % 4 == 0 else (rotated(number % 7),):
            plain = Tree(seat, evaluation, ordering)
            expected = minimax(plain, state, depth)

            pruned = Tree(seat, evaluation, ordering)
            found = alphabeta(pruned, state, depth)
            assert found.value == expected.value
            assert found.actions[0] == expected.actions[0]
            assert pruned.nodes <= plain.nodes
            end = follow(state, found.actions)
            assert end.returns() is not None or len(found.actions) == depth
            assert evaluation(end, seat) == found.value

        with_table = alphabeta_with_memory(Tree(seat, evaluation), Table(), state, depth)
        assert with_table.value == expected.value
        for guess in (0, expected.value + (-7, 7)[number % 2]):
            closed_in = mtdf(Tree(seat, evaluation), Table(), state, depth, guess)
            assert closed_in.value == expected.value
            # The best action, though not the first best: the table changes the order.
            after = minimax(Tree(seat, evaluation), state.apply(closed_in.actions[0]), depth - 1)
            assert after.value == expected.value


@pytest.mark.parametrize("game", DEPTH)
@pytest.mark.slow
def test_a_table_keeps_the_value_when_it_is_shared_by_depths_and_windows_or_overflows(game):
    evaluation = evaluations.default(game)
    for state in random_positions(game, 6, seed=2):
        table, small = Table(), Table(capacity=5)
        for depth in (1, 2, 3, 4, 3):
            expected = alphabeta(Tree(state.to_move, evaluation), state, depth).value
            for alpha in (expected - 2, expected - 1, expected, expected + 1):
                tree = Tree(state.to_move, evaluation)
                bound = alphabeta_with_memory(tree, table, state, depth, alpha, alpha + 1).value
                assert (bound <= alpha) == (expected <= alpha)
                assert bound >= expected if bound <= alpha else bound <= expected
            assert alphabeta_with_memory(Tree(state.to_move, evaluation), table, state, depth).value == expected
            assert alphabeta_with_memory(Tree(state.to_move, evaluation), small, state, depth).value == expected


def test_the_window_decides_what_a_bound_means():
    state = random_positions("desconecta4", 1, seed=3)[0]
    evaluation = evaluations.get("desconecta4", "valoracion_test")
    value = minimax(Tree(state.to_move, evaluation), state, 4).value
    assert alphabeta(Tree(state.to_move, evaluation), state, 4, value, inf).value <= value
    assert alphabeta(Tree(state.to_move, evaluation), state, 4, -inf, value).value >= value


def test_nodes_are_calls_the_root_included():
    state = get_game("connect4").initial_state()
    evaluation = evaluations.default("connect4")
    for depth in range(4):
        tree = Tree(0, evaluation)
        minimax(tree, state, depth)
        assert tree.nodes == sum(7**ply for ply in range(depth + 1))


def test_an_extra_turn_keeps_the_players_view():
    # Pit 4 of mancala's start ends in the own store: the same seat moves again, and both seeds are its own.
    state = get_game("mancala").initial_state()
    again = state.apply(3)
    assert again.to_move == state.to_move
    found = analyse(state, "minimax", Limit(depth=2))
    assert found.value == max(evaluations.default("mancala")(again.apply(a), 0) for a in again.legal_actions())
    assert found.pv[0] == 3


@pytest.mark.parametrize("game", DEPTH)
def test_orderings_give_every_legal_action_once(game):
    for state in random_positions(game, 30, seed=4):
        for ordering in (natural, rotated(3), best_first(evaluations.default(game))):
            assert sorted(ordering(state)) == list(state.legal_actions())
    state = get_game("connect4-8x8").initial_state()
    for start in range(8):
        assert list(rotated(start)(state)) == [(i + start) % 8 for i in range(8)]


def test_best_first_puts_what_the_mover_likes_first():
    evaluation = evaluations.get("mancala", "stores")
    for state in random_positions("mancala", 20, seed=5):
        values = [evaluation(state.apply(a), state.to_move) for a in best_first(evaluation)(state)]
        assert values == sorted(values, reverse=True)


def ticking_clock(step=1.0):
    """A clock that moves on by `step` seconds each time somebody looks at it."""
    now = 0.0

    def look():
        nonlocal now
        now += step
        return now

    return look


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("game", DEPTH)
def test_deepening_stops_at_the_clock_with_the_last_finished_depth(game, algorithm):
    for looks, state in enumerate(random_positions(game, 5, seed=6), start=1):
        found = analyse(state, algorithm, Limit(move_s=8.0 * looks), clock=ticking_clock())
        assert found.action in state.legal_actions()
        assert found.action == found.pv[0]
        assert 8.0 * looks <= found.elapsed_s <= 8.0 * looks + 2 or found.exact
        if found.depth == 0:
            assert not found.exact
            continue
        alone = analyse(state, algorithm, Limit(depth=found.depth))
        assert found.value == alone.value
        assert found.nodes > alone.nodes or found.depth == 1 or algorithm != "minimax"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_deepening_stops_when_the_nodes_are_used_up(algorithm):
    for state in random_positions("connect4", 3, seed=6):
        found = analyse(state, algorithm, Limit(nodes=500), clock=ticking_clock())
        assert found.exact or 500 <= found.nodes < 500 + 32
        assert found.value == analyse(state, algorithm, Limit(depth=found.depth)).value


def test_without_time_for_one_ply_the_first_action_is_played():
    depths = set()
    for state in random_positions("connect4-8x8", 30, seed=9):
        # The clock is looked at every 32 nodes, so what takes less is finished all the same.
        found = analyse(state, "mtdf", Limit(move_s=1e-9), ordering=rotated(4), clock=ticking_clock())
        depths.add(found.depth)
        if found.depth == 0:
            assert found.pv == (found.action,) == (rotated(4)(state)[0],)
            assert not found.exact
        else:
            assert found.value == analyse(state, "minimax", Limit(depth=1)).value
    assert depths == {0, 1}


def test_depth_alone_is_one_search_and_time_makes_it_deepen():
    state = get_game("connect4").initial_state()
    alone = analyse(state, "minimax", Limit(depth=3))
    assert (alone.depth, alone.nodes) == (3, 1 + 7 + 49 + 343)
    deepened = analyse(state, "minimax", Limit(depth=3, move_s=1e9))
    assert (deepened.depth, deepened.nodes) == (3, (1 + 7) + (1 + 7 + 49) + (1 + 7 + 49 + 343))
    assert deepened.pv == alone.pv


def plies_to_the_end(state, seat, depth):
    """In how many plies `seat` can force its win, None if not within `depth`; by exhaustion."""
    result = state.returns()
    if result is not None:
        return 0 if result[seat] > 0 else None
    if depth == 0:
        return None
    after = [plies_to_the_end(state.apply(a), seat, depth - 1) for a in state.legal_actions()]
    if state.to_move == seat:
        wins = [plies for plies in after if plies is not None]
        return 1 + min(wins) if wins else None
    return None if None in after else 1 + max(after)


@pytest.mark.parametrize("game", ["connect4", "connect4-8x8", "desconecta4"])
@pytest.mark.slow
def test_deepening_wins_as_soon_and_loses_as_late_as_can_be(game):
    ends, win = set(), evaluations.default(game).win
    for state in random_positions(game, 60, seed=7):
        seat = state.to_move
        for winner, value in (seat, win), (1 - seat, -win):
            soonest = plies_to_the_end(state, winner, 3)
            if soonest is None:
                continue
            ends.add(value)
            for algorithm in ("alphabeta", "mtdf"):
                found = analyse(state, algorithm, Limit(depth=3, move_s=1e9))
                assert found.exact
                assert found.value == value
                assert found.depth == soonest == 1 + plies_to_the_end(state.apply(found.action), winner, 2)
    assert ends == {win, -win}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_search_to_the_end_is_exact_and_says_so(algorithm):
    seen = 0
    for state in random_positions("mancala", 200, seed=8):
        if sum(map(sum, state.pits)) > 7:
            continue
        found = analyse(state, algorithm, Limit(move_s=1e9))
        assert found.exact
        # Twice as deep changes nothing.
        assert analyse(state, algorithm, Limit(depth=2 * found.depth)).value == found.value
        if found.depth > 1:
            assert not analyse(state, "minimax", Limit(depth=found.depth - 1)).exact
        seen += 1
    assert seen > 3


def test_what_can_not_be_searched_is_said_in_a_sentence():
    game = get_game("connect4")
    state = game.initial_state()
    with pytest.raises(ValueError, match="Say how deep"):
        analyse(state, "alphabeta", Limit())
    with pytest.raises(ValueError, match="1 to 127 plies, not 0"):
        Limit(depth=0)
    for action in (0, 1, 0, 1, 0, 1, 0):
        state = state.apply(action)
    with pytest.raises(ValueError, match="The game is over"):
        analyse(state, "alphabeta", Limit(depth=3))
