"""Full disks, held files, lost databases, killed servers: what was called durable is there, and everything else is
reported."""

from __future__ import annotations

import queue
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
from urllib.parse import urlsplit

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError
from tests.support.databases import end_who_waits, postgresql_schema
from tests.support.players import PATIENCE_S

from palestra_referee import TurnWritten, record_line
from palestra_server.store import PlayerRow, Store, StoreError
from palestra_server.store.database import DATABASE, Database

pytestmark = pytest.mark.process

RECORD = record_line(TurnWritten(1, 1000))

WRITES_UNTIL_KILLED = """
import itertools, os, sys
from pathlib import Path
from palestra_referee import TurnWritten, record_line
from palestra_server.store import PlayerRow, Store, StoreError

journal = Store(Path(sys.argv[1]), *sys.argv[2:]).journal
def durable(error, seq):
    os.write(1, f"{seq} {'ok' if error is None else error}\\n".encode())
for seq in itertools.count():
    journal.append("m", seq, record_line(TurnWritten(seq, seq)))
    journal.when_durable(lambda error, seq=seq: durable(error, seq))
    if seq % 50 == 49:
        sys.stdin.readline()
"""

FILLS_THE_DISK = """
import os, resource, sys, time
from pathlib import Path
import structlog
from palestra_referee import TurnWritten, record_line
from palestra_server.store import Store

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # one line at a time, also from two threads
store = Store(Path(sys.argv[1]), retry_s=0.02, on_trouble=lambda why: say("TROUBLE", why))
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, limits[1]))
for seq in range(20_000):
    store.journal.append("m", seq, record_line(TurnWritten(seq, seq)))
    if seq % 200 == 0:
        store.journal.when_durable(lambda error, seq=seq: say("DURABLE", seq, error is None))
while store.journal.trouble is None:
    time.sleep(0)
say("ROOM")
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
store.close()
say("CLOSED")
"""


def test_what_was_called_durable_survives_a_kill(tmp_path, database):
    server = subprocess.Popen(
        [sys.executable, "-c", WRITES_UNTIL_KILLED, str(tmp_path / "data"), *([database] if database else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    durable = []
    for line in server.stdout:
        seq, result = line.split()
        assert result == "ok"
        durable.append(int(seq))
        if durable[-1] % 50 == 49:
            server.stdin.write("\n")
        if len(durable) >= 700:
            break
    server.send_signal(signal.SIGKILL)
    durable += [int(seq) for seq in re.findall(r"^(\d+) ok$", server.stdout.read(), re.MULTILINE)]
    server.stdin.close()
    server.stdout.close()
    assert server.wait() == -signal.SIGKILL
    assert durable == list(range(len(durable)))
    assert len(durable) >= 700

    store = Store(tmp_path / "data", database, wait_s=PATIENCE_S)
    records = store.journal.read_lines("m")
    store.close()
    assert len(records) >= len(durable)
    assert records == [record_line(TurnWritten(seq, seq)) for seq in range(len(records))]


def test_a_full_disk_is_told_and_what_waited_is_written_once_there_is_room(tmp_path):
    pytest.importorskip("resource", reason="this system has no limit on the size of files")
    server = subprocess.run(
        [sys.executable, "-c", FILLS_THE_DISK, str(tmp_path)], capture_output=True, text=True, check=True
    )
    lines = server.stdout.splitlines()
    troubles = [line for line in lines if line.startswith("TROUBLE")]
    assert troubles[0].startswith("TROUBLE The database ")
    assert "can't be written right now" in server.stdout
    assert troubles[-1] == "TROUBLE None"
    # While there is no room nobody is told that anything is durable; afterwards everybody, once and in order. (A new
    # connection may find room of its own, when SQLite empties its log into the other file.)
    trouble = "TROUBLE None"
    for line in lines:
        if line.startswith("TROUBLE"):
            trouble = line
        assert trouble == "TROUBLE None" or not line.startswith("DURABLE")
    assert re.findall(r"^DURABLE (\d+) True$", server.stdout, re.MULTILINE) == [str(n) for n in range(0, 20_000, 200)]
    assert lines[-1] == "CLOSED"

    store = Store(tmp_path)
    assert store.journal.read_lines("m") == [record_line(TurnWritten(seq, seq)) for seq in range(20_000)]
    store.close()


def test_a_file_held_too_long_by_another_program_is_told_and_then_written(tmp_path, saved):
    told = queue.SimpleQueue()
    store = Store(tmp_path, busy_s=0.02, retry_s=0.01, on_trouble=told.put)
    journal = store.journal
    journal.append("m", 0, RECORD)
    assert saved(journal) is None
    assert journal.trouble is None
    other = sqlite3.connect(tmp_path / DATABASE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.append("m", 1, RECORD)
    trouble = told.get(timeout=60)
    assert "locked" in trouble
    assert journal.trouble == trouble
    assert journal.read_lines("m") == [RECORD]
    journal.append("m", 2, RECORD)
    journal.save_session("s", "ada", False)
    other.execute("ROLLBACK")
    other.close()
    assert saved(journal) is None
    assert told.get(timeout=60) is None
    assert journal.trouble is None
    assert journal.read_lines("m") == [RECORD] * 3
    assert journal.session("s").player == "ada"
    store.close()


def test_a_server_that_stops_while_the_file_is_held_tells_that_the_rest_is_not_kept(tmp_path):
    told, answer = queue.SimpleQueue(), queue.SimpleQueue()
    store = Store(tmp_path, busy_s=0.02, retry_s=60, on_trouble=told.put)
    other = sqlite3.connect(tmp_path / DATABASE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.journal.append("m", 0, RECORD)
    store.journal.when_durable(answer.put)
    assert told.get(timeout=60) is not None
    store.close()
    assert "can't be written any more" in str(answer.get(timeout=60))
    other.close()
    again = Store(tmp_path)
    assert again.journal.read_lines("m") == []
    again.close()


def test_a_database_that_goes_away_in_the_middle_is_written_when_it_is_back(tmp_path, saved):
    """PostgreSQL ends every connection of the server, which keeps its lease and goes on."""
    with postgresql_schema() as url:
        store = Store(tmp_path, url, retry_s=0.01)
        with psycopg.connect(url) as admin:
            admin.execute("LOCK TABLE journal IN ACCESS EXCLUSIVE MODE")
            store.journal.append("m", 0, RECORD)
            end_who_waits(admin, "journal")
        assert saved(store.journal) is None
        store.journal.append("m", 1, RECORD)
        assert saved(store.journal) is None
        assert store.journal.read_lines("m") == [RECORD] * 2
        with pytest.raises(StoreError, match=r"Another palestra-server .* uses the database"):
            Store(tmp_path / "other", url, wait_s=0)
        store.close()
        Store(tmp_path / "other", url).close()


def test_a_connection_that_is_lost_before_a_transaction_begins_is_not_kept(tmp_path):
    with postgresql_schema() as url:
        database = Database(tmp_path, url, 1.0)
        with database.writer.begin() as db:
            backend = db.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        with database.snapshot() as db:
            db.exec_driver_sql(f"SELECT pg_terminate_backend({backend})")
        with pytest.raises(DBAPIError), database.writer.begin():
            pass
        with database.writer.begin() as db:
            assert db.exec_driver_sql("SELECT 1").scalar() == 1
        database.close()


def test_a_database_in_sql_ascii_is_as_good(tmp_path):
    """That is what `initdb` makes where the system has no locale."""
    with postgresql_schema() as url:
        name = f"ascii_{secrets.token_hex(6)}"
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
            try:
                store = Store(tmp_path, urlsplit(url)._replace(path=f"/{name}", query="").geturl())
                store.players.put(PlayerRow("Íñigo", "", "", {}, None, False, 1))
                assert [row.name for row in store.players.list()] == ["Íñigo"]
                store.close()
            finally:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
