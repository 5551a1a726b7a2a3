"""A tournament of simulated students on a real server that is killed in the middle; then the commands on its folder."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys

import pytest
from tests.support.played import new_tournament
from tests.support.players import PATIENCE_S
from tests.support.servers import ServerProcess, held_port
from typer.testing import CliRunner
from websockets.sync.client import connect

from palestra_server.cli.main import app
from palestra_server.cli.records import verify_folder
from palestra_server.runtime import Roster
from palestra_server.store import NOTHING, Store
from palestra_tournament import event_from_record, parse_spec, replay, standings

CUP = """
name = "cup"
title = "The cup"
games = ["connect4"]
format = "round-robin"
start = 2020-01-01T00:00:00
withdraw_after = 0
[clock]
move_ms = 60000
ready_ms = 600000
away_ms = 600000
away = "bank"
[grades]
participation = { points = 10 }
"""
NAMES = ("ana", "bob", "eva", "fay")


def until(server: ServerProcess, condition) -> None:
    """Watches the tournament until its progress is so."""
    place = server.url.replace("/play", "/watch")
    with connect(place, subprotocols=["palestra.v1.json"], max_size=None, open_timeout=PATIENCE_S) as socket:
        socket.send(json.dumps({"type": "watch", "topic": "tournament:cup"}))
        for frame in socket:
            event = json.loads(frame)["event"]
            if event["type"] in ("snapshot", "progress", "state") and condition(event):
                return


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The data folder of a tournament that a kill -9 interrupted."""
    data = tmp_path_factory.mktemp("data")
    store = Store(data)
    tokens = Roster(store.players).enrol(NAMES)
    store.tournaments.create(new_tournament(CUP))
    store.close()
    with ServerProcess(data, port=held_port()) as first:
        students = [sys.executable, "-m", "palestra_server.cli.students", first.url, "50", "1"]
        with subprocess.Popen(students, stdin=subprocess.PIPE, text=True) as process:
            try:
                process.stdin.write(json.dumps(tokens) + "\n")
                process.stdin.flush()
                until(first, lambda event: event["played"] >= 4)
                first.stop(signal.SIGKILL)
                with ServerProcess(data, port=first.port) as second:
                    until(second, lambda event: event["state"] == "completed")
                    second.stop()
            finally:
                process.kill()
    return data


def test_it_ends_by_itself_with_every_fixture_once_and_all_of_it_verifies(folder):
    report = verify_folder(folder, None)
    assert report.ok, str(report)
    store = Store(folder)
    toml, records = store.tournaments.read("cup")
    t = replay(parse_spec(toml), map(event_from_record, records))
    matches = store.journal.matches(50, NOTHING, tournament="cup")
    store.close()
    assert len(t.results) == len(t.fixtures) == 12
    assert sorted(match.match for match in matches if match.reason) == sorted(r.match for r in t.results.values())
    assert all(match.finished_ms is not None for match in matches)


def command(folder, *arguments, code=0):
    result = CliRunner().invoke(app, ["tournament", *arguments, "--data", str(folder)])
    assert result.exit_code == code, result.output
    return result.output


def test_the_commands_tell_what_the_records_say(folder, tmp_path):
    store = Store(folder)
    toml, records = store.tournaments.read("cup")
    store.close()
    t = replay(parse_spec(toml), map(event_from_record, records))
    rows = json.loads(command(folder, "standings", "cup", "--json"))
    assert [(row["player"], row["points"]) for row in rows] == [(row.player, row.points) for row in standings(t)]
    assert "completed" in command(folder, "status", "cup")
    assert json.loads(command(folder, "status", "cup", "--json"))["played"] == 12
    assert json.loads(command(folder, "list", "--json"))[0]["name"] == "cup"
    assert len(json.loads(command(folder, "results", "cup", "--json"))) == 12
    assert "ana" in command(folder, "standings", "cup")
    command(folder, "export", "cup", "--out", str(tmp_path))
    grades = csv.DictReader((tmp_path / "cup" / "grades.csv").read_text().splitlines())
    assert [row["participation came"] for row in grades] == ["6"] * 4
    assert {path.name for path in (tmp_path / "cup").iterdir()} == {
        "tournament.toml",
        "standings.csv",
        "crosstable.csv",
        "schedule.csv",
        "grades.csv",
    }


@pytest.mark.slow
@pytest.mark.process
def test_a_file_is_written_checked_and_made(tmp_path):
    file, data = tmp_path / "cup.toml", tmp_path / "data"
    runner = CliRunner()
    assert runner.invoke(app, ["tournament", "new", str(file)]).exit_code == 0
    assert runner.invoke(app, ["tournament", "new", str(file)]).exit_code == 1
    assert "Nobody on the roster" in command(data, "check", str(file))
    name = json.loads(command(data, "create", str(file), "--json"))["name"]
    # Whose text is long is read by a process of its own, as the example was.
    file.write_text(f'name = "{name}"\ngames = ["connect4"]\nformat = "round-robin"\n')
    assert "already" in command(data, "create", str(file), code=1)
    assert "at least" in command(data, "start", name, code=1)
    assert [each["name"] for each in json.loads(command(data, "list", "--json"))] == [name]
    assert json.loads(command(data, "delete", name, "--yes", "--json")) == {"deleted": name}
    assert "no tournament" in command(data, "status", name, code=1)
    file.write_text('reference = ["level9"]\n' + file.read_text())
    for verb in ("check", "create"):
        assert "no reference bot level9: choose among" in command(data, verb, str(file), code=1)
    file.write_text("gmes = 1\n")
    assert "did you mean 'games'" in command(data, "check", str(file), code=1)
