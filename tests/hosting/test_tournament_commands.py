"""`palestra-server tournament` on a data folder that no server uses."""

import json
import sqlite3
from contextlib import closing

import pytest
from rich.console import Console
from tests.support.played import play_tournament
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

from palestra_protocol.english import sentence
from palestra_server.cli.main import app
from palestra_server.cli.views import standings_view
from palestra_server.runtime import live_tournament
from palestra_server.store import Store

pytestmark = pytest.mark.slow

CUP = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n'


class Teacher:
    """The commands, on one data folder, with three players on its roster."""

    def __init__(self, folder):
        self.folder, self.data = folder, folder / "data"
        self.run("roster", "add", "ana", "bob", "eva")

    def run(self, *arguments, code=0):
        result = CliRunner().invoke(app, [*map(str, arguments), "--data", str(self.data)])
        assert result.exit_code == code, result.output
        return result

    def __call__(self, *arguments, code=0):
        return self.run("tournament", *arguments, code=code)

    def file(self, text, name="cup.toml"):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name


@pytest.mark.parametrize(
    "breaks",
    [
        ("Buchholz", "Sonneborn-Berger", "head to head"),
        ("rounds survived", "place in the group", "Sonneborn-Berger"),
    ],
)
def test_standings_in_80_columns_show_ranks_names_and_ratings(breaks):
    row = {"rank": 10, "rank_low": 10, "rank_high": 12, "player": "Mia", "points": 10.5, "withdrawn": False}
    row |= {"wins": 10, "draws": 1, "losses": 9, "tiebreaks": dict(zip(breaks, (306, 168.75, 4), strict=True))}
    row |= {"reference": False, "rating": -1332, "rating_low": -2009, "rating_high": -654}
    level = row | {"player": "level1", "reference": True, "rank_low": None, "rank_high": None, "rating": -0.4}
    console = Console(width=80)
    with console.capture() as shown:
        console.print(standings_view([row, level]))
    lines = [line.split() for line in shown.get().splitlines()]
    score = ["10.5", "10-1-9", "306", "168.75", "4"]
    assert lines[2] == ["10", "(10-12)", "Mia", *score, "-1332", "(-2009..-654)"]
    assert lines[3] == ["-", "level1", *score, "0", "(-2009..-654)"]


@pytest.fixture
def teacher(tmp_path):
    return Teacher(tmp_path)


def test_from_the_file_to_the_start(teacher):
    assert "There is no tournament yet" in teacher("list").stdout
    file = teacher.file(CUP)
    assert "round-robin in connect4, 3 players" in teacher("check", file).stdout
    assert "Start it: palestra-server tournament start cup" in teacher("create", file).stdout
    text = teacher("start", "cup").stdout
    assert "cup has begun. Follow it" in text
    assert "No server runs on this data folder" in text
    assert "3 of 3 are not connected: ana, bob, eva; each has ready_ms = 30000 when its match comes." in text
    assert "cup" in teacher("list").stdout
    state = json.loads(teacher("status", "cup", "--json").stdout)
    assert (state["state"], state["troubles"], sorted(state["missing"])) == ("running", [], ["ana", "bob", "eva"])
    (teacher.folder / "cup.zip").write_bytes(b"PK\xff")
    assert "cup.zip is not text in UTF-8: save it so" in teacher("check", teacher.folder / "cup.zip", code=1).output
    assert "cannot be read (Is a directory)" in teacher("check", teacher.folder, code=1).output
    assert "has begun already" in teacher("start", "cup", code=1).output
    assert "no match x" in teacher("repeat", "cup", "x", code=1).output


def test_a_tournament_without_players_says_where_to_look(teacher):
    teacher("create", teacher.file(CUP + 'who = {groups = ["Z"]}'))
    said = teacher("start", "cup", code=1).stderr
    assert said == (
        "This format needs at least 2 players besides the reference bots, not 0. 'palestra-server roster list' shows "
        "who there is, and 'who' in its file says whom it invites.\n"
    )


def test_a_group_is_found_in_the_spelling_of_the_class_list_and_in_others(teacher):
    for name in ("ida", "eli"):
        teacher.run("roster", "add", name, "--group", "2º B")
    said = teacher("check", teacher.file(CUP + 'who = {groups = ["2º b", "2º C", " "]}')).stdout
    assert "round-robin in connect4, 2 players" in said
    assert said.count("Nobody on the roster is in the group") == 2, "2º C and the blank one"
    assert "in the group 2º C" in said
    assert "in the group 2º b" not in said


def test_a_remark_says_which_tournaments_a_late_player_misses(teacher):
    teacher("create", teacher.file(CUP + 'who = {groups = ["A"], players = ["ana", "bob", "ida"]}'), "--start")
    teacher("create", teacher.file(CUP.replace('"cup"', '"later"')))
    missed = "cup began without {}: 'tournament add' lets in who comes late, unless it has a bracket.\n"
    assert teacher.run("roster", "add", "eli").stderr == "", "who is not invited misses nothing"
    assert teacher.run("roster", "add", "ida", "--group", "B").stderr == missed.format("ida")
    late = teacher.file("name,group\nben,A\nbob,A\nlea,A\n", "class.csv")
    assert "began" not in teacher.run("roster", "import", late, "--dry-run").output
    assert missed.format("ben, lea") in teacher.run("roster", "import", late).stdout
    assert "began" not in teacher.run("roster", "import", late).output


def test_a_withdrawn_player_is_out_even_if_another_process_pairs_the_next_round(teacher, monkeypatch):
    monkeypatch.setattr(live_tournament, "HERE", 2)
    teacher("create", teacher.file(CUP.replace("round-robin", "swiss")), "--start")
    name = json.loads(teacher("results", "cup", "--json").stdout)[0]["players"][0]
    teacher("withdraw", "cup", name)
    state = json.loads(teacher("status", "cup", "--json").stdout)
    assert (list(state["withdrawn"]), state["round"]) == ([name], 2)
    assert f"Withdrawn: {name}, by the teacher." in teacher("status", "cup").stdout
    every, theirs = (json.loads(teacher("results", "cup", *some, "--json").stdout) for some in ((), ("--player", name)))
    assert theirs == [fixture for fixture in every if name in fixture["players"]] != every


def test_the_output_of_a_command_is_its_answer_and_nothing_else(teacher):
    made = json.loads(teacher("create", teacher.file(CUP), "--start", "--json").stdout)
    assert made["state"] == "running"
    with closing(sqlite3.connect(teacher.data / "palestra.sqlite3")) as db, db:
        db.execute("UPDATE tournaments SET toml = 'name = cup'")
    listed = teacher("list", "--json")
    assert [each["state"] for each in json.loads(listed.stdout)] == ["damaged"]
    assert "tournament cannot be read" in listed.stderr


def test_a_start_with_a_warm_up_says_that_this_comes_first(teacher):
    teacher("create", teacher.file(CUP + "warm_up = true\n"))
    text = teacher("ready", "cup").stdout
    assert "The warm-up of cup has not been played: 'palestra-server tournament start cup' plays it first." in text
    text = teacher("start", "cup").stdout
    assert "The warm-up of cup has begun; cup waits for your start after it." in text
    assert "tournament ready cup" in text
    status = teacher("status", "cup").stdout
    assert "Its warm-up is being played: palestra-server tournament status cup-warm-up" in status
    assert "Its warm-up" not in teacher("status", "cup-warm-up").stdout
    again = teacher("create", teacher.file(CUP + "warm_up = true\n"), code=1).stderr
    assert "There is a tournament cup already" in again
    assert "'palestra-server tournament finish cup-warm-up' ends it early" in teacher("start", "cup", code=1).stderr
    assert "3 of 3 are not connected: ana, bob, eva; each has ready_ms" in text
    assert [line.split()[:2] for line in teacher("ready", "cup").stdout.splitlines()[1:]] == [
        [name, "not"] for name in ("ana", "bob", "eva")
    ]
    teacher("finish", "cup-warm-up", "--yes")
    waits = teacher("status", "cup").stdout
    assert "Ready: 0 of 3; the others, and why: palestra-server tournament ready cup" in waits
    assert "It waits for you: palestra-server tournament start cup" in waits


def test_an_end_before_time_names_what_it_leaves_out(teacher):
    checked = " ".join(teacher("check", teacher.file(CUP)).stdout.split())
    # 3 rounds of 2 matches at 40 times 2 s each.
    assert "cup: round-robin in connect4, 3 players, 2000 ms a move. 6 matches: 8 minutes if every bot" in checked
    assert "takes all of its time for 40 moves a match, until" in checked
    longer = teacher("check", teacher.file(CUP + 'reference = ["random"]\npairs = 20\n')).stdout
    assert "3 players and random as reference" in longer
    assert "hours if every bot" in longer
    teacher("create", teacher.file(CUP), "--start")
    asked = teacher("finish", "cup", code=1).output
    assert "Not played: round 1" in asked
    told = teacher("finish", "cup", "--yes").stdout
    assert "Rounds from 1 on aren't complete, so their results don't count (--all-results)." in told
    assert "aren't complete" in teacher("status", "cup").stdout
    teacher("resume", "cup")
    assert "aren't complete" not in teacher("status", "cup").stdout
    assert "aren't complete" not in teacher("finish", "cup", "--yes", "--all-results").stdout


def test_without_a_warm_up_readiness_is_a_line_for_each_and_what_to_do_first(teacher):
    teacher("create", teacher.file(CUP.replace('["connect4"]', '["connect4", "mancala"]')))
    with closing(Store(teacher.data)) as store:
        for player, game, passed in (("bob", "connect4", True), ("bob", "mancala", False), ("eva", "connect4", True)):
            store.readiness.put(player, game, passed, 1)
        store.readiness.put("eva", "mancala", True, 1)
    first, _, *lines = teacher("ready", "cup").stdout.splitlines()
    assert "cup has not begun and has no warm-up: create it with warm_up = true, or have everybody run" in first
    assert "palestra doctor" in first
    assert [" ".join(line.split()) for line in lines] == [
        "ana not yet known not connected, no check yet",
        "bob no mancala: not connected, its own check failed",
        "eva yes not connected, its own check passed",
    ]
    rows = json.loads(teacher("ready", "cup", "--json").stdout)
    assert [(row["player"], row["game"], row["ready"]) for row in rows[2:4]] == [
        ("bob", "connect4", True),
        ("bob", "mancala", False),
    ]


def test_players_away_at_the_start_are_counted_and_named_for_programs_too(teacher):
    names = [f"student-{number:02}" for number in range(1, 28)]
    teacher.run("roster", "add", *names)
    made = json.loads(teacher("create", teacher.file(CUP + 'absent = "wait"\n'), "--start", "--json").stdout)
    assert (made["players"], made["away"], made["warm_up"]) == (30, ["ana", "bob", "eva", *names], None)
    teacher("create", teacher.file(CUP.replace('"cup"', '"other"') + 'absent = "wait"\n'))
    text = teacher("start", "other").stdout
    assert "30 of 30 are not connected: ana, bob, eva, student-01" in text
    assert "student-17 and 10 more; their matches wait for them." in text


def test_a_file_with_faults_is_a_headline_and_a_line_for_each(teacher):
    result = teacher(
        "create", teacher.file('name = cup\ngames = ["chess"]\nformat = "swiss"\nbreaks = ["a", "b"]\n'), code=1
    )
    lines = result.output.splitlines()
    assert lines[0] == "The file has 4 faults:"
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        "line 1, column 8",
        "line 2, column 1",
        "line 4, column 11",
        "line 4, column 16",
    ]


def test_where_there_is_no_data_folder_none_is_made_by_looking(tmp_path):
    result = CliRunner().invoke(app, ["tournament", "list", "--data", str(tmp_path / "typo")])
    assert (result.exit_code, (tmp_path / "typo").exists()) == (1, False)


def test_a_tournament_that_cannot_be_read(teacher):
    teacher("create", teacher.file(CUP))
    teacher("create", teacher.file(CUP.replace('"cup"', '"other"')))
    with closing(sqlite3.connect(teacher.data / "palestra.sqlite3")) as db, db:
        db.execute("UPDATE tournaments SET toml = 'name = cup' WHERE name = 'cup'")
    text = teacher("list").stdout
    assert "damaged" in text
    assert "other" in text
    for said in (text, teacher("status", "cup").stdout, teacher("start", "cup", code=1).output):
        assert "The tournament cup cannot be read (line 1, column 8: name: a text needs quotes" in said
        assert "'palestra-server tournament delete cup'" in said
        assert "create it again under another name" in said
    assert "other has begun" in teacher("start", "other").stdout
    repaired = teacher.run("repair", code=1).output
    assert "cup: The tournament cup can't be replayed: line 1, column 8: name" in repaired
    assert "1 tournament can't be read any more." in repaired
    assert "other" not in repaired
    assert "cup is deleted" in teacher("delete", "cup", "--yes").stdout
    assert "damaged" not in teacher("list").stdout


def test_marks_for_moodle_canvas_and_people(tmp_path):
    teacher = Teacher(tmp_path)
    listed = teacher.file("name,email,ID number\nana,ana@x.org,1\nbob,bob@x.org,2\neva,eva@x.org,3\n", "class.csv")
    teacher.run("roster", "import", listed)
    teacher("create", teacher.file(CUP), "--start")
    teacher("withdraw", "cup", "ana")
    assert "no rules under [grades]" in teacher("grades", "cup", code=1).output
    graded = CUP.replace("cup", "graded") + 'title = "Liga"\n[grades]\nbase = 1\nparticipation = { points = 2.5 }\n'
    teacher("create", teacher.file(graded), "--start")
    teacher("withdraw", "graded", "ana")
    table = teacher("grades", "graded", "--language", "es")
    assert table.stdout_bytes.startswith("\ufeffjugador;".encode())
    assert "3,5 de 10: de partida: 1; participación: 2,5 (acudió" in table.stdout
    moodle = teacher("grades", "graded", "--for", "moodle", "--language", "es", "--out", tmp_path / "moodle.csv")
    assert "3 marks are in" in moodle.stdout
    assert "Map 'Número de ID' to itself" in moodle.stderr
    rows = (tmp_path / "moodle.csv").read_text("utf-8-sig").splitlines()
    assert rows[0] == "Número de ID;Liga;comentario"
    assert sorted(row.split(";")[0] for row in rows[1:]) == ["1", "2", "3"]
    book = teacher.file(
        "Student,ID,SIS Login ID,Section\n    Points Possible,,,\nAna,7,ana@x.org,\nNo,8,,\n", "canvas.csv"
    )
    filled = teacher("grades", "graded", "--for", "canvas", "--into", book, "--json")
    answer = json.loads(filled.stdout)
    assert answer["text"].splitlines()[:2] == ["Student,ID,SIS Login ID,Section,Liga", "    Points Possible,,,,10"]
    assert [note["code"] for note in answer["notes"]] == ["not_in_file", "no_mark", "new_column", "canvas"]
    assert teacher("grades", "graded", "--for", "canvas", code=1).output.count("give the file (--into FILE)") == 1
    assert "There is no file" in teacher("grades", "graded", "--into", "nowhere.csv", code=1).output


def test_a_misspelt_name_and_a_server_that_is_gone(tmp_path):
    teacher = Teacher(tmp_path)
    teacher("create", teacher.file(CUP), "--start")
    assert "Did you mean cup?" in teacher("status", "cupp", code=1).output
    assert "Did you mean" not in teacher("status", "friday", code=1).output
    assert "Did you mean eva?" in teacher("withdraw", "cup", "evva", code=1).output
    teacher("finish", "cup", "--yes")
    assert "cup is over." in (over := teacher("withdraw", "cup", "evva", code=1).output)
    assert "Did you mean" not in over
    teacher("resume", "cup")
    for watch in ((), ("--watch",)):
        text = teacher("status", "cup", *watch).stdout
        assert "cup: running. No server runs on this data folder" in text


def test_what_goes_into_a_file_has_a_line_each_however_long_the_names(teacher):
    names = ["José María García López de Mendoza", "Núria Puig i Ferrer de la Bisbal"]
    teacher.run("roster", "add", *names)
    teacher("create", teacher.file(CUP + f"who = {{ players = {json.dumps(names)} }}\n"), "--start")
    results = teacher("results", "cup").stdout.splitlines()
    assert [all(name in line for name in names) for line in results[1:]] == [True, True]
    assert "game" not in results[0], "there is only one"
    standings = teacher("standings", "cup").stdout.splitlines()[2:]
    assert [name in line for name, line in zip(sorted(names), standings, strict=True)] == [True, True]


def test_an_export_says_which_results_have_no_match(teacher):
    teacher("create", teacher.file(CUP), "--start")
    teacher("withdraw", "cup", "eva")
    said = teacher.run("export", "cup", "--out", teacher.folder / "cup.zip").stdout
    assert "cup.zip holds 0 matches and 1 tournament." in said
    assert "4 results are without a match: who was withdrawn loses so." in said


def test_the_big_screens_remote_needs_a_running_server(tmp_path):
    said = Teacher(tmp_path).run("screen", "next", code=1).output
    assert "No server runs" in said


def test_where_the_big_screen_is_and_what_it_shows(tmp_path):
    teacher = Teacher(tmp_path)
    assert "No server runs" in teacher.run("screen", code=1).output
    with ServerProcess(teacher.data) as server:
        where = f"The big screen is {server.web}/screen: open it in the browser at the projector."
        assert teacher.run("screen").stdout.splitlines() == [where, "Goes through its programme by itself."]
        teacher.run("screen", "hold")
        assert teacher.run("screen").stdout.splitlines()[1].startswith("Stays with what it shows.")
        assert json.loads(teacher.run("screen", "--json").stdout)["show"] == "hold"


def test_the_ceremony_is_begun_and_the_screen_says_how_far_it_is(tmp_path):
    teacher = Teacher(tmp_path)
    with closing(Store(teacher.data)) as store:
        title = play_tournament(store).spec.title
    with ServerProcess(teacher.data) as server:
        assert teacher.run("screen", "ceremony").stdout.startswith(f"Ceremony of {title}: 'screen next'")
        assert "Ceremony of" in teacher.run("screen", "next").stdout
        said = teacher.run("screen").stdout.splitlines()
        assert (said[0].startswith(f"The big screen is {server.web}/screen"), "Ceremony of" in said[1]) == (
            True,
            True,
        )
        assert teacher.run("screen", "auto").stdout == "Goes through its programme by itself.\n"


def test_one_of_a_kind_is_singular(teacher):
    alone = teacher.file(
        CUP + 'who = { players = ["ana", "bob"] }\nswap = false\nopenings = false\n[clock]\nmove_ms = 50\n'
    )
    assert "1 match: 1 minute if" in teacher("check", alone).stdout
    teacher("create", alone, "--start")
    assert "0 of 1 match played" in teacher("status", "cup").stdout
    assert "3 players, 0 without" in teacher.run("roster", "list").stdout
    for name in ("bob", "eva"):
        teacher.run("roster", "remove", name)
    assert "1 player, 0 without" in teacher.run("roster", "list").stdout
    assert sentence("withdrawn", {"code": "absent", "count": 1}) == "absent from 1 match in a row"
    assert sentence("withdrawn", {"code": "absent", "count": 11}) == "absent from 11 matches in a row"
