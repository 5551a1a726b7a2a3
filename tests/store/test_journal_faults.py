"""Full disks, held files, killed servers: what was called durable is there, and what is not there is told."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest

from palestra_referee import TurnWritten, event_to_record
from palestra_server.store import Journal, JournalBroken
from palestra_server.store.schema import DATABASE

RECORD = event_to_record(TurnWritten(1, 1000))

WRITES_UNTIL_KILLED = """
import itertools, os, sys
from pathlib import Path
from palestra_referee import TurnWritten, event_to_record
from palestra_server.store import Journal

journal = Journal(Path(sys.argv[1]))
def durable(error, seq):
    os.write(1, f"{seq} {'ok' if error is None else error}\\n".encode())
for seq in itertools.count():
    journal.append("m", seq, event_to_record(TurnWritten(seq, seq)))
    journal.when_durable(lambda error, seq=seq: durable(error, seq))
    if seq % 50 == 49:
        sys.stdin.readline()
"""

FILLS_THE_DISK = """
import os, resource, sys
from pathlib import Path
import structlog
from palestra_referee import TurnWritten, event_to_record
from palestra_server.store import Journal, JournalBroken

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # one line at a time, also from two threads
journal = Journal(Path(sys.argv[1]))
limit = 400_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    for seq in range(10**6):
        journal.append("m", seq, event_to_record(TurnWritten(seq, seq)))
        if seq % 20 == 0:
            journal.when_durable(lambda error, seq=seq: say(seq, error is None))
except JournalBroken as error:
    say("REFUSED", error)
journal.close()
say("CLOSED")
"""


@pytest.mark.parametrize("kill_after", [1, 120, 700])
def test_what_was_called_durable_survives_a_kill(tmp_path, kill_after):
    server = subprocess.Popen(
        [sys.executable, "-c", WRITES_UNTIL_KILLED, str(tmp_path)],
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
        if len(durable) >= kill_after:
            break
    server.send_signal(signal.SIGKILL)
    durable += [int(seq) for seq in re.findall(r"^(\d+) ok$", server.stdout.read(), re.MULTILINE)]
    server.stdin.close()
    server.stdout.close()
    assert server.wait() == -signal.SIGKILL
    assert durable == list(range(len(durable)))
    assert len(durable) >= kill_after

    journal = Journal(tmp_path)
    records = journal.read_match("m")
    journal.close()
    assert len(records) >= len(durable)
    assert records == [event_to_record(TurnWritten(seq, seq)) for seq in range(len(records))]


def test_a_full_disk_is_told_and_nothing_after_it_is_taken(tmp_path):
    pytest.importorskip("resource", reason="this system has no limit on the size of files")
    server = subprocess.run(
        [sys.executable, "-c", FILLS_THE_DISK, str(tmp_path)], capture_output=True, text=True, check=True
    )
    told = re.findall(r"^(\d+) (True|False)$", server.stdout, re.MULTILINE)
    good = [int(seq) for seq, ok in told if ok == "True"]
    bad = [int(seq) for seq, ok in told if ok == "False"]
    assert good
    assert bad
    assert max(good) < min(bad)
    assert [int(seq) for seq, _ in told] == list(range(0, len(told) * 20, 20)), "everybody is told, once, in order"
    (refusal,) = re.findall(r"^REFUSED (.*)$", server.stdout, re.MULTILINE)
    assert "can't be written any more" in refusal
    assert server.stdout.endswith("CLOSED\n")

    journal = Journal(tmp_path)
    records = journal.read_match("m")
    assert len(records) > max(good)
    journal.append("m", len(records), RECORD)
    journal.close()


def test_a_file_held_too_long_by_another_program_is_told(tmp_path, saved):
    journal = Journal(tmp_path, busy_s=0.05)
    journal.append("m", 0, RECORD)
    assert saved(journal) is None
    assert journal.broken is None
    other = sqlite3.connect(tmp_path / DATABASE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.append("m", 1, RECORD)
    error = saved(journal)
    assert isinstance(error, JournalBroken)
    assert "locked" in str(error)
    assert str(journal.broken) == str(error)
    other.execute("ROLLBACK")
    other.close()
    with pytest.raises(JournalBroken, match="locked"):
        journal.append("m", 1, RECORD)
    with pytest.raises(JournalBroken, match="locked"):
        journal.save_session("s", "ada", False)
    assert isinstance(saved(journal), JournalBroken), "what is not written stays so, even if the disk is well again"
    assert journal.read_match("m") == [RECORD]
    journal.close()


def test_a_file_held_for_a_moment_is_waited_for(tmp_path, saved):
    journal = Journal(tmp_path, busy_s=60)
    other = sqlite3.connect(tmp_path / DATABASE, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    journal.append("m", 0, RECORD)
    release = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    release.start()
    assert saved(journal) is None
    release.join()
    other.close()
    assert journal.read_match("m") == [RECORD]
    journal.close()


def test_a_number_used_twice_is_a_fault_and_none_of_its_batch_is_kept(tmp_path, saved):
    journal = Journal(tmp_path)
    journal.append("m", 0, RECORD)
    assert saved(journal) is None
    journal.append("m", 0, RECORD)
    assert "UNIQUE" in str(saved(journal))
    journal.close()


def test_batches_grow_while_the_disk_is_busy(tmp_path, saved):
    """Group commit: with the writer held up, what gathers goes to disk in one commit."""
    journal = Journal(tmp_path, busy_s=60)
    other = sqlite3.connect(tmp_path / DATABASE, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    commits = []
    for seq in range(300):
        journal.append("m", seq, RECORD)
        journal.when_durable(lambda _: commits.append(other.execute("PRAGMA data_version").fetchone()))
    other.execute("ROLLBACK")
    assert saved(journal) is None
    other.close()
    journal.close()
    assert len(commits) == 300
    assert len(set(commits)) <= 3
