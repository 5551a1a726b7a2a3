"""The commands as a teacher types them."""

from __future__ import annotations

import json
import random
import sqlite3
import zipfile
from contextlib import closing

import pytest
import structlog
from tests.support.played import play_casual, play_tournament, rule
from typer.testing import CliRunner

from palestra_referee import canonical_json
from palestra_server.cli import records
from palestra_server.cli.main import app
from palestra_server.settings import ADDRESS_FILE
from palestra_server.store import NOTHING, Store, StoreError
from palestra_server.store.database import DATABASE

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path):
    """`run("export", ...)`: exit code, standard output, standard error; `--data` is added."""

    def call(command, *arguments):
        where = () if command == "verify" else ("--data", str(tmp_path / "data"))
        result = CliRunner().invoke(app, [command, *map(str, arguments), *where])
        return result.exit_code, result.stdout, result.stderr

    return call


@pytest.fixture
def folder(tmp_path):
    """A data folder with a tournament of three and a casual match, and no server."""
    with closing(Store(tmp_path / "data")) as store:
        play_tournament(store, players=3)
        play_casual(store, "casual", random.Random(1))
    return tmp_path / "data"


def test_from_the_records_to_a_verified_export(folder, run, tmp_path):
    code, said, _ = run("matches", "--limit", "3")
    assert code == 0
    assert len(said.splitlines()) == 3
    assert said.splitlines()[0].split()[2:7] == ["casual", "desconecta4", "guest", "-", "eva:"]
    code, said, _ = run("matches", "--player", "ada", "--game", "mancala", "--tournament", "cup", "--json")
    assert {(match["game"], match["tournament"]) for match in json.loads(said)} == {("mancala", "cup")}
    code, said, _ = run("export", "cup", "--out", tmp_path / "cup.zip")
    assert (code, said.splitlines()[0]) == (0, f"{tmp_path / 'cup.zip'} holds 12 matches and 1 tournament.")
    for path in (tmp_path / "cup.zip", folder):
        code, said, _ = run("verify", path)
        assert (code, said) == (0, f"verified: {12 if path.suffix else 13} matches, 1 tournament\n")
    (folder / ADDRESS_FILE).write_text("{}")  # a server runs on the first folder, and not on its copy
    code, said, _ = run("backup", "--out", tmp_path / "copy")
    assert not (tmp_path / "copy" / ADDRESS_FILE).exists()
    assert code == 0
    assert run("verify", tmp_path / "copy")[0] == 0


def test_what_cannot_be_done_is_said_in_a_sentence(folder, run, tmp_path):
    for command, why in (
        (("export", "cop", "--out", tmp_path / "cop.zip"), "There is no tournament called cop; there are cup."),
        (("export", "--out", tmp_path / "none" / "cup.zip"), "cannot be written (No such file"),
        (("export", "--out", folder / DATABASE / "cup.zip"), "cannot be written (Not a directory"),
        (("export", "--out", tmp_path), "is a folder: name a file, such as"),
        (("export", "--out", "."), ". is a folder: name a file, such as cup.zip."),
        (("backup", "--out", folder), "not empty"),
        (("verify", tmp_path / "nothing.zip"), "There is no"),
        (("verify", tmp_path), "holds no records"),
        (("verify", folder / DATABASE), "not verified: "),
    ):
        code, _, said = run(*command)
        assert code == 1
        assert why in said
        assert said.count("\n") == 1
    assert not list(tmp_path.glob("*cop*"))


def change(folder, statement, values=()):
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        db.execute("DROP TRIGGER IF EXISTS journal_no_update")
        db.execute(statement, values)
        db.commit()


def test_a_data_folder_that_was_changed_is_not_verified(folder, run):
    change(folder, "UPDATE matches SET return0 = 0.5 WHERE match_id = 'm2'")
    code, _, said = run("verify", folder)
    assert code == 1
    assert "match m2: 'returns' is [0.5," in said
    assert run("repair")[0] == 0
    assert run("verify", folder)[0] == 0


@pytest.mark.parametrize(
    ("damage", "why", "left", "held"),
    [
        (
            "DELETE FROM tournament_events WHERE seq = 1",
            "The tournament cup lacks its event 1.",
            1,
            "13 matches and 0 tournaments",
        ),
        (
            "UPDATE tournaments SET toml = 'name = cup'",
            "The tournament cup can't be replayed: ",
            1,
            "1 match and 0 tournaments",  # nobody can say whether it hides some
        ),
        (
            "UPDATE journal SET records = CAST('{}' AS BLOB) WHERE match_id = 'm2' AND seq = 3",
            "The tournament cup is not whole: its match m2 can't be read.",
            2,
            "12 matches and 0 tournaments",
        ),
        (
            "UPDATE journal SET records = CAST('{}' AS BLOB) WHERE match_id = 'casual' AND seq = 3",
            "The journal of match casual can't be read: A row of the journal is cut off: the database is damaged.",
            1,
            "12 matches and 1 tournament",
        ),
    ],
)
def test_what_is_damaged_is_left_out_of_an_export_of_everything(folder, run, tmp_path, damage, why, left, held):
    change(folder, damage)
    file = tmp_path / "all.zip"
    code, said, wrong = run("export", "--out", file)
    assert (code, said.splitlines()[0]) == (3, f"{file} holds {held}.")
    *sentences, last = wrong.splitlines()
    assert len(sentences) == left
    assert f"Left out: {why}" in sentences[0]
    assert last == "All that can be read is in the file, whose manifest names what is missing."
    with zipfile.ZipFile(file) as parts:
        left_out = json.loads(parts.read("manifest.json"))["left_out"]
    assert len(left_out["matches"]) + len(left_out["tournaments"]) == left
    code, said, _ = run("verify", file)
    lines = said.splitlines()
    assert (code, lines[0]) == (3, f"verified: {held.replace(' and', ',')}")
    assert lines[1 : left + 1] == [
        f"Left out: the {kind} {name}, because it is damaged."
        for kind, names in (("match", left_out["matches"]), ("tournament", left_out["tournaments"]))
        for name in names
    ]
    code, _, wrong = run("verify", folder)
    assert (code, why in wrong) == (1, True), "a data folder is whole, or is not verified"
    if "casual" not in damage:
        file.unlink()
        code, _, wrong = run("export", "cup", "--out", file)
        assert (code, file.exists(), wrong.count("\n")) == (1, False, 1), "what was asked for by name is all or nothing"


def test_a_match_that_goes_on_is_verified_as_far_as_it_is(folder, run):
    with closing(Store(folder)) as store:
        first = store.journal.read_lines("m1")[0].replace(b'"m1"', b'"open"')
        store.journal.append("open", 0, first)
    assert run("verify", folder)[0] == 0
    with closing(Store(folder)) as store:
        store.journal.append("open", 1, canonical_json({"type": "alarm", "at": 5}))
    assert "match open, record 1: 'alarm' changes nothing" in run("verify", folder)[2]


@pytest.mark.parametrize("table", ["matches", "journal", "sessions"])
def test_damaged_pages(folder, run, table):
    """The root page of a table is overwritten: one sentence at the start, and `repair` saves what there is."""
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with (folder / DATABASE).open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)
    with closing(Store(folder)) as store:
        reads = {"matches": store.journal.unfinished, "journal": lambda: store.journal.read_lines("m1")}
        if table in reads:
            with pytest.raises(StoreError, match=r"it is damaged\. Stop the server and run 'palestra-server repair'"):
                reads[table]()
            assert "it is damaged" in store.journal.trouble
    code, said, error = run("repair")
    assert "it is kept as" in said
    if table == "journal":
        assert code == 1
        assert "m1: The match m1 can't be replayed" in said
        assert "13 matches can't be read any more" in error
        with closing(Store(folder)) as store:
            assert len(store.journal.matches(50, NOTHING)) == 13  # the results that were announced stay listed
            assert store.journal.unfinished() == {}
        return
    assert (code, error) == (0, "")
    assert "13 matches are whole." in said
    assert run("verify", folder)[1] == "verified: 13 matches, 1 tournament\n"


def test_a_repair_that_waits_says_so_beside_its_answer(run, monkeypatch):
    def held(*_):
        structlog.get_logger().warning("database in use")
        raise StoreError("Another palestra-server uses it.")

    monkeypatch.setattr(records, "repair_store", held)
    code, said, error = run("repair")
    assert (code, said) == (1, "")
    assert "database in use" in error.splitlines()[0]
    assert error.splitlines()[1] == "Another palestra-server uses it."


def test_a_file_of_which_nothing_is_left(folder, run):
    (folder / DATABASE).write_bytes(b"nothing that could be read" * 1000)
    code, _, said = run("repair")
    assert code == 1
    assert "put a backup in its place" in said
    assert (folder / DATABASE).read_bytes().startswith(b"nothing")


def test_the_list_says_what_a_match_counts_as_by_ruling(folder, run):
    players = {match["match"]: match["players"] for match in json.loads(run("matches", "--json")[1])}
    with closing(Store(folder)) as store:
        rule(store, "m1", "void", "", "the Wi-Fi was gone")
        rule(store, "m2", "draw", "", "a mistake")
        rule(store, "m2", "win", players["m2"][0], "a stall")
    ruled = {line.split()[2]: line.partition(" By ")[2] for line in run("matches")[1].splitlines() if " By " in line}
    assert ruled == {
        "m1": "the teacher's ruling this match does not count: the Wi-Fi was gone",
        "m2": f"the teacher's ruling this match counts as a win of {players['m2'][0]}: a stall",
    }
    told = {match["match"]: match["ruling"] for match in json.loads(run("matches", "--json")[1]) if match["ruling"]}
    assert {match: ruling["verdict"] for match, ruling in told.items()} == {"m1": "void", "m2": "win"}


def test_a_hidden_round_is_in_no_file_and_no_list_unless_it_is_asked_for(tmp_path, run):
    with closing(Store(tmp_path / "data")) as store:
        t = play_tournament(store, more='embargo = "last-round"\n')
        rule(store, "m1", "void", "", "a stall")  # of the first round, while the last is hidden
    hidden = {result.match for result in t.results.values() if result.fixture.round == 3}
    others = {result.match for result in t.results.values()} - hidden

    def listed(*asked):
        return {match["match"] for match in json.loads(run("matches", "--json", *asked)[1])}

    def exported(*asked):
        code, said, _ = run("export", "--out", tmp_path / "all.zip", *asked)
        with zipfile.ZipFile(tmp_path / "all.zip") as parts:
            told = b"\n".join(parts.read(name) for name in parts.namelist()).decode()
        assert (code, run("verify", tmp_path / "all.zip")[0]) == (0, 0)
        return said, {match for match in hidden | others if f'"{match}"' in told}

    def standings(*asked):
        return json.loads(run("tournament", "standings", "cup", "--json", *asked)[1])

    def written(*asked):
        said = run("tournament", "export", "cup", "--out", tmp_path, *asked)[1]
        return said, (tmp_path / "cup" / "schedule.csv").read_text()

    assert (listed(), listed("--with-hidden")) == (others, hidden | others)
    assert ["a stall" in run("matches", *asked)[1] for asked in ((), ("--with-hidden",))] == [False, True]
    (said, held), (all_said, all_held) = exported(), exported("--with-hidden")
    assert (held, all_held) == (others, hidden | others)
    assert "Left out: the hidden round of cup. --with-hidden has it, too" in said
    assert "Left out" not in all_said
    assert {row["played"] for row in standings()} != {row["played"] for row in standings("--with-hidden")}
    assert "A hidden round is left out. --with-hidden" in run("tournament", "standings", "cup")[1]
    (said, rows), (all_said, all_rows) = written(), written("--with-hidden")
    assert "A hidden round is left out." in said
    assert "left out" not in all_said
    assert (sum(match in rows for match in hidden), all(match in all_rows for match in hidden)) == (0, True)
    assert run("verify", tmp_path / "data")[0] == 0, "the folder as a whole"
