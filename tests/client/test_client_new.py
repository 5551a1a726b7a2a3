"""`palestra new`: what it writes runs, and `practice`, which its tests use."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from palestra_client import Bot
from palestra_client.cli.commands import app
from palestra_client.loading import load_factory
from palestra_client.practice import play_random, turn_after
from palestra_games import game_names


@pytest.fixture
def new(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return lambda *words: CliRunner().invoke(app, ["new", *words])


@pytest.mark.parametrize("game", game_names())
def test_a_python_bot_plays_its_game(new, game):
    module = f"bot_{game.replace('-', '_')}"
    result = new(module, "--game", game)
    assert result.exit_code == 0, result.output
    steps = [step.strip() for step in result.stdout.splitlines()]
    assert f"python test_{module}.py" in steps
    assert f"palestra doctor {module}.py --game {game}" in steps
    assert any(step.startswith(f"palestra join {module}.py ") and f"random --game {game}" in step for step in steps)
    written = Path(module, f"{module}.py").read_text()
    assert ("the better" in written, "the worse" in written) == ("value +=" in written, "value -=" in written)
    factory = load_factory(f"{module}/{module}.py")
    for other in game_names():  # a tournament may have them all
        assert play_random(factory, other, seat=1).reason == "rules"


def test_its_test_passes_and_shows_a_board(new):
    new("ants")
    done = subprocess.run([sys.executable, "test_ants.py"], cwd="ants", capture_output=True, text=True, check=True)
    assert "as seat 1: won" in done.stdout
    assert "1 2 3 4 5 6 7" in done.stdout


@pytest.mark.parametrize(
    ("language", "files"),
    [
        ("c", {"ants.c", "test_ants.py"}),
        ("C++", {"ants.cpp", "test_ants.py"}),
        ("rust", {"ants.rs", "test_ants.py"}),
        ("java", {"Ants.java"}),
        ("js", {"ants.mjs"}),
    ],
)
def test_other_languages_begin_with_a_sample_of_their_name(new, language, files):
    result = new("ants", "--language", language)
    assert {path.name for path in Path("ants").iterdir()} == files
    for path in Path("ants").iterdir():
        assert not re.search("two.?ply", path.read_text() + result.stdout, re.IGNORECASE)
        if path.suffix == ".py":
            compile(path.read_text(), path, "exec")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["ants", "--game", "chess"], "chess"),
        (["ants", "--language", "cobol"], "There is no template in cobol"),
        (["random"], "can't be a bot's name"),
        (["3"], "can't be a bot's name"),
        (["there"], "there exists already"),
    ],
)
def test_a_slip_costs_one_sentence(new, words, says):
    Path("there").mkdir()
    result = new(*words)
    assert result.exit_code == 1
    assert says in result.stderr


class First(Bot):
    def choose(self, turn):
        return turn.legal[0]


class Nowhere(Bot):
    def choose(self, _turn):
        return 99


def test_practice_is_a_game_as_on_the_server():
    turn = turn_after("mancala", (3,))
    assert (turn.seat, turn.ply, turn.history) == (0, 1, (3,)), "pit 4 gives another turn"
    assert 0 < turn.remaining_s <= 2.0
    again = [play_random(First, "connect4", seed=5) for _ in range(2)]
    assert again[0].ply == again[1].ply
    with pytest.raises(AssertionError, match="returned 99 at move 0, and legal were"):
        play_random(Nowhere, "connect4")
