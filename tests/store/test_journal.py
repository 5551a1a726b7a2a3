"""What goes in comes out, in order, and only once it is committed; the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from hashlib import sha256

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from palestra_referee import Durable, TurnWritten, event_from_line, receipt, record_line, replay, step
from palestra_server.store import NOTHING, JournalBroken, MatchSummary, Session, StoreError, repair
from palestra_server.store.database import Database
from palestra_server.store.writer import Writer


def turn(ply):
    return record_line(TurnWritten(ply, ply * 1000))


@pytest.fixture
def by_hand(tmp_path, database):
    """The database as an administrator has it, beside the store; `by_hand(statement)` gives the rows, if any."""
    db = Database(tmp_path / "data", database, 5.0)

    def execute(statement, **values):
        with db.readers.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("PRAGMA query_only = FALSE")
            result = connection.execute(text(statement), values)
            return result.all() if result.returns_rows else None

    yield execute
    db.close()


def test_records_come_back_as_they_were_in_the_order_of_their_numbers(journal, saved):
    for ply in range(50):
        for match_id in ("a", "b"):
            journal.append(match_id, ply, turn(ply))
    assert saved(journal) is None
    assert journal.read_lines("a") == journal.read_lines("b") == [turn(ply) for ply in range(50)]
    assert journal.read_lines("c") == []


def test_several_records_in_one_row(journal, saved):
    journal.append("m", 0, turn(0))
    journal.append("m", 1, turn(1), turn(2))
    journal.append("m", 3, turn(3))
    saved(journal)
    assert journal.read_lines("m") == [turn(number) for number in range(4)]


def test_a_match_is_replayed_from_disk(open_store, saved, play):
    store = open_store()
    match = play(store.journal, "m", resigns=0)
    saved(store.journal)
    store.close()
    events = [event_from_line(line) for line in open_store().journal.read_lines("m")]
    assert replay(events) == step(match, Durable(9))[0]


def test_a_missing_record_is_noticed(journal, saved):
    for seq in (0, 1, 3):
        journal.append("m", seq, turn(seq))
    saved(journal)
    with pytest.raises(StoreError, match="lacks its record 2"):
        journal.read_lines("m")


def test_a_row_that_is_cut_off(journal, saved, by_hand):
    journal.append("whole", 0, turn(0))
    saved(journal)
    whole = turn(1) + b"\n" + turn(2) + b"\n"
    for size in range(1, len(whole)):
        values = {"match": f"cut-{size}", "records": whole[:size]}
        by_hand("INSERT INTO journal (match_id, seq, records, wall_ms) VALUES (:match, 0, :records, 0)", **values)
    for size in range(1, len(whole)):
        if size == len(turn(1)) + 1:  # the first of two records
            continue
        with pytest.raises(StoreError, match=rf"match cut-{size} can't be read: .* cut off"):
            journal.read_lines(f"cut-{size}")


def test_when_durable_is_told_after_the_commit_and_in_the_order_asked(journal, by_hand):
    told = []
    done = threading.Event()

    def committed(number):
        told.append((number, by_hand("SELECT count(*) FROM journal")[0][0] >= number))

    for number in range(1, 201):
        journal.append("m", number - 1, turn(number))
        journal.when_durable(lambda error, number=number: committed(number) if error is None else told.append(error))
    journal.when_durable(lambda _: done.set())
    assert done.wait(60)
    assert told == [(number, True) for number in range(1, 201)]


def test_when_nothing_is_queued_all_is_durable(journal, saved):
    assert saved(journal) is None


def test_a_callback_that_fails_keeps_no_other_from_being_told(journal, saved):
    journal.when_durable(lambda _: 1 / 0)
    assert saved(journal) is None
    journal.append("m", 0, turn(0))
    assert saved(journal) is None


def test_close_writes_what_is_queued_and_then_refuses(open_store):
    store = open_store()
    for seq in range(500):
        store.journal.append("m", seq, turn(seq))
    store.close()
    store.close()
    for late in (lambda: store.journal.append("m", 500, turn(500)), lambda: store.journal.when_durable(print)):
        with pytest.raises(JournalBroken, match="closed"):
            late()
    again = open_store().journal
    assert len(again.read_lines("m")) == 500


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
        seen.append(len(journal.read_lines("0")))  # raises if it sees a gap
        saved(journal)
    for writer in writers:
        writer.join()
    saved(journal)
    assert seen == sorted(seen)
    assert [len(journal.read_lines(str(number))) for number in range(threads)] == [rows] * threads


def test_nothing_in_the_journal_is_changed_or_taken_away(journal, saved, by_hand):
    journal.append("m", 0, turn(0))
    saved(journal)
    for statement in ("DELETE FROM journal", "UPDATE journal SET seq = 7"):
        with pytest.raises(DBAPIError, match="only ever added to"):
            by_hand(statement)
    assert journal.read_lines("m") == [turn(0)]


def test_a_number_used_twice_is_a_fault_and_none_of_its_batch_is_kept(open_store, saved):
    told = []
    journal = open_store(on_fault=told.append).journal
    journal.append("m", 0, turn(0))
    assert saved(journal) is None
    journal.append("n", 0, turn(0))
    journal.append("m", 0, turn(0))
    error = saved(journal)
    assert isinstance(error, JournalBroken)
    assert str(journal.broken) == str(told[0]) == str(error)
    assert journal.read_lines("n") == []
    with pytest.raises(JournalBroken, match="can't be written any more"):
        journal.append("m", 1, turn(1))


def hold(journal):
    """Keeps the thread that writes busy until the event is set."""
    busy, held = threading.Event(), threading.Event()
    journal.when_durable(lambda _: (busy.set(), held.wait(60)))
    assert busy.wait(60)
    return held


@pytest.mark.parametrize("session", [False, True], ids=["a match that begins", "and a session"])
def test_a_batch_with_more_than_rows_is_kept_as_a_whole_or_not_at_all(open_store, saved, play, session):
    journal = open_store().journal
    journal.append("m", 0, turn(0))
    assert saved(journal) is None
    held = hold(journal)
    play(journal, "n")
    if session:
        journal.save_session("s", "ada", False)
    journal.append("m", 0, turn(0))
    held.set()
    assert isinstance(saved(journal), JournalBroken)
    assert journal.read_lines("n") == []
    assert journal.matches(50, NOTHING) == []
    assert journal.session("s") is None


def test_rows_that_nobody_waits_for_are_written_all_the_same(journal):
    for seq in range(30):
        journal.append("m", seq, turn(seq))
        while len(journal.read_lines("m")) == seq:
            pass


def test_records_of_a_match_gather_until_somebody_waits_and_a_session_does_not(open_store, saved, play, monkeypatch):
    hurried = []
    hurry = Writer._hurry
    monkeypatch.setattr(Writer, "_hurry", lambda writer: (hurried.append(writer), hurry(writer)))
    monkeypatch.setattr("palestra_server.store.writer.GATHER_S", 3600)
    journal = open_store().journal
    play(journal, "m", resigns=0)
    play(journal, "n")
    journal.append("n", 1, turn(1))
    assert not hurried
    assert saved(journal) is None  # not in an hour
    assert len(hurried) == 1
    assert [match.match for match in journal.matches(50, NOTHING)] == ["n", "m"]
    journal.save_session("s", "ada", False)
    assert len(hurried) == 2
    while journal.session("s") is None:
        pass


def test_batches_grow_while_the_writer_is_held_up(journal, saved):
    """Group commit: what gathers while the thread is busy is told together."""
    held = hold(journal)
    told = []
    for seq in range(50):
        journal.append("m", seq, turn(seq))
        journal.when_durable(lambda _: told.append(len(journal.read_lines("m"))))
    held.set()
    assert saved(journal) is None
    assert told == [50] * 50


# listings


def test_the_listing_says_how_matches_ended(journal, saved, play):
    play(journal, "one", resigns=1, tournament="cup", rated=True)
    play(journal, "two", game="mancala", tournament="cup", players=("eva", "ada"))
    play(journal, "three", resigns=0)
    saved(journal)
    three, two, one = journal.matches(50, NOTHING)
    assert one == MatchSummary(
        number=one.number,
        match="one",
        game="connect4",
        players=("ada", "bob"),
        tournament="cup",
        opening="[3]",
        versions=("", ""),
        rated=True,
        created_ms=one.created_ms,
        finished_ms=one.finished_ms,
        plies=1,
        returns=(1.0, -1.0),
        reason="resign",
        why={"code": "resigned", "player": "bob", "ply": 1},
        receipt=receipt(journal.read_lines("one")),
    )
    assert one.created_ms <= one.finished_ms
    assert (two.match, two.game, two.finished_ms, two.returns, two.receipt) == ("two", "mancala", None, None, None)
    assert three.returns == (-1.0, 1.0)
    assert list(journal.unfinished()) == ["two"]
    assert journal.matches(50, NOTHING, tournament="cup") == [two, one]
    assert journal.matches(1, NOTHING) == [three]
    assert journal.matches(50, NOTHING, before="three") == [two, one]
    assert journal.matches(50, NOTHING, before="nowhere") == []
    assert journal.matches(50, NOTHING, player="ada", game="mancala") == [two]
    assert journal.matches(50, NOTHING, player="bob") == [three, one]
    assert (journal.matches(50, NOTHING, lost_by="ada"), journal.matches(50, NOTHING, lost_by="bob")) == (
        [three],
        [one],
    )
    assert [journal.summary(each) for each in ("three", "one", "none")] == [three, one, None]


def test_the_listing_is_made_anew_from_the_journal_and_what_cannot_be_replayed_is_named(
    tmp_path, database, open_store, saved, play, by_hand
):
    store = open_store()
    play(store.journal, "one", resigns=1)
    play(store.journal, "two", tournament="cup")
    store.journal.append("bad", 0, turn(0))
    saved(store.journal)
    before = store.journal.matches(50, NOTHING)
    store.close()
    by_hand("DELETE FROM matches WHERE match_id = 'two'")
    by_hand("UPDATE matches SET reason = 'rules', finished_ms = 1, receipt = 'mine'")
    result = repair(tmp_path / "data", database)
    assert (result.whole, list(result.lost), result.kept) == (2, ["bad"], None)
    again = open_store().journal
    assert [(row.match, row.reason, row.receipt) for row in again.matches(50, NOTHING)] == [
        (row.match, row.reason, row.receipt) for row in before
    ]
    assert list(again.unfinished()) == ["two"]


# sessions


def test_the_newest_session_of_a_player_is_known_by_order(journal, saved):
    for session, player in (("old", "eva"), ("new", "eva"), ("other", "ada")):
        journal.save_session(session, player, True)
    saved(journal)
    assert [journal.session(session).newest for session in ("old", "new", "other")] == [False, True, True]
    recent = journal.recent_sessions(10)
    assert [(known.player, known.newest) for known in recent.values()] == [("eva", False), ("eva", True), ("ada", True)]
    assert recent[sha256(b"new").digest()] == journal.session("new")
    assert [known.player for known in journal.recent_sessions(1).values()] == ["ada"]


def test_a_session_outlives_the_server_and_is_not_in_its_tables(open_store, saved, by_hand):
    store = open_store()
    store.journal.save_session("secret-one", "ada", False, token_hash="ab" * 32)
    store.journal.save_session("secret-two", "guest", True)
    saved(store.journal)
    store.close()
    again = open_store().journal
    ada, guest = again.session("secret-one"), again.session("secret-two")
    assert ada == Session("ada", False, newest=True, token_hash="ab" * 32)
    assert (guest.player, guest.guest, guest.token_hash) == ("guest", True, None)
    assert again.session("secret-three") is None
    assert "secret" not in repr(by_hand("SELECT * FROM sessions"))


def test_sessions_that_are_old_or_too_many_are_forgotten(open_store, saved, by_hand, monkeypatch):
    store = open_store()
    for name in "abc":
        store.journal.save_session(name, name, True)
    saved(store.journal)
    by_hand("UPDATE sessions SET created_ms = 0 WHERE player = 'b'")
    store.close()
    monkeypatch.setattr("palestra_server.store.journal.SESSIONS_MAX", 2)
    store = open_store()
    store.journal.save_session("d", "d", True)  # the first one of a server prunes
    saved(store.journal)
    assert [name for name in "abcd" if store.journal.session(name)] == ["c", "d"]
