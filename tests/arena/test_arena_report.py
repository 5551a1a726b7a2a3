"""What the arena counts while it plays, and afterwards."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from palestra_client.arena import difference
from palestra_client.arena.fixtures import Result
from palestra_client.arena.report import units
from palestra_client.cli.commands import app
from palestra_referee import Outcome

WON, LOST = (1.0, -1.0), (-1.0, 1.0)


def result(number, seats, returns):
    return Result(number, seats, Outcome(returns, "rules", ""))


def test_pairs_are_found_among_matches_of_others_that_came_in_any_order():
    results = [
        result(4, (1, 0), LOST),
        result(9, (0, 1), WON),
        result(1, (0, 2), WON),
        result(3, (0, 1), WON),
        result(7, (0, 1), LOST),
        result(8, (1, 0), LOST),
    ]
    assert units(results, 0, 1) == [1.0, 0.5]
    assert units(results[3:], 0, 1) == [0.5]
    assert units(results[1:2], 0, 1) == [1.0]
    assert units(results, 1, 0) == [0.0, 0.5]
    assert units(results, 1, 2) == []


@pytest.mark.process
def test_each_result_is_looked_at_a_few_times_however_many_there_are(monkeypatch):
    """A hundred thousand quick matches must not be counted anew with each share of them."""
    asked = 0
    counted = Result.points

    def points(self, contender):
        nonlocal asked
        asked += 1
        return counted(self, contender)

    monkeypatch.setattr(Result, "points", points)
    words = ["arena", "random", "random", "--game", "connect4", "--in-process", "--jobs", "1", "--games", "200"]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    assert "of 200 points" in ran.output
    assert asked <= 6 * 200


@pytest.mark.process
@pytest.mark.slow
def test_two_bots_are_compared_in_a_sentence_and_where_they_first_differ(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, choice in ("old", "turn.legal[0]"), ("new", "3 if turn.ply == 12 else turn.legal[0]"):
        text = (
            f"from palestra_client import Bot\nclass Mine(Bot):\n    def choose(self, turn):\n        return {choice}\n"
        )
        (tmp_path / f"{name}.py").write_text(text)
    words = ["arena", "new.py", "old.py", "--game", "connect4", "--games", "2", "--openings", "0"]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    assert "Whether new.py is stronger than old.py is not decided: about " in ran.output
    assert "They differ first in match 1, move 12:\n" in ran.output
    assert "  new.py: PUT 4, which" in ran.output
    assert "  old.py: PUT 3, which" in ran.output


@pytest.mark.process
@pytest.mark.slow
def test_an_installed_judge_that_does_not_know_the_game_is_not_to_be_installed(tmp_path, monkeypatch):
    def unknowing(*_):
        raise ValueError("There is no judge for connect4.")

    monkeypatch.setattr(difference, "installed_judge", lambda: unknowing)
    monkeypatch.chdir(tmp_path)
    for name, choice in ("old", "0"), ("new", "-1"):
        text = f"from palestra_client import Bot\nclass Mine(Bot):\n    def choose(self, t): return t.legal[{choice}]\n"
        (tmp_path / f"{name}.py").write_text(text)
    words = ["arena", "new.py", "old.py", "--game", "connect4", "--games", "2", "--openings", "0"]
    ran = CliRunner().invoke(app, words)
    assert "They differ first in match 1" in ran.output
    assert "install" not in ran.output
