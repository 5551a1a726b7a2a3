"""The actions of a match, also where some were missed."""

from __future__ import annotations

from palestra_client.history import History
from palestra_games import get_game

CONNECT4, MANCALA = get_game("connect4"), get_game("mancala")


def after(game, actions):
    state = game.initial_state()
    for action in actions:
        state = state.apply(action)
    return state


def test_actions_are_kept_from_the_opening_on():
    history = History(CONNECT4, (3, 3))
    history.played(2, 4)
    history.played(2, 4)
    assert history.at(3, after(CONNECT4, (3, 3, 4))) == (3, 3, 4)


def test_what_was_missed_is_found_by_the_position():
    line = (2, 5, 4, 0)  # pit 3 gives seat 0 another turn
    history = History(MANCALA, ())
    assert history.at(4, after(MANCALA, line)) == line
    history.played(6, 3)  # two are missing before it: it is found with them
    longer = (*line, 1, 1, 3)
    assert after(MANCALA, history.at(7, after(MANCALA, longer))) == after(MANCALA, longer)


def test_a_server_that_went_back_is_followed():
    history = History(CONNECT4, (3, 3, 4, 4))
    assert history.at(2, after(CONNECT4, (3, 3))) == (3, 3)
    history.played(2, 0)
    assert history.at(3, after(CONNECT4, (3, 3, 0))) == (3, 3, 0)


def test_what_cannot_be_known_is_none():
    far = (0, 0, 1, 1, 2, 2, 4, 4)
    assert History(CONNECT4, ()).at(8, after(CONNECT4, far)) is None
    assert History(CONNECT4, ()).at(0, after(CONNECT4, (3,))) is None
    assert History(CONNECT4, (9,)).at(1, after(CONNECT4, (3,))) == (3,), "an impossible action is no action"
