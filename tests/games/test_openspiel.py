"""Connect four, step by step beside OpenSpiel's: the same legal actions, turns and results in random games."""

import random

import pytest

from palestra_games import get_game

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open-spiel")
GAMES = 10_000


@pytest.mark.slow
def test_ten_thousand_random_games_in_lock_step():
    dice = random.Random(2026)
    theirs_from, ours_from = pyspiel.load_game("connect_four"), get_game("connect4")
    results = {(1.0, -1.0): 0, (-1.0, 1.0): 0, (0.0, 0.0): 0}
    for _ in range(GAMES):
        theirs, ours = theirs_from.new_initial_state(), ours_from.initial_state()
        while not theirs.is_terminal():
            legal = tuple(theirs.legal_actions())
            assert ours.returns() is None
            assert ours.legal_actions() == legal
            assert ours.to_move == theirs.current_player()
            action = dice.choice(legal)
            theirs.apply_action(action)
            ours = ours.apply(action)
        assert ours.returns() == tuple(theirs.returns())
        assert ours.legal_actions() == ()
        results[ours.returns()] += 1
    assert all(results.values())
