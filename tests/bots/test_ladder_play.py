"""Games between searches: a game by the rules, and searches with an evaluation of one's choice."""

import pytest

from palestra_bots.analysis import analyse
from palestra_bots.ladder.games import play
from palestra_bots.registry import BOTS
from palestra_client.options import bind, read_options
from palestra_client.practice import turn_after
from palestra_games import get_game


def test_a_game_is_played_by_the_rules_from_its_opening():
    game = get_game("connect4")
    lowest, highest = (lambda state: min(state.legal_actions())), (lambda state: max(state.legal_actions()))
    assert play(game, (lowest, highest), ()) == (1.0, (0, 6, 0, 6, 0, 6, 0))
    assert play(game, (lowest, highest), (0, 6, 0, 6, 0, 5)) == (1.0, (0, 6, 0, 6, 0, 5, 0))
    assert play(game, (highest, lowest), (6, 0, 6, 0, 1, 0)) == (0.0, (6, 0, 6, 0, 1, 0, 6, 0))
    score, actions = play(game, (lowest, lowest), (3,), ply_limit=5)
    assert (score, len(actions), actions[0]) == (0.5, 5, 3)


def test_a_search_plays_by_the_evaluation_it_is_given():
    turn = turn_after("desconecta4", (3, 3, 2))
    values = {
        name: analyse(turn.state, "alphabeta", depth=3, evaluation=name).value for name in ("runs", "open_groups")
    }
    assert values["runs"] != values["open_groups"]
    for name, value in values.items():
        bot = bind(BOTS["alphabeta"], read_options(["--depth", "3", "--evaluation", name]))()
        bot.warm_up(get_game("desconecta4"))
        assert bot.choose(turn) in turn.legal
        assert turn.reported["value"] == value


def test_an_evaluation_of_another_game_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"connect4 has no evaluation 'runs'; it has possible_lines, threats"):
        BOTS["mtdf"](evaluation="runs").warm_up(get_game("connect4"))


def test_a_search_with_an_evaluation_of_its_own_asks_no_solver():
    bot = BOTS["mtdf"](move_s=0.05, evaluation="possible_lines")
    bot.warm_up(get_game("connect4"))
    turn = turn_after("connect4", (3, 3, 3, 3, 3))
    bot.choose(turn)
    assert "depth" in turn.reported
    assert "text" not in turn.reported
