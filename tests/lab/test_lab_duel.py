"""Duels: paired openings, and searches as players."""

import pytest
from typer.testing import CliRunner

from palestra_bots.ladder.play import openings, play
from palestra_games import get_game
from palestra_lab import duel
from palestra_lab.cli import app

run = CliRunner().invoke
GAMES = ("connect4", "connect4-8x8", "desconecta4", "mancala")


def after(game, actions):
    state = game.initial_state()
    for action in actions:
        state = state.apply(action)
    return state


@pytest.mark.parametrize("name", GAMES)
def test_openings_are_legal_distinct_positions_that_the_seed_repeats(name):
    game = get_game(name)
    found = openings(game, 40, 4, seed=1)
    states = [after(game, opening) for opening in found]
    assert len(set(states)) == len(found) == 40
    assert all(len(opening) == 4 and state.returns() is None for opening, state in zip(found, states, strict=True))
    assert openings(game, 40, 4, seed=1) == found
    assert openings(game, 40, 4, seed=2) != found


def test_there_are_only_so_many_openings():
    assert len(openings(get_game("connect4"), 7, 1, seed=1)) == 7
    with pytest.raises(
        ValueError, match=r"too few different openings of 1 plies for 8 pairs of games \(7 were found\)"
    ):
        openings(get_game("connect4"), 8, 1, seed=1)
    assert openings(get_game("connect4"), 1, 0, seed=1) == ((),)


def test_a_game_is_played_by_the_rules_from_its_opening():
    game = get_game("connect4")
    lowest, highest = (lambda state: min(state.legal_actions())), (lambda state: max(state.legal_actions()))
    assert play(game, (lowest, highest), ()) == (1.0, (0, 6, 0, 6, 0, 6, 0))
    assert play(game, (lowest, highest), (0, 6, 0, 6, 0, 5)) == (1.0, (0, 6, 0, 6, 0, 5, 0))
    assert play(game, (highest, lowest), (6, 0, 6, 0, 1, 0)) == (0.0, (6, 0, 6, 0, 1, 0, 6, 0))
    score, actions = play(game, (lowest, lowest), (3,), ply_limit=5)
    assert (score, len(actions), actions[0]) == (0.5, 5, 3)


def test_a_search_against_itself_is_exactly_even():
    game = get_game("connect4")
    player = duel.read_player("alphabeta:depth=3", game)
    steps = []
    found = duel.fight(game, player, player, 8, opening_plies=3, seed=1, ply_limit=200, step=lambda: steps.append(None))
    assert (len(found), {sum(pair) for pair in found}, len(steps)) == (4, {1}, 8)


def test_the_deeper_search_wins_whichever_comes_first():
    game = get_game("mancala")
    deep, shallow = (duel.read_player(f"alphabeta:depth={depth},evaluation=stores", game) for depth in (5, 1))
    rules = {"opening_plies": 2, "seed": 1, "ply_limit": 200}
    there = duel.fight(game, deep, shallow, 20, **rules)
    back = duel.fight(game, shallow, deep, 20, **rules)
    assert sum(map(sum, there)) > 16
    assert [(1 - second, 1 - first) for first, second in back] == there


def test_a_player_is_what_its_description_says():
    game = get_game("desconecta4")
    player = duel.read_player("mtdf: depth = 3 , evaluation=runs,ordering=dynamic,move_s=0.5", game)
    assert (player.algorithm, player.depth, player.move_s) == ("mtdf", 3, 0.5)
    assert (player.evaluation, player.ordering) == ("runs", "dynamic")
    assert player(game.initial_state()) in range(7)


def test_the_command_prints_result_elo_and_error_bar():
    player = "alphabeta:depth=3,evaluation=possible_lines"
    arguments = ["connect4", "--first", player, "--second", player, "--games", "4"]
    result = run(app, ["duel", *arguments])
    assert result.exit_code == 0, result.output
    assert "4 games: +2 =0 -2" in result.stdout
    assert "score 50.0%, 95% interval" in result.stdout
    assert "Elo difference +0, 95% interval -" in result.stdout
    assert "doesn't show which is better" in result.stdout


@pytest.mark.parametrize(
    ("first", "sentence"),
    [
        ("negamax:depth=3", "names no algorithm"),
        ("alphabeta:plies=3", "'plies=3' is not an option"),
        ("alphabeta:depth", "'depth' is not an option"),
        ("alphabeta:depth=x", "depth is a whole number of plies, not 'x'"),
        ("alphabeta:depth=0", "The depth of a search is 1 to 127 plies, not 0"),
        ("alphabeta:move_s=x", "move_s is a number of seconds, not 'x'"),
        ("alphabeta:move_s=0", "The time for a move is a number of seconds above 0, not 0.0"),
        ("alphabeta:move_s=nan", "not nan"),
        ("alphabeta:move_s=inf", "not inf"),
        ("alphabeta:depth=1,depth=2", "gives depth twice"),
        ("alphabeta:evaluation=runs", "connect4 has no evaluation 'runs'"),
        ("alphabeta:ordering=best", "no ordering 'best'"),
        ("minimax:ordering=dynamic", "leave the ordering out"),
    ],
)
def test_bad_players_get_one_sentence(first, sentence):
    result = run(app, ["duel", "connect4", "--first", first, "--second", "mtdf:depth=1"])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nogame"], "There is no game 'nogame'"),
        (["connect4", "--games", "3"], "any other even number, not 3"),
        (["connect4", "--games", "40", "--opening-plies", "1"], "too few different openings"),
    ],
)
def test_bad_duels_get_one_sentence(arguments, sentence):
    players = ["--first", "alphabeta:depth=1", "--second", "alphabeta:depth=1"]
    result = run(app, ["duel", *arguments, *players])
    assert result.exit_code == 2
    assert sentence in result.stderr
