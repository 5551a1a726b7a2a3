"""Which games are found, and that a broken plug-in costs one warning and no other game."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.plugins import environment_with

from palestra_games import Game, UnknownGame, game_names, get_game

OURS = ("connect4", "connect4-8x8", "desconecta4", "mancala")


def test_our_games_are_found_under_their_own_names():
    assert set(OURS) <= set(game_names())
    assert list(game_names()) == sorted(game_names())
    for name in OURS:
        game = get_game(name)
        assert isinstance(game, Game)
        assert game.name == name
        assert get_game(name) is game


@pytest.mark.parametrize(
    ("name", "hint"),
    [("conect4", "Did you mean 'connect4'?"), ("Mancala", "Did you mean 'mancala'?"), ("chess", "mancala.")],
)
def test_an_unknown_name_is_answered_with_the_known_ones(name, hint):
    with pytest.raises(UnknownGame) as caught:
        get_game(name)
    assert str(caught.value).startswith(f"There is no game '{name}'; the games here are connect4, ")
    assert str(caught.value).endswith(hint)
    assert isinstance(caught.value, LookupError)


def ask(site: Path) -> subprocess.CompletedProcess[str]:
    """game_names() in a process that has `site` on its path."""
    code = "import palestra_games; print(*palestra_games.game_names())"
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment_with(site),
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize(
    ("entry", "source", "why"),
    [
        ("boom", "1 / 0", "it does not load (ZeroDivisionError: division by zero)"),
        ("gone", "import a_module_that_nobody_has", "it does not load (ModuleNotFoundError: "),
        ("what", "GAME = 42", "it is not a Game"),
        ("nim", "from palestra_games.mancala import MANCALA as GAME", "it calls itself 'mancala'"),
        ("gone", "raise SystemExit(3)", "it does not load (SystemExit: 3)"),
        ("nim", "class GAME: name = 'nim'", "it is a class; name an object, such as one made by 'GAME = GAME()'"),
        (
            "nim",
            "class Nim: name = view = 'nim'\nGAME = Nim()",
            "it is not a Game (see palestra_games.interface): it lacks ",
        ),
        ("mancala", "from palestra_games.mancala import MANCALA as GAME", "the name is taken by 'palestra_games."),
    ],
)
def test_a_plug_in_that_does_not_fit_is_left_out_with_one_warning(tmp_path, entry, source, why):
    (tmp_path / "student_game.py").write_text(source)
    metadata = tmp_path / "student_game-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: student-game\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[palestra.games]\n{entry} = student_game:GAME\n")
    answer = ask(tmp_path)
    assert answer.stdout.split() == list(OURS)
    assert f"The game '{entry}' from 'student_game:GAME' is left out: {why}" in answer.stderr
    assert answer.stderr.count("left out") == 1
    assert "Traceback" not in answer.stderr
