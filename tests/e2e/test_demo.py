"""`palestra-server demo`: plays to the end, and ends its children whatever happens."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import psutil
from tests.support.forked import start_server
from tests.support.players import PATIENCE_S
from typer.testing import CliRunner

from palestra_games import game_names
from palestra_protocol.limits import SEAT_MS_MIN
from palestra_server.cli.demo import GAMES, demo_file
from palestra_server.cli.main import app
from palestra_tournament import parse_spec

# In one game on a grid and one of pits: twelve matches are played as twenty-four are.
IN_TWO_GAMES = """
import sys
import palestra_server.cli.demo
from palestra_server.cli import main
palestra_server.cli.demo.GAMES = ("connect4", "mancala")
sys.argv = ["palestra-server", "demo", "--port", "0", "--web-port", "0", *sys.argv[1:]]
main()
"""
# As where palestra-bots is not installed, for every process.
WITHOUT_BOTS = "import sys; sys.modules['palestra_bots'] = None"


def bots_of(process):
    return psutil.Process(process.pid).children(recursive=True)


def test_the_demo_has_every_game():
    assert set(parse_spec(demo_file("demo", SEAT_MS_MIN)).games) == set(game_names()) == set(GAMES)


def test_the_demo_plays_all_games_to_standings(tmp_path):
    command = [sys.executable, "-c", IN_TWO_GAMES, "--exit", "--move-ms", str(SEAT_MS_MIN), "--data", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    played = re.findall(r"\[ *(\d+)/12\] (\S+): (\w+) - (\w+)  \S+  \((\w+)\)", result.stdout)
    assert len(played) == 12
    assert {game for _, game, *_ in played} == {"connect4", "mancala"}
    assert not [line for line in played if line[4] in ("void", "not_ready", "disconnect", "illegal")]
    assert "Standings" in result.stdout
    assert "Crosstable" in result.stdout
    for log in tmp_path.glob("*.log"):
        assert "Traceback" not in log.read_text()


def lives(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def living(processes):
    return {each for each in processes if lives(each)}


@contextmanager
def forked_demo(data, *arguments):
    """The demo as a copy of a process that has loaded it; and what is to be read of its errors."""
    errors = data / "errors"
    process = start_server(
        ["demo", "--port", "0", "--web-port", "0", "--data", str(data), *arguments], dict(os.environ), errors
    )
    try:
        with process.stdout:
            yield process, errors
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE_S)


def test_a_bot_that_dies_is_started_again_and_stopping_it_ends_all(tmp_path):
    with forked_demo(tmp_path) as (process, errors):
        assert any("Waiting" in line for line in process.stdout), errors.read_text()
        children = bots_of(process)
        assert len(children) == 3
        children[0].kill()
        while not (started := living(bots_of(process)) - set(children)):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        output = process.stdout.read()
        assert process.wait(PATIENCE_S) == 130
    assert "Stopped" in output
    assert errors.read_text() == ""
    assert "was ended by signal 9 (Killed)" in (tmp_path / "server.log").read_text()
    assert not living([*children, *started])


def test_a_busy_port_is_one_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        with forked_demo(tmp_path, "--port", port) as (process, errors):
            process.stdout.read()
            assert process.wait(PATIENCE_S) == 1
    assert port in errors.read_text()
    assert errors.read_text().strip().count("\n") == 0


def test_a_move_has_no_less_time_than_in_any_tournament(tmp_path):
    refused = CliRunner().invoke(app, ["demo", "--move-ms", str(SEAT_MS_MIN - 1), "--data", str(tmp_path)])
    assert (refused.exit_code, "'--move-ms'" in refused.stderr) == (2, True)


def test_without_the_bots_it_says_what_to_install(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_BOTS)
    ports = ["--port", "0", "--web-port", "0"]
    command = [sys.executable, "-m", "palestra_server", "demo", *ports, "--data", tmp_path / "data"]
    path = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = subprocess.run(command, env=path, capture_output=True, text=True)
    assert result.returncode == 1
    assert "palestra-bots" in result.stderr
    assert "Traceback" not in result.stderr
