"""`palestra-server season`, on a folder that no server uses."""

import json
import zipfile

import pytest
from tests.support.seasons import LOSS, WIN, cup, play
from typer.testing import CliRunner

from palestra_server.cli.main import app
from palestra_server.cli.seasons import rated
from palestra_tournament.export import ExportWriter
from palestra_tournament.season import parse_season
from palestra_tournament.season_tables import season_standings_csv

pytestmark = pytest.mark.slow


@pytest.fixture
def run():
    def command(*arguments, code=0):
        result = CliRunner().invoke(app, ["season", *map(str, arguments)])
        assert result.exit_code == code, result.output
        return result.output

    return command


def test_a_season_from_the_file_to_its_end(tmp_path, run):
    data, file = ("--data", tmp_path / "data"), tmp_path / "spring.toml"
    assert "is written" in run("new", file)
    assert "exists already" in run("new", file, code=1)
    found = run("check", file, *data)
    assert "week-1 (weight 1), week-2 (weight 1), final (weight 2); all of them count, by place." in found
    assert "Note: There is no tournament week-1 yet" in found
    assert "spring is created" in run("create", file, *data)
    assert "There is a season spring already" in run("create", file, *data, code=1)
    assert run("list", *data) == "spring: week-1 (planned), week-2 (planned), final (planned)\n"
    assert "week-1" in run("standings", "spring", *data)
    assert json.loads(run("standings", "spring", "--json", *data)) == []
    assert "no rules under [grades]" in run("grades", "spring", *data, code=1)
    run("export", "spring", "--out", tmp_path, *data)
    assert (tmp_path / "spring" / "standings.csv").read_text().startswith("rank,rank low,rank high,player,group,total,")
    assert (tmp_path / "spring" / "season.toml").read_text() == file.read_text()
    whole = tmp_path / "all.zip"
    assert CliRunner().invoke(app, ["export", "--out", str(whole), *map(str, data)]).exit_code == 0
    assert "seasons/spring/standings.csv" in zipfile.ZipFile(whole).namelist()
    assert CliRunner().invoke(app, ["verify", str(whole)]).exit_code == 0
    run("delete", "spring", "--yes", *data)
    assert "There is no season spring" in run("standings", "spring", *data, code=1)


def test_a_check_makes_no_records_in_a_folder_of_something_else(tmp_path, run):
    file, data = tmp_path / "spring.toml", tmp_path / "photos"
    run("new", file)
    data.mkdir()
    (data / "photo.jpg").write_bytes(b"")
    assert "Note: There is no tournament week-1 yet" in run("check", file, "--data", data)
    assert [each.name for each in data.iterdir()] == ["photo.jpg"]
    run("check", file, "--data", tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_rating_near_zero_has_no_sign():
    assert rated({"elo": -0.3, "low": -216.4, "high": 215.7}) == "0 (-216 to 216)"


def test_a_misspelt_season_gets_a_suggestion(tmp_path, run):
    file, data = tmp_path / "spring.toml", ("--data", tmp_path / "data")
    run("new", file)
    run("create", file, *data)
    assert "Did you mean spring?" in run("standings", "sprnig", *data, code=1)
    assert "Did you mean" not in run("standings", "autumn", *data, code=1)


def test_a_faulty_file_is_told_line_by_line(tmp_path, run):
    file = tmp_path / "bad.toml"
    file.write_text("name = 'x'\nbest = 'two'\n")
    said = run("check", file, "--data", tmp_path / "data", code=1)
    assert "The file has 2 faults:" in said
    assert "'tournaments' is missing." in said
    assert "'best' must be a whole number, not 'two'." in said
    assert "There is no file" in run("check", tmp_path / "none.toml", "--data", tmp_path / "data", code=1)


def test_a_table_that_was_touched_is_found(tmp_path):
    """The export of a season whose tournaments are in it, as a server writes it; verify makes the table again."""
    season = 'name = "spring"\ntournaments = ["week-1"]\n'
    t = play(cup("week-1"), lambda fixture: (WIN if fixture.players[0] == "ana" else LOSS, "rules"))
    table = season_standings_csv(parse_season(season), [t])
    assert table != season_standings_csv(parse_season(season), [None])
    with (tmp_path / "made.zip").open("w+b") as file, ExportWriter(file, "test", 1) as writer:
        writer.matches([])
        writer.journal([])
        writer.season(season, parse_season(season), {"week-1": t})
    said = CliRunner().invoke(app, ["verify", str(tmp_path / "made.zip")])
    assert said.exit_code == 1
    assert "seasons/spring/standings.csv, line 2 has" in said.output
