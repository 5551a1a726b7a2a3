"""The file on disk: its tables, its version, and the lock that keeps a second server out.

`journal` is the truth and is only ever added to. `matches` is derived from it, for listings, and can be made anew.
Durability is SQLite's: WAL with synchronous=FULL, that is one fsync a commit (https://www.sqlite.org/wal.html).
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

DATABASE = "palestra.sqlite3"
LOCK = "palestra.lock"
VERSION = 2
"""Of the tables below, kept in `PRAGMA user_version`."""
APPLICATION_ID = 0x50414C45
"""Marks the file as ours (`PRAGMA application_id`)."""
OLDEST_SQLITE = (3, 37, 0)
"""The first with STRICT tables."""

_TABLES = """
CREATE TABLE journal (
    id       INTEGER PRIMARY KEY,
    match_id TEXT NOT NULL,
    seq      INTEGER NOT NULL,           -- of the first of its records, which count 0, 1, 2, ... in each match
    records  BLOB NOT NULL,              -- msgpack of referee.event_to_record, one or more behind each other
    wall_ms  INTEGER NOT NULL,           -- UTC, milliseconds since 1970; for people, never for the clock of a move
    UNIQUE (match_id, seq)
) STRICT;
CREATE TRIGGER journal_keeps_what_it_has BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END;
CREATE TRIGGER journal_loses_nothing BEFORE DELETE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END;

CREATE TABLE matches (
    match_id    TEXT NOT NULL UNIQUE,
    game        TEXT NOT NULL,
    first       TEXT NOT NULL,           -- the player of seat 0
    second      TEXT NOT NULL,
    tournament  TEXT,
    rated       INTEGER NOT NULL,
    created_ms  INTEGER NOT NULL,
    finished_ms INTEGER,                 -- this and what follows: NULL until the match is over
    plies       INTEGER,
    return0     REAL,
    return1     REAL,
    reason      TEXT,
    detail      TEXT
) STRICT;
CREATE INDEX matches_unfinished ON matches (match_id) WHERE finished_ms IS NULL;
CREATE INDEX matches_of_tournament ON matches (tournament) WHERE tournament IS NOT NULL;

CREATE TABLE sessions (
    hash       BLOB PRIMARY KEY,         -- SHA-256 of the session id, so that the file gives no session away
    player     TEXT NOT NULL,
    guest      INTEGER NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_player ON sessions (player, created_ms);
"""


class StoreError(Exception):
    """The data folder can't be used; `str()` is a sentence that says why and what to do."""


class JournalBroken(StoreError):
    """Something could not be written, so nothing is taken any more: what is announced must be on disk."""


def lock_folder(data: Path) -> sqlite3.Connection:
    """Holds the data folder for this process until the connection is closed or the process is gone, however it went.

    The lock is SQLite's own on an empty file, which is the same on every system. Raises StoreError if it is taken.
    """
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(data / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"The data folder {data} can't be used ({error}): choose another one.") from None
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            text = f"Another palestra-server uses the data folder {data}: stop it first, or choose another folder."
            raise StoreError(text) from None
        raise StoreError(f"The data folder {data} can't be locked ({error}): choose another one.") from None
    return lock


def open_writer(data: Path, busy_s: float) -> sqlite3.Connection:
    """The connection that writes; makes the tables in a new file. Raises StoreError if it is not for us."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreError(f"The SQLite library here is {sqlite3.sqlite_version}, and 3.37 or newer is needed.")
    path = data / DATABASE
    try:
        db = sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)
        try:
            _check(db, path)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            _create(db)
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise StoreError(f"The journal {path} can't be opened ({error}): repair it or choose another folder.") from None
    return db


def open_reader(data: Path) -> sqlite3.Connection:
    """A connection that only reads; it sees what is committed and never holds the writer up."""
    db = sqlite3.connect(data / DATABASE, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA query_only = TRUE")
    return db


def _check(db: sqlite3.Connection, path: Path) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (tables or application or version):
        raise StoreError(f"{path} is a database, but not a journal of Palestra: choose another data folder.")
    if 0 < version < VERSION:
        raise StoreError(
            f"The journal {path} is of version {version}, from before the first release, and can't be read any more: "
            "choose another data folder."
        )
    if version > VERSION:
        raise StoreError(
            f"The journal {path} is of version {version}, and this server knows up to {VERSION}: "
            "update palestra-server or choose another data folder."
        )


def _create(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA user_version").fetchone() == (VERSION,):
        return
    db.executescript(
        f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    )
