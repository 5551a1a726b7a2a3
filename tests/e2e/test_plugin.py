"""What nobody but a plug-in knows is played over the wire: a game, and a tournament format."""

import json
import subprocess
import sys

import pytest
from tests.support.players import PATIENCE_S, RawPlayer
from tests.support.plugins import environment_with, install_plugin
from tests.support.servers import ServerProcess, enrol
from typer.testing import CliRunner
from websockets.sync.client import connect

from palestra_server.cli.main import app

CUP = """name = "hill"
games = ["connect4"]
format = "king-of-the-hill"
laps = 2
seeding = "roster"
embargo = "last-round"
openings = false
"""


# Two commands in one process: each takes a second to load.
BOTH = """
import json, sys
from palestra_server.cli.main import app
for words in json.loads(sys.argv[1]):
    if app(words, standalone_mode=False):
        sys.exit(1)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return install_plugin(tmp_path_factory.mktemp("plugin"))


def test_a_fifth_game_is_played_without_a_line_changed(site, tmp_path):
    with (
        ServerProcess(tmp_path, "--guests", env=environment_with(site)) as server,
        RawPlayer(server.url, "ana") as ana,
        RawPlayer(server.url, "bob") as bob,
    ):
        assert "nim" in server.banner
        ana.challenge("bob", "nim")
        ana.ready()
        bob.ready()
        while True:
            for player in (ana, bob):
                message = player.receive()
                while message["type"] not in ("turn", "match_end"):
                    message = player.receive()
                if message["type"] == "match_end":
                    assert message["reason"] == "rules"
                    return
                player.act(message)


def command(*arguments, **how):
    command = [sys.executable, "-m", "palestra_server", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **how)


def over(server):
    """Returns when the tournament has been played to its end."""
    place = server.url.replace("/play", "/watch")
    with connect(place, subprotocols=["palestra.v1.json"], open_timeout=PATIENCE_S) as socket:
        socket.send(json.dumps({"type": "watch", "topic": "tournament:hill"}))
        for frame in socket:
            if json.loads(frame)["event"].get("state") == "completed":
                return


def test_a_seventh_format_is_played_shown_exported_and_verified_without_a_line_changed(tmp_path):
    data, export = tmp_path / "data", tmp_path / "hill.zip"
    env = environment_with(install_plugin(tmp_path / "plugin", "palestra_hill"))
    tokens = enrol(data, "ana", "bob", "eva")
    file = tmp_path / "hill.toml"
    assert command("tournament", "new", file, "--format", "king-of-the-hill", env=env).returncode == 0
    assert "# laps = 1  " in file.read_text()
    with ServerProcess(data, env=env) as server:
        offered = {each["format"]: each for each in server.api("GET", "/formats")["formats"]}
        assert offered["king-of-the-hill"]["example"] == file.read_text().replace(
            'name = "hill"     ', 'name = "our-cup"  '
        )
        assert server.api("POST", "/tournaments/check", {"toml": file.read_text()})["spec"]["laps"] == 1
        refused = server.api("POST", "/tournaments", {"toml": CUP + "laps = 21\nrounds = 3\n"})["details"]
        assert [each["code"] for each in refused] == ["twice", "no_effect"]
        refused = server.api("POST", "/tournaments", {"toml": CUP.replace("laps = 2", "laps = 21")})["details"]
        assert refused[0]["message"] == "'laps' is 21: it should be 20 or less."
        shown = server.api("POST", "/tournaments", {"toml": CUP})
        assert (shown["format"], shown["format_title"]) == ("king-of-the-hill", "King of the hill")
        assert shown["views"] == ["standings", "schedule", "crosstable", "bracket"]
        students = [sys.executable, "-m", "palestra_server.cli.students", server.url, "50", "1"]
        with subprocess.Popen(students, stdin=subprocess.PIPE, text=True) as process:
            try:
                process.stdin.write(json.dumps(tokens) + "\n")
                process.stdin.flush()
                server.api("POST", "/tournaments/hill/start")
                over(server)
            finally:
                process.kill()
        assert server.api("POST", "/tournaments/hill/reveal")["revealed"]
        rounds = server.api("GET", "/tournaments/hill/bracket")["rounds"]
        rows = server.api("GET", "/tournaments/hill/standings")["rows"]
    assert [tie["players"][1] for (tie,) in rounds][:2] == ["bob", "eva"]
    crowned = [tie["winner"] for (tie,) in rounds]
    reigns = {row["player"]: row["tiebreaks"]["reigns"] for row in rows}
    assert reigns == {name: crowned.count(name) for name in tokens}
    assert reigns[rows[0]["player"]] == max(reigns.values())

    words = [["export", "hill", "--out", str(export), "--data", str(data)], ["verify", str(export)]]
    done = subprocess.run([sys.executable, "-c", BOTH, json.dumps(words)], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert "verified" in done.stdout
    # Whoever does not have the plug-in is told so: this process.
    without = CliRunner().invoke(app, ["verify", str(export)])
    assert without.exit_code == 1
    assert "not 'king-of-the-hill'" in without.output
