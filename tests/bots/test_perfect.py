"""mtdf asks the exact solvers before it searches by evaluation."""

import random

import pytest

from palestra_bots import registry
from palestra_bots.solving import perfect_player
from palestra_games import get_game


@pytest.fixture(scope="module", params=["connect4", "mancala"])
def game(request):
    return get_game(request.param)


def test_only_an_unlimited_mtdf_is_perfect(game):
    bot = registry.mtdf()
    bot.warm_up(game)
    assert bot._perfect is not None
    for other in (registry.mtdf(depth=2), registry.alphabeta()):
        other.warm_up(game)
        assert other._perfect is None


@pytest.mark.parametrize("seed", range(3))
def test_as_first_player_it_gets_at_least_what_the_game_is_worth(game, seed):
    """connect4 is won by who begins, mancala by 8 seeds, against anybody (rules.md)."""
    dice = random.Random(seed)
    player, state = perfect_player(game.name), game.initial_state()
    while state.returns() is None:
        if state.to_move == 0:
            # More than the 2 s of a match: the test must not depend on how busy a machine is.
            found = player.perfect_move(state, 30.0)
            assert found is not None
            assert found.exact
            state = state.apply(found.action)
        else:
            state = state.apply(dice.choice(state.legal_actions()))
    assert state.returns() == (1.0, -1.0)
    if game.name == "mancala":
        assert state.stores[0] - state.stores[1] >= 8
