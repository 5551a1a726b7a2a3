"""Exports: whole ones are verified, and whatever is changed in one is named."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import subprocess
import sys
import zipfile
from contextlib import closing
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from sqlalchemy import event
from tests.support.forging import changed, lines_of, rewritten, without_matches, write
from tests.support.played import play_casual, play_out, play_tournament, settle

from palestra_referee.receipts import Kept
from palestra_server.store import NOTHING, Store, StoreError, open_archive
from palestra_server.store.database import Database
from palestra_tournament import Entrant
from palestra_tournament.season_tables import carry_over
from palestra_tournament.verify import verify_export

pytestmark = pytest.mark.slow

NO_EXTRAS = """
import sys
sys.modules["numpy"] = sys.modules["rustworkx"] = None  # as where they are not installed
from palestra_client.cli import main
sys.argv[1:1] = ["verify"]
main()
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A data folder with a round robin and two casual matches, and its export as bytes."""
    data = tmp_path_factory.mktemp("data")
    store = Store(data)
    play_casual(store, "casual", random.Random(1))
    play_tournament(store, players=3)
    play_casual(store, "late", random.Random(2), slow_ns=3_000_000_000)
    store.close()
    with open_archive(data, None) as archive:
        file = io.BytesIO()
        assert archive.export(file, "test/1") == (14, 1, 0, {}, [])
    return data, file.getvalue()


def test_a_whole_export_is_verified_and_holds_what_it_should(whole):
    _, export = whole
    assert str(verify_export(io.BytesIO(export))) == "verified: 14 matches, 1 tournament"
    with zipfile.ZipFile(io.BytesIO(export)) as files:
        tables = {f"tournaments/cup/{name}" for name in ("schedule.csv", "standings.csv", "crosstable.csv")}
        assert tables | {"matches.jsonl", "journal.jsonl", "tournaments/cup/events.jsonl"} <= set(files.namelist())
        entries = [json.loads(line) for line in files.read("matches.jsonl").splitlines()]
        late = next(entry for entry in entries if entry["match"] == "late")
        assert (late["reason"], late["tournament"], late["fixture"], late["round"]) == ("timeout", None, None, None)
        cup = [entry for entry in entries if entry["tournament"] == "cup"]
        assert {entry["fixture"].rpartition("-")[0] for entry in cup} == {entry["pair"] for entry in cup}
        assert cup[0]["moves"][0].keys() == {"ply", "seat", "action", "name", "charged_ms", "away_ms", "info"}
        assert cup[0]["moves"][0]["charged_ms"] == 0.999 or cup[0]["moves"][0]["charged_ms"] == 1


def test_receipts_that_were_kept_are_held_against_an_export(whole):
    _, export = whole
    with zipfile.ZipFile(io.BytesIO(export)) as files:
        entries = lines_of({"m": files.read("matches.jsonl")}, "m")
    kept = [Kept(entry["match"], entry["tournament"], entry["receipt"], 0) for entry in entries[:3]]
    report = verify_export(io.BytesIO(export), [*kept, Kept("elsewhere", None, "00", 0), kept[0]])
    assert str(report).splitlines() == [
        "verified: 14 matches, 1 tournament, 3 receipts",
        "Not compared: 1 receipt of matches outside of a tournament, which the file does not hold.",
    ]
    report = verify_export(io.BytesIO(export), [kept[0], kept[1]._replace(receipt="00" * 32)])
    assert not report.ok
    assert f"match {entries[1]['match']}: the receipt" in str(report)


@pytest.mark.parametrize("format", ["round-robin", "swiss"])
def test_matches_are_verified_where_the_extras_are_not_installed(open_store, tmp_path, format):
    store = open_store()
    play_tournament(store, format=format, players=3)
    with (tmp_path / "cup.zip").open("w+b") as file:
        played = store.archive.export(file, "test/1", ["cup"]).matches
    command = [sys.executable, "-c", NO_EXTRAS, "cup.zip"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    missing = "the tournaments (to check them too: pip install numpy rustworkx)"
    assert done.stdout.splitlines() == [
        f"verified: {played} matches, 0 tournaments; not checked: {missing}",
        "No receipts were compared: there is no palestra-receipts.jsonl in this folder.",
    ]


def test_a_module_of_ours_that_is_missing_is_not_taken_for_an_extra(open_store, tmp_path):
    store = open_store()
    play_tournament(store, players=3)
    with (tmp_path / "cup.zip").open("w+b") as file:
        store.archive.export(file, "test/1", ["cup"])
    program = NO_EXTRAS.replace("from", 'sys.modules["palestra_tournament.automaton"] = None\nfrom')
    done = subprocess.run([sys.executable, "-c", program, "cup.zip"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "palestra_tournament.automaton" in done.stderr


def in_line(name, find, put):
    """A change of one byte string in one file, once."""

    def change(files):
        assert find in files[name]
        files[name] = files[name].replace(find, put, 1)

    return change


def in_its_file(find, put):
    """The tournament's file, and the sum of it with which the tournament was created."""

    def change(files):
        in_line("tournaments/cup/tournament.toml", find, put)(files)
        events = lines_of(files, "tournaments/cup/events.jsonl")
        events[0]["file"] = hashlib.sha256(files["tournaments/cup/tournament.toml"]).hexdigest()
        write(files, "tournaments/cup/events.jsonl", events)

    return change


def a_field_of_matches(key, value, number=3):
    def change(files):
        entries = lines_of(files, "matches.jsonl")
        entries[number][key] = value
        write(files, "matches.jsonl", entries)

    return change


def another_move(records):
    move = next(record for record in records if record["type"] == "acted")
    move["action"] = (move["action"] + 1) % 6


def a_slower_clock(records):
    late = next(record for record in reversed(records) if record["type"] == "acted")
    late["arrived_at"] -= 2_500_000_000


def in_a_record(kind, key, value):
    def change(records):
        next(record for record in records if record["type"] == kind)[key] = value

    return lambda files: rewritten(files, "casual", change)


def another_charge(files):
    entries = lines_of(files, "matches.jsonl")
    entries[2]["moves"][1]["charged_ms"] += 1
    write(files, "matches.jsonl", entries)


def a_move_less(files):
    entries = lines_of(files, "matches.jsonl")
    entries[2]["moves"].pop()
    write(files, "matches.jsonl", entries)


def a_match_twice(files):
    for name in ("matches.jsonl", "journal.jsonl"):
        rows = lines_of(files, name)
        write(files, name, rows + [row for row in rows if row["match"] == "m2"])


def not_rated(files):
    def change(records):
        records[0]["config"]["rated"] = False

    entries = lines_of(files, "matches.jsonl")
    for entry in entries:
        entry["rated"] = entry["rated"] and entry["match"] != "m2"
    write(files, "matches.jsonl", entries)
    rewritten(files, "m2", change)


def a_record_too_many(files):
    rows = lines_of(files, "journal.jsonl")
    index = next(i for i, row in enumerate(rows) if row["match"] == "m2" and row["seq"] == 6)
    row = {"match": "m2", "seq": 7, "record": {"type": "alarm", "at": rows[index]["record"]["at"]}}
    for later in rows[index + 1 :]:
        if later["match"] == "m2":
            later["seq"] += 1
    write(files, "journal.jsonl", [*rows[: index + 1], row, *rows[index + 1 :]])


def a_match_less(files):
    without_matches(files, "m4")


def another_result(files):
    events = lines_of(files, "tournaments/cup/events.jsonl")
    ended = next(event for event in events if event["type"] == "ended" and event["returns"] != [0, 0])
    ended["returns"] = [-value for value in ended["returns"]]
    write(files, "tournaments/cup/events.jsonl", events)


def an_event_too_many(files):
    events = lines_of(files, "tournaments/cup/events.jsonl")
    write(files, "tournaments/cup/events.jsonl", [*events, {"type": "resumed", "at_ms": 1}])


def a_seed_in_words(files):
    in_its_file(b"seed = 7", b"")(files)
    in_line("tournaments/cup/events.jsonl", b'"seed":7', b'"seed":"7"')(files)


def another_entrant(files):
    events = lines_of(files, "tournaments/cup/events.jsonl")
    events[1]["entrants"][1]["name"] = "max"
    write(files, "tournaments/cup/events.jsonl", events)


EVENTS, STANDINGS = "tournaments/cup/events.jsonl", "tournaments/cup/standings.csv"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda files: rewritten(files, "casual", another_move), "match casual"),
        (lambda files: rewritten(files, "late", a_slower_clock), "match late"),
        (in_line("journal.jsonl", b'"action":', b'"action" :'), "match casual, record 6: its line .* not canonical"),
        (in_line("journal.jsonl", b'"seq":4', b'"seq":5'), "match casual, record 4"),
        (in_a_record("ready", "seat", 2), r"match casual, record \d: 'seat' is wrong. Input should be 0 or 1"),
        (in_a_record("ready", "seat", -1), r"match casual, record \d: 'seat' is wrong"),
        (in_a_record("turn", "at", 1.5), r"match casual, record \d: 'at' is wrong"),
        (in_a_record("acted", "stamp", "guess"), r"match casual, record 6: 'stamp' is wrong"),
        (in_a_record("acted", "note", 1), '"note" is no field of'),
        (a_record_too_many, "match m2, record 7: 'alarm' changes nothing"),
        (a_field_of_matches("reason", "resign"), "match m3: 'reason' is \"resign\", but its records give"),
        (a_field_of_matches("returns", [1, 1]), "match m3: 'returns'"),
        (a_field_of_matches("receipt", "00" * 32), "match m3: 'receipt'"),
        (a_field_of_matches("players", ["ada", "me"]), "match m3: 'players'"),
        (a_field_of_matches("started", "noon"), "match m3: 'started' is \"noon\", not a time of day"),
        (a_field_of_matches("moves", None), "match m3: matches.jsonl has no list of moves"),
        (another_charge, r"match m2, ply \d: 'charged_ms' is .*, but its records give"),
        (a_move_less, r"match m2: matches.jsonl has \d+ moves, but its records give \d+"),
        (a_match_twice, "match m2 is there twice"),
        (not_rated, "the rated of match m2 is false in its records"),
        (a_field_of_matches("round", 9), "match m3: fixture, round and pair"),
        (a_field_of_matches("more", 1), "match m3: matches.jsonl has the fields"),
        (a_match_less, "the export has no match m4"),
        (another_result, r"the returns of match m\d+ is"),
        (an_event_too_many, "event 26: 'resumed' does not fit here"),
        (a_seed_in_words, "event 1: 'seed' is wrong. Input should be a valid integer"),
        (another_entrant, "event 3: the players of match m1 is .* in its records, but"),
        (in_its_file(b"seed = 7", b"seed = 8"), "the seed is 7, but the file says 8"),
        (in_its_file(b"1000", b"1001"), "move_ms of match m1 is 1000 .* but 1001"),
        (in_line(EVENTS, b'"type":"began"', b'"type":"begun"'), "event 1: There is no record of type"),
        (in_line(STANDINGS, b"ada", b"eve"), 'standings.csv, line . has ".*eve.*" where the results give ".*ada'),
        (in_line(STANDINGS, b"\n", b"\r\n"), r"standings.csv, line 1 has .*repeats\\r\\n\" where .*repeats\\n\""),
        (lambda files: files.update({STANDINGS: files[STANDINGS][:-1]}), r'standings.csv, line 4 has .* give ".*\\n"'),
        (lambda files: files.pop(STANDINGS), "standings.csv is missing"),
        (lambda files: files.pop("journal.jsonl"), "journal.jsonl is missing"),
        (lambda files: files.update({"more.txt": b""}), "more.txt is no file of this export"),
    ],
)
def test_whatever_is_changed_is_named(whole, change, why):
    report = verify_export(changed(whole[1], change))
    assert report.wrong is not None
    assert re.search(why, report.wrong), report.wrong


def test_a_file_that_is_not_the_manifests(whole):
    change = in_line("matches.jsonl", b'"rated":true', b'"rated":null')
    assert "matches.jsonl is not the file that manifest.json describes" in str(
        verify_export(changed(whole[1], change, sums=False))
    )
    assert "can't be read as an export" in str(verify_export(io.BytesIO(whole[1][:-30])))
    assert "more.txt is no file of this export" in str(
        verify_export(changed(whole[1], lambda files: files.update({"more.txt": b""}), sums=False))
    )


@pytest.mark.parametrize("format", ["swiss", "elimination"])
def test_other_formats_on_both_databases(open_store, format):
    store = open_store()
    t = play_tournament(store, format=format, more="rounds = 3" if format == "swiss" else "")
    play_casual(store, "casual", random.Random(1))
    assert t.phase == "completed"
    file = io.BytesIO()
    matches, tournaments, *_ = store.archive.export(file, "test/1", ["cup"])
    report = verify_export(file)
    assert report.wrong is None
    assert (report.matches, report.tournaments) == (matches, tournaments) == (len(t.results), 1)
    with pytest.raises(StoreError, match="no tournament called cop; there are cup"):
        store.archive.export(io.BytesIO(), "test/1", ["cop"])


def test_a_backup_is_a_data_folder(open_store, tmp_path):
    store = open_store()
    play_tournament(store, players=3)
    store.journal.save_session("s", "ada", False)
    (tmp_path / "data" / "teacher.key").write_text("secret")
    before = io.BytesIO()
    store.archive.export(before, "test/1")
    store.archive.backup(tmp_path / "data", tmp_path / "copy")
    with pytest.raises(StoreError, match="not empty"):
        store.archive.backup(tmp_path / "data", tmp_path / "copy")
    assert (tmp_path / "copy" / "teacher.key").read_text() == "secret"
    copy = Store(tmp_path / "copy")
    assert copy.archive.server_id() == store.archive.server_id() != ""
    after = io.BytesIO()
    copy.archive.export(after, "test/1")
    assert [match.receipt for match in copy.journal.matches(50, NOTHING)] == [
        match.receipt for match in store.journal.matches(50, NOTHING)
    ]
    copy.journal.append("new", 0, b'{"at":0,"ply":0,"type":"turn"}')
    copy.close()
    assert verify_export(after).ok


def test_a_backup_that_does_not_fit_says_so_and_leaves_nothing(open_store, tmp_path, monkeypatch):
    def full(*args: Any, **options: Any) -> Database:
        database = Database(*args, **options)
        # As large as it is once it has its tables, and no larger.
        event.listen(database.writer, "commit", lambda db: db.exec_driver_sql("PRAGMA max_page_count = 1"))
        return database

    store = open_store()
    play_tournament(store, players=3)
    (tmp_path / "data").mkdir(exist_ok=True)
    with monkeypatch.context() as patch:
        patch.setattr("palestra_server.store.archive.Database", full)
        with pytest.raises(OSError, match="full"):
            store.archive.backup(tmp_path / "data", tmp_path / "copy")
    assert list((tmp_path / "copy").iterdir()) == []
    store.archive.backup(tmp_path / "data", tmp_path / "copy")


@pytest.mark.parametrize(("wrong", "told"), [(0, ""), (1, "follows other ratings than those of cup")])
def test_ratings_that_were_carried_over_are_computed_again(tmp_path, wrong, told):
    season = 'name = "year"\ntournaments = ["cup", "next"]\nseeding = "ratings"\n'
    file = 'name = "next"\ngames = ["connect4"]\nformat = "swiss"\nseed = 7\n[clock]\nmove_ms = 1000\n'
    players = [Entrant(name) for name in ("mia", "ada", "new")]
    with closing(Store(tmp_path / "data")) as store, (tmp_path / "made.zip").open("w+b") as export:
        store.seasons.create("year", season)
        cup = play_tournament(store, players=4)
        carried = carry_over("year", [(cup, len(store.tournaments.read("cup")[1]))], [one.name for one in players])
        carried = replace(carried, ratings={name: elo + wrong for name, elo in carried.ratings.items()})
        play_out(store, file, players, random.Random(1), count(9_000_000), count(500), lambda *_: {}, carried=carried)
        settle(store)
        store.archive.export(export, "test/1")
        alone = io.BytesIO()
        store.archive.export(alone, "test/1", ["next"])
        store.seasons.delete("year")
        store.seasons.create("year", season.replace("ratings", "own"))
        later = io.BytesIO()
        store.archive.export(later, "test/1")
    report = verify_export(tmp_path / "made.zip")
    assert (report.ok, told in str(report)) == (not wrong, True)
    assert any("Not checked: the ratings" in remark for remark in verify_export(alone).remarks)
    changed = verify_export(later)
    assert (changed.ok, any("does not carry over now" in remark for remark in changed.remarks)) == (
        not wrong,
        not wrong,
    )
