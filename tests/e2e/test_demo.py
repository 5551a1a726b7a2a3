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

from palestra_protocol.limits import SEAT_MS_MIN
from palestra_server.cli.main import app


def demo(*arguments, **options):
    command = [sys.executable, "-m", "palestra_server", "demo", "--port", "0", "--web-port", "0", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def bots_of(process):
    return psutil.Process(process.pid).children(recursive=True)


def test_the_demo_plays_all_games_to_standings(tmp_path):
    with demo("--exit", "--move-ms", str(SEAT_MS_MIN), "--data", str(tmp_path)) as process:
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    played = re.findall(r"\[ *(\d+)/24\] (\S+): (\w+) - (\w+)  \S+  \((\w+)\)", output)
    assert len(played) == 24
    assert {game for _, game, *_ in played} == {"connect4", "connect4-8x8", "desconecta4", "mancala"}
    assert not [line for line in played if line[4] in ("void", "not_ready", "disconnect", "illegal")]
    assert "Standings" in output
    assert "Crosstable" in output
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
    assert "SIGKILL" in (tmp_path / "server.log").read_text()
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
    program = (
        "import sys; sys.modules['palestra_bots'] = None; from palestra_server.cli import main; "
        "sys.argv = ['palestra-server', 'demo', '--port', '0', '--web-port', '0', '--data', sys.argv[1]]; main()"
    )
    result = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True)
    assert result.returncode == 1
    assert "palestra-bots" in result.stderr
    assert "Traceback" not in result.stderr
