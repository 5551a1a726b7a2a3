"""`palestra-server` as a teacher uses it: what it prints, what it refuses, how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from itertools import count

import pytest
from tests.support.forked import run_server
from tests.support.players import PATIENCE_S, RawPlayer
from tests.support.servers import ServerProcess

linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")


@pytest.fixture
def palestra_server(tmp_path):
    numbers = count()
    return lambda *arguments: run_server([*arguments], dict(os.environ), tmp_path / f"errors-{next(numbers)}")


def get(url):
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return answer.read().decode()


def test_health_metrics_and_the_page(tmp_path):
    with (
        ServerProcess(tmp_path, "--guests") as server,
        RawPlayer(server.url, "ana") as ana,
        RawPlayer(server.url, "bob") as bob,
    ):
        ana.challenge("bob")
        ana.ready()
        bob.ready()
        ana.act(ana.expect("turn"))
        bob.expect("turn")
        health = json.loads(get(f"{server.web}/healthz"))
        assert (health["ok"], health["players"], health["matches"]) == (True, 2, 1)
        metrics = get(f"{server.web}/metrics")
        for line in (
            "palestra_matches 1.0",
            "palestra_actions_total 1.0",
            "palestra_players 2.0",
            "palestra_turnaround_seconds_count 1.0",
        ):
            assert line in metrics.splitlines()
        assert json.loads(get(f"{server.web}/api/v1/about"))["port"] == server.port


def test_a_folder_in_which_records_are_begun_is_told_once(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"")
    for new in (True, False):
        with ServerProcess(tmp_path) as server:
            server.process.send_signal(signal.SIGTERM)
            said = server.process.stdout.read()
        line = "These records are new. If yours are in another folder, stop this and name it with --data.\n"
        assert (line in said) == new


def test_sigterm_says_1001_and_ends(tmp_path):
    with ServerProcess(tmp_path, "--guests") as server, RawPlayer(server.url, "ana") as ana:
        assert server.stop(signal.SIGTERM) == 0
        with pytest.raises(Exception, match="1001"):
            ana.receive()
        assert "Traceback" not in server.log()


def closed_pipe():
    """As in `palestra-server serve | head -1`, once head has its line."""
    unread, output = os.pipe()
    os.close(unread)
    return output


def full_disk():
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.parametrize("open_output", [closed_pipe, pytest.param(full_disk, marks=linux)])
def test_an_output_that_cannot_be_written_does_not_end_the_referee(tmp_path, open_output):
    output = open_output()
    command = [
        sys.executable,
        "-m",
        "palestra_server",
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--web-port",
        "0",
    ]
    with subprocess.Popen(
        [*command, "--guests", "--data", str(tmp_path), "--log", "json"],
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(output)
        try:
            opened = next(line for line in map(json.loads, process.stderr) if line["event"] == "gateway open")
            url = f"ws://127.0.0.1:{opened['port']}/play"
            with RawPlayer(url, "ana") as ana, RawPlayer(url, "bob") as bob:
                ana.challenge("bob")
                ana.ready()
                bob.ready()
                ana.act(ana.expect("turn"))
                assert bob.expect("turn")["ply"] == 1
            process.terminate()
            assert process.wait() == 0
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


def test_settings_come_from_variables_too(tmp_path):
    with ServerProcess(tmp_path, env={"PALESTRA_GUESTS": "true", "PALESTRA_MOVE_MS": "777"}) as server:
        with RawPlayer(server.url, "ana") as ana, RawPlayer(server.url, "bob"):
            ana.challenge("bob")
            assert ana.until("match_start")["move_ms"] == 777
        assert "guests may play" in server.banner


def one_sentence(result):
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    sentence = result.stderr.strip()
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_a_busy_port_is_one_sentence(tmp_path, palestra_server):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        common = ("serve", "--host", "127.0.0.1", "--data", str(tmp_path))
        assert port in one_sentence(palestra_server(*common, "--port", port, "--web-port", "0"))
        assert port in one_sentence(palestra_server(*common, "--port", "0", "--web-port", port))


def test_two_servers_cannot_share_the_records(tmp_path, palestra_server):
    with ServerProcess(tmp_path):
        arguments = ("serve", "--host", "127.0.0.1", "--port", "0", "--web-port", "0", "--data", str(tmp_path))
        assert str(tmp_path) in one_sentence(palestra_server(*arguments))


def test_a_setting_that_cannot_be(tmp_path, palestra_server):
    common = ("serve", "--host", "127.0.0.1", "--port", "0", "--web-port", "0", "--data", str(tmp_path))
    said = one_sentence(palestra_server(*common, "--move-ms", "0"))
    assert said == "--move-ms takes a whole number from 1 to 3600000, not 0."
    said = palestra_server(*common, "--move-ms", "soon").stderr
    assert "Invalid value for '--move-ms': it takes a whole number, not 'soon'." in said
