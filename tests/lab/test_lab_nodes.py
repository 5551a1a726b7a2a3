"""Node studies: the counts are those of the textbook searches, and the commands say them all."""

import csv

import pytest
from typer.testing import CliRunner

from palestra_bots import evaluations
from palestra_bots.search import reference
from palestra_bots.timeman import Limit
from palestra_games import get_game, play_text
from palestra_lab import nodes
from palestra_lab.cli import app

run = CliRunner().invoke


@pytest.mark.parametrize("game", ["connect4", "connect4-8x8", "desconecta4", "mancala"])
@pytest.mark.slow
def test_the_counts_are_those_of_the_reference_searches(game):
    rules, evaluation, depth = get_game(game), evaluations.default(game), 3
    actions = nodes.self_play(rules, seed=2)[:4]
    study = nodes.measure(rules, actions, depth, evaluation)
    ordering = reference.best_first(evaluation)
    state = rules.initial_state()
    for row, action in zip(study.rows, actions, strict=True):
        expected = [
            reference.analyse(state, algorithm, Limit(depth=depth), evaluation=evaluation, ordering=order)
            for algorithm, order in (
                ("minimax", reference.natural),
                ("alphabeta", reference.natural),
                ("alphabeta", ordering),
                ("memory", ordering),
                ("mtdf", ordering),
            )
        ]
        assert list(row.nodes[:5]) == [one.nodes for one in expected]
        assert {one.value for one in expected} == {row.value}
        assert (row.seat, row.action) == (state.to_move, rules.action_name(action))
        state = state.apply(action)
    minimax, alphabeta, ordered, memory = study.totals[:4]
    assert minimax > alphabeta > ordered >= memory
    assert study.totals[0] == sum(row.nodes[0] for row in study.rows)


def test_self_play_is_a_whole_game_that_the_seed_repeats():
    rules = get_game("mancala")
    state = rules.initial_state()
    for action in nodes.self_play(rules, seed=3):
        state = state.apply(action)
    assert state.returns() is not None
    assert nodes.self_play(rules, seed=3) == nodes.self_play(rules, seed=3)
    assert len({nodes.self_play(rules, seed=seed) for seed in range(4)}) > 1


def test_searches_that_disagree_end_the_study(monkeypatch):
    outcome = evaluations.get("mancala", "outcome")
    wrong = nodes.Search("wrong", "", lambda state, depth, _: nodes.SEARCHES[0].run(state, depth, outcome))
    monkeypatch.setattr(nodes, "searches", lambda *_: (nodes.SEARCHES[0], wrong))
    with pytest.raises(ValueError, match="minimax finds 1 and wrong finds 0"):
        nodes.measure(get_game("mancala"), (3,), 3, evaluations.default("mancala"))


def test_the_command_prints_writes_and_draws(tmp_path):
    table, plot = tmp_path / "n.csv", tmp_path / "n.svg"
    result = run(
        app,
        [
            "nodes",
            "connect4",
            "--actions",
            "3,3,PUT 4,2",
            "--depth",
            "3",
            "--csv",
            str(table),
            "--plot",
            str(plot),
            "--evaluation",
            "possible_lines",
        ],
    )
    assert result.exit_code == 0, result.output
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["action"] for row in rows] == ["PUT 4", "PUT 4", "PUT 4", "PUT 3"]
    assert [row["minimax"] for row in rows] == ["400"] * 4
    total = sum(int(row["alpha-beta"]) for row in rows)
    assert f"{total:,}" in result.stdout
    assert "connect4: nodes to depth 3 by possible_lines" in plot.read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name a game"),
        (["nogame"], "There is no game 'nogame'"),
        (["connect4", "--depth", "13"], "1 to 12 plies, not 13"),
        (["connect4", "--evaluation", "none"], "no evaluation 'none'"),
        (["connect4", "--actions", "3,x"], "--actions, ply 1"),
        (["--study", "other"], "There is no study 'other'"),
        (["connect4", "--study", "upc"], "has its own game"),
        (["mancala", "--plot", "a.pdf"], "ends in .svg or .png"),
        (["mancala", "--plies", "1", "--depth", "1", "--csv", "no/such/folder.csv"], "folder.csv can't be written"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence):
    result = run(app, ["nodes", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_actions_are_numbers_or_names():
    state, actions = play_text(get_game("desconecta4"), "3, PUT 3,put 1", "--actions")
    assert actions == (3, 2, 0)
    assert state == get_game("desconecta4").initial_state().apply(3).apply(2).apply(0)
    with pytest.raises(ValueError, match="--actions, ply 1: "):
        play_text(get_game("desconecta4"), "3,-1", "--actions")


def test_a_number_that_is_none_is_told_in_words():
    told = run(app, ["nodes", "connect4", "--depth", "deep"])
    assert (told.exit_code, "--depth': it takes a whole number, not 'deep'." in told.output) == (2, True)
