"""The command `palestra`: its words and exit codes when there is nothing to play."""

from __future__ import annotations

import asyncio
import inspect
import re
import subprocess
import sys
import threading
from importlib.metadata import version
from textwrap import dedent
from types import ModuleType, SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

from palestra_client import Bot, Match, Turn, cli, crashes, joining, play, run
from palestra_client.cli import commands, join
from palestra_client.cli.commands import app
from palestra_client.joining import CannotPlay, Options, settings
from palestra_client.turn import Deadline
from palestra_games import game_names, get_game

BOT = """
from palestra_client import Bot
class MyBot(Bot):
    def __init__(self, depth: int = 1):
        self.depth = depth
    def choose(self, turn):
        return turn.legal[self.depth]
"""


@pytest.fixture
def palestra(tmp_path, monkeypatch):
    """Runs the command in a folder with mybot.py; no variable of this machine gets in."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    for name in ("PALESTRA_SERVER", "PALESTRA_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "mybot.py").write_text(BOT)
    yield lambda *words: CliRunner().invoke(app, words)
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("doctor mybot.py --seconds 0", "--seconds': it takes 1 or more, not '0'."),
        ("doctor mybot.py --seconds long", "--seconds': it takes a number, not 'long'."),
        ("replay x.zip --ply one", "--ply': it takes a whole number, not 'one'."),
    ],
)
def test_a_number_that_is_none_is_told_in_words(palestra, words, says):
    result = palestra(*words.split())
    assert says in " ".join(re.sub("[│╭╰─╮╯]", " ", result.stderr).split())
    assert result.exit_code == 2


def test_help_names_what_an_option_takes(palestra):
    assert "list[" not in palestra("doctor", "--help").stdout


def test_version_and_games(palestra):
    assert palestra("--version").stdout == f"palestra {version('palestra-client')}\n"
    assert palestra("games").stdout.split() == list(game_names())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("join mybot.py", "--token, or PALESTRA_TOKEN"),
        ("join mybot.py --token a --name b", "not both"),
        ("join mybot.py --token TOKEN", "TOKEN stands for your token"),
        ("join mybot.py --token a --server ws://HOST:8765", "HOST stands for the address of your teacher's machine"),
        (f"join mybot.py --token {'x' * 300}", "256 characters at most"),
        (f"join mybot.py --name {'x' * 65}", "1 to 64 characters"),
        ("join mybot.py --token \udcff", "The token has bytes in it that are not UTF-8"),
        ("join mybot.py --name \udcff", "The name has bytes in it that are not UTF-8"),
        ("join mybot.py --name a --challenge \udcff --game connect4", "The name of the opponent has bytes"),
        ("join mybot.py --name a --server ftp://x", "'ftp' is not a way"),
        ("join mybot.py --name a --game mancala", "say whom with --challenge"),
        ("join mybot.py --name a --challenge bob", "Give --game NAME"),
        ("join mybot.py --name a --challenge bob --game conect4", "Did you mean 'connect4'?"),
        ("join mybot.py --name a --challenge bob --game connect4 --seat 2", "--seat is 0 (you move first) or 1"),
        ("join mybot.py --name a --challenge bob --game connect4 --opening 3,9", "--opening, ply 1: "),
        ("join mybot.py --name a --challenge bob --game connect4 --opening PUT", " Put commas between names."),
        ("join mybot.py --name a --opening 3", "--no-clock are for a challenge"),
        ("join nobot.py --name a", "There is no file nobot.py. Did you mean mybot.py?"),
        ("join mybot.py --name a --depht 8", "Did you mean --depth?"),
        ("join mybot.py --name a --depth deep", "--depth must be a whole number"),
        ("join --depth 8 mybot.py --name a", "name the bot first"),
        ("replay-crash none.json mybot.py", "none.json can't be read"),
    ],
)
def test_a_slip_costs_one_sentence_and_exit_code_1(palestra, words, says):
    result = palestra(*words.split())
    assert says in result.stderr
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr + result.stdout


def test_a_file_that_takes_long_to_load_is_said_to_be_loading_and_another_is_not(palestra, tmp_path, monkeypatch):
    said, lines, timers = threading.Event(), [], []
    monkeypatch.setitem(sys.modules, "waits", SimpleNamespace(said=said))
    monkeypatch.setattr(joining, "join", lambda *_args, **_more: joining.Ended(0))
    monkeypatch.setattr(join, "Timer", lambda *given: timers.append(threading.Timer(*given)) or timers[-1])
    palestra("join", "mybot.py", "--name", "eva")
    assert timers[0].finished.is_set()  # as after `cancel`, and nobody waited

    monkeypatch.setattr(typer, "echo", lambda text, err: (lines.append((text, err)), said.set()))
    monkeypatch.setattr(join, "LOADING_S", 0.0)
    (tmp_path / "slow.py").write_text("from waits import said\nassert said.wait(60)\n" + BOT)
    palestra("join", "slow.py", "--name", "eva")
    ((text, err),) = lines
    assert text.startswith("Still loading slow.py: your bot connects once it is loaded.")
    assert err
    assert "is lost after 30 s, and one that it left after 10 s" in text


@pytest.mark.parametrize("name", ["random", "token", "queue"])
def test_a_script_named_like_a_module_of_python_is_told_so(tmp_path, name):
    script = tmp_path / f"{name}.py"
    script.write_text(BOT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stderr.startswith(f"Rename your file {name}.py: ")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_python_m_and_other_names_hide_nothing(tmp_path):
    (tmp_path / "mybot.py").write_text(BOT)
    for words in (["mybot.py"], ["-m", "cProfile", "-o", "profile.out", "mybot.py"]):
        subprocess.run([sys.executable, *words], cwd=tmp_path, check=True)


def test_the_environment_completes_what_was_not_said(monkeypatch):
    monkeypatch.setenv("PALESTRA_SERVER", "classroom:9000")
    monkeypatch.setenv("PALESTRA_TOKEN", " secret\n")
    assert (settings(Options()).urls, settings(Options()).token) == (("ws://classroom:9000/play",), "secret")
    assert settings(Options(server="other, wss://two")).urls == ("ws://other:8765/play", "wss://two:443/play")
    assert (settings(Options(name="eva")).token, settings(Options(name="eva")).name) == ("", "eva")
    monkeypatch.delenv("PALESTRA_TOKEN")
    with pytest.raises(CannotPlay):
        settings(Options())


@pytest.fixture
def crash_file(tmp_path):
    state = get_game("connect4").initial_state()
    match = Match("M1", "connect4", 0, ("ana", "bob"), 2.0, 0.1, 30.0, 10.0)
    turn = Turn(match, state, ply=0, legal=state.legal_actions(), last=None, deadline=Deadline(2.0), clock=lambda: 0.0)
    return str(crashes.save(tmp_path, "choose", KeyError("x"), match, turn))


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ((), 0, "No exception this time: choose returned 1 (PUT 2) after"),
        (("--depth", "5"), 0, "returned 5 (PUT 6)"),
        (("--depth", "9"), 1, "IndexError: tuple index out of range"),
    ],
)
def test_a_crash_is_played_again(palestra, crash_file, options, code, says):
    result = palestra("replay-crash", crash_file, "mybot.py", *options)
    assert "connect4 as seat 0 against bob, at move 0: choose raised KeyError: 'x'" in result.stdout
    assert says in result.stdout + result.stderr
    assert result.exit_code == code
    alone = "It was asked about this position alone, and has nothing that it kept from the moves before."
    assert (alone in result.stdout) == (code == 0), "only of an exception that did not come again"


def test_a_crash_before_the_first_turn_has_no_moves_before(palestra, tmp_path):
    match = Match("M1", "connect4", 0, ("ana", "bob"), 2.0, 0.1, 30.0, 10.0)
    file = crashes.save(tmp_path, "warm_up", KeyError("x"), match, None)
    said = palestra("replay-crash", str(file), "mybot.py").stdout
    assert "before the first turn: warm_up raised KeyError: 'x'\nNo exception this time.\n" in said


def test_an_illegal_choice_is_seen_in_the_replay(palestra, crash_file, tmp_path):
    (tmp_path / "mybot.py").write_text(BOT.replace("turn.legal[self.depth]", "99"))
    result = palestra("replay-crash", crash_file, "mybot.py")
    assert "returned 99 (not legal)" in result.stdout
    assert "Legal actions: 0, 1, 2" in result.stderr
    assert result.exit_code == 1


class Mine(Bot):
    def choose(self, turn):
        return turn.legal[0]


async def test_run_in_a_notebook_says_what_to_write():
    with pytest.raises(CannotPlay, match=r"write `await play\(MyBot, \.\.\.\)`"):
        run(Mine, name="ana")


@pytest.mark.parametrize(
    ("wanted", "says"), [({}, "Which game against bob?"), ({"game": "mancala", "games": 0}, "1 or more, not 0")]
)
async def test_run_and_play_take_a_challenge(capsys, wanted, says):
    with pytest.raises(CannotPlay, match=says.replace("?", r"\?")):
        await play(Mine, name="ana", challenge="bob", **wanted)
    with pytest.raises(SystemExit):
        await asyncio.to_thread(run, Mine, name="ana", challenge="bob", **wanted)
    assert says in capsys.readouterr().err


async def test_options_are_called_as_python_writes_them():
    with pytest.raises(CannotPlay, match=r"^game=, seat= and games= are for a challenge: say whom with challenge=NAME"):
        await play(Mine, name="ana", game="mancala")


def test_a_bot_typed_into_a_notebook_has_no_file(monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    monkeypatch.setattr(Mine, "__module__", "__main__")
    with pytest.raises(OSError, match="source code not available"):
        inspect.getsourcefile(Mine)
    assert joining._target(Mine) is None


def test_run_with_a_bot_in_place_of_its_class_says_so(capsys):
    with pytest.raises(SystemExit) as caught:
        run(Mine(), name="ana")
    assert caught.value.code == 1
    assert "give its class, Mine without ()" in capsys.readouterr().err


def test_ctrl_c_before_anything_is_connected_is_no_traceback(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "app", interrupted)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 130


def test_a_bots_module_is_imported_quickly():
    # What a bot needs is there; what only a connection or a terminal needs is not imported yet.
    code = """
    import sys
    from palestra_client import Bot, Turn, run
    print([name for name in ("asyncio", "pydantic", "msgpack", "websockets", "rich", "typer") if name in sys.modules])
    """
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
