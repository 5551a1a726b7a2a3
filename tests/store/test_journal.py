"""What goes in comes out, in order, and only once it is on disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading

import pytest

from palestra_referee import Durable, TurnWritten, event_from_record, event_to_record, replay, step
from palestra_server.store import Journal, JournalBroken, MatchSummary, Session, StoreError, rebuild_summaries
from palestra_server.store.schema import DATABASE, VERSION


def turn(ply):
    return event_to_record(TurnWritten(ply, ply * 1000))


def test_records_come_back_as_they_were_in_the_order_of_their_numbers(journal, saved):
    for ply in range(50):
        for match_id in ("a", "b"):
            journal.append(match_id, ply, turn(ply))
    assert saved(journal) is None
    assert journal.read_match("a") == journal.read_match("b") == [turn(ply) for ply in range(50)]
    assert journal.read_match("c") == []


def test_a_match_is_replayed_from_disk(tmp_path, journal, saved, play):
    match = play(journal, "m", resigns=0)
    saved(journal)
    journal.close()
    reopened = Journal(tmp_path / "data")
    events = [event_from_record(record) for record in reopened.read_match("m")]
    reopened.close()
    assert replay(events) == step(match, Durable(9))[0]


def test_a_missing_record_is_noticed(journal, saved):
    for seq in (0, 1, 3):
        journal.append("m", seq, turn(seq))
    saved(journal)
    with pytest.raises(StoreError, match="lacks its record 2"):
        journal.read_match("m")


def test_when_durable_is_told_after_the_commit_and_in_the_order_asked(tmp_path, journal):
    told = []
    done = threading.Event()
    other = sqlite3.connect(tmp_path / "data" / DATABASE, check_same_thread=False)

    def committed(number):
        # What another connection sees is committed.
        told.append((number, other.execute("SELECT count(*) FROM journal").fetchone()[0] >= number))

    for number in range(1, 201):
        journal.append("m", number - 1, turn(number))
        journal.when_durable(lambda error, number=number: committed(number) if error is None else told.append(error))
    journal.when_durable(lambda _: done.set())
    assert done.wait(60)
    other.close()
    assert told == [(number, True) for number in range(1, 201)]


def test_when_nothing_is_queued_all_is_durable(journal, saved):
    assert saved(journal) is None


def test_a_callback_that_fails_keeps_no_other_from_being_told(journal, saved):
    journal.when_durable(lambda _: 1 / 0)
    assert saved(journal) is None
    journal.append("m", 0, turn(0))
    assert saved(journal) is None


def test_a_turn_is_written_with_the_next_record_and_by_close(tmp_path, journal, saved):
    journal.append("m", 0, turn(0))
    journal.append("n", 0, turn(0))
    journal.close()
    again = Journal(tmp_path / "data")
    assert again.read_match("m") == again.read_match("n") == [turn(0)]
    again.append("m", 1, turn(1))
    saved(again)
    assert len(again.read_match("m")) == 2
    again.close()


def test_records_from_many_threads_are_read_while_they_are_written(journal, saved):
    threads, rows = 4, 300
    seen = []

    def write(name):
        for seq in range(rows):
            journal.append(name, seq, turn(seq))

    writers = [threading.Thread(target=write, args=(str(number),)) for number in range(threads)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        seen.append(len(journal.read_match("0")))  # raises if it sees a gap
        saved(journal)
    for writer in writers:
        writer.join()
    saved(journal)
    assert seen == sorted(seen)
    assert [len(journal.read_match(str(number))) for number in range(threads)] == [rows] * threads


def test_close_writes_what_is_queued_and_then_refuses(tmp_path, journal):
    for seq in range(500):
        journal.append("m", seq, turn(seq))
    journal.close()
    journal.close()
    for late in (lambda: journal.append("m", 500, turn(500)), lambda: journal.when_durable(print)):
        with pytest.raises(JournalBroken, match="closed"):
            late()
    reopened = Journal(tmp_path / "data")
    assert len(reopened.read_match("m")) == 500
    reopened.close()


def test_nothing_in_the_journal_is_changed_or_taken_away(tmp_path, journal, saved):
    journal.append("m", 0, turn(0))
    saved(journal)
    db = sqlite3.connect(tmp_path / "data" / DATABASE)
    for statement in ("DELETE FROM journal", "UPDATE journal SET seq = 7"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added to"):
            db.execute(statement)
    db.close()


# listings


def test_the_listing_says_how_matches_ended(journal, saved, play):
    play(journal, "one", resigns=1, tournament="cup", rated=True)
    play(journal, "two", game="mancala", tournament="cup")
    play(journal, "three", resigns=0)
    saved(journal)
    three, two, one = journal.matches()
    assert one == MatchSummary(
        match="one",
        game="connect4",
        players=("ada", "bob"),
        tournament="cup",
        rated=True,
        created_ms=one.created_ms,
        finished_ms=one.finished_ms,
        plies=1,
        returns=(1.0, -1.0),
        reason="resign",
        detail="bob resigned at ply 1.",
    )
    assert one.created_ms <= one.finished_ms
    assert (two.match, two.game, two.finished_ms, two.returns, two.reason) == ("two", "mancala", None, None, None)
    assert three.returns == (-1.0, 1.0)
    assert journal.unfinished() == ["two"]
    assert [row.match for row in journal.matches(tournament="cup")] == ["two", "one"]
    assert [row.match for row in journal.matches(1)] == ["three"]


def test_the_listing_can_be_made_anew_from_the_journal(tmp_path, journal, saved, play):
    play(journal, "one", resigns=1)
    play(journal, "two", tournament="cup")
    saved(journal)
    before = journal.matches()
    journal.close()
    db = sqlite3.connect(tmp_path / "data" / DATABASE)
    db.execute("DELETE FROM matches WHERE match_id = 'one'")
    db.execute("UPDATE matches SET reason = 'rules', finished_ms = 1")
    db.commit()
    db.close()
    assert rebuild_summaries(tmp_path / "data") == 2
    again = Journal(tmp_path / "data")
    assert again.matches() == before
    assert again.unfinished() == ["two"]
    with pytest.raises(StoreError, match="Another palestra-server"):
        rebuild_summaries(tmp_path / "data")
    again.close()


def test_a_match_that_cannot_be_replayed_leaves_the_listing_as_it_was(tmp_path, journal, saved, play):
    play(journal, "one", resigns=1)
    journal.append("bad", 0, turn(0))
    saved(journal)
    journal.close()
    with pytest.raises(StoreError, match="match bad can't be replayed"):
        rebuild_summaries(tmp_path / "data")
    again = Journal(tmp_path / "data")
    assert [row.match for row in again.matches()] == ["one"]
    again.close()


# sessions


def test_the_newest_session_of_a_player_is_known(journal, saved, monkeypatch):
    for ms, (session, player) in enumerate((("old", "eva"), ("new", "eva"), ("other", "ada"))):
        monkeypatch.setattr("palestra_server.store.journal._wall_ms", lambda ms=ms: ms)
        journal.save_session(session, player, True)
    saved(journal)
    assert [journal.session(session).newest for session in ("old", "new", "other")] == [False, True, True]


def test_a_session_outlives_the_server_and_is_not_in_the_file(tmp_path, journal, saved):
    journal.save_session("secret-one", "ada", False)
    journal.save_session("secret-two", "guest", True)
    saved(journal)
    journal.close()
    again = Journal(tmp_path / "data")
    ada, guest = again.session("secret-one"), again.session("secret-two")
    assert ada == Session("ada", False, ada.created_ms, newest=True)
    assert (guest.player, guest.guest) == ("guest", True)
    assert again.session("secret-three") is None
    again.close()
    for file in (tmp_path / "data").iterdir():
        assert b"secret" not in file.read_bytes()


# the folder


def test_a_second_server_on_the_same_folder_is_refused(tmp_path, journal, saved):
    with pytest.raises(StoreError, match="Another palestra-server uses the data folder"):
        Journal(tmp_path / "data")
    code = "import pathlib, sys; from palestra_server.store import Journal; Journal(pathlib.Path(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(tmp_path / "data")]
    other = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Another palestra-server uses the data folder" in other.stderr
    journal.append("m", 0, turn(0))
    assert saved(journal) is None
    journal.close()
    Journal(tmp_path / "data").close()


@pytest.mark.parametrize(
    ("version", "why"),
    [(VERSION + 1, f"and this server knows up to {VERSION}"), (VERSION - 1, "from before the first")],
)
def test_a_journal_of_another_version_is_refused_and_left_alone(tmp_path, journal, version, why):
    journal.close()
    db = sqlite3.connect(tmp_path / "data" / DATABASE)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with pytest.raises(StoreError, match=f"of version {version}, {why}"):
        Journal(tmp_path / "data")
    db = sqlite3.connect(tmp_path / "data" / DATABASE)
    assert db.execute("PRAGMA user_version").fetchone() == (version,)
    db.close()


def test_a_file_of_somebody_else_is_refused(tmp_path):
    db = sqlite3.connect(tmp_path / DATABASE)
    db.execute("CREATE TABLE journal (mine TEXT)")
    db.commit()
    db.close()
    with pytest.raises(StoreError, match="not a journal of Palestra"):
        Journal(tmp_path)
    (tmp_path / DATABASE).write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="can't be opened"):
        Journal(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can't be used"):
        Journal(tmp_path / "file" / "data")
    os.mkdir(tmp_path / "palestra.lock")
    with pytest.raises(StoreError, match="can't be"):
        Journal(tmp_path)


def test_several_records_in_one_row(journal, saved):
    journal.append("m", 0, turn(0))
    journal.append("m", 1, turn(1), turn(2))
    journal.append("m", 3, turn(3))
    saved(journal)
    assert journal.read_match("m") == [turn(number) for number in range(4)]


def test_a_row_that_is_cut_off(tmp_path, journal, saved):
    journal.append("m", 0, turn(1), turn(2))
    saved(journal)
    with sqlite3.connect(tmp_path / "data" / DATABASE) as db:
        db.execute("DROP TRIGGER journal_keeps_what_it_has")
        ((whole,),) = db.execute("SELECT records FROM journal").fetchall()
        for size in set(range(1, len(whole))) - {len(whole) // 2}:  # half of it is the first of two records
            db.execute("UPDATE journal SET records = ?", (whole[:size],))
            db.commit()
            with pytest.raises(StoreError, match=r"match m can't be read: .* cut off"):
                journal.read_match("m")
