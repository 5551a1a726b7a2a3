"""The cost of the journal: rows per second with group commit, and with one commit per row."""

from __future__ import annotations

import queue
import tempfile
import time
from pathlib import Path

from palestra_referee import Acted, Restarted, TurnWritten, link, record_line
from palestra_server.store import Journal, JournalBroken, Store

ROWS = 10_000
LONE_ROWS = 200
"""Fewer, because each of them waits for the disk."""
EVENTS = (
    TurnWritten(17, 123_456_789_012),
    Acted(0, 17, 3, 123_556_789_012, 123_556_889_012, "read", {"depth": 11, "nodes": 123456}),
)


def run() -> list[tuple[str, str]]:
    """Rows of (label, figure), measured on the disk that holds the temporary files."""
    grouped_s, cpu_s = _write(ROWS, commit_each=False)
    each_s, _ = _write(LONE_ROWS, commit_each=True)
    grouped, each = ROWS / grouped_s, LONE_ROWS / each_s
    return [
        ("journal, group commit", f"{grouped:,.0f} rows/s, {cpu_s / ROWS * 1e6:.1f} µs of CPU a row"),
        ("journal, a commit for each row", f"{each:,.0f} rows/s"),
        ("journal, gain of the group commit", f"{grouped / each:.0f} times"),
    ]


def _write(rows: int, *, commit_each: bool) -> tuple[float, float]:
    """Write `rows` chained, durable records; return seconds elapsed and CPU seconds of all threads."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        journal, chain = store.journal, b""
        # Don't measure opening the database.
        journal.append("m", 0, record_line(Restarted(0)))
        _wait(journal)
        start, cpu = time.perf_counter(), time.process_time()
        for seq in range(1, rows + 1):
            line = record_line(EVENTS[seq % 2])
            chain = link(chain, line)
            journal.append("m", seq, line)
            if commit_each:
                _wait(journal)
        _wait(journal)
        spent = time.perf_counter() - start, time.process_time() - cpu
        store.close()
        return spent


def _wait(journal: Journal) -> None:
    durable: queue.SimpleQueue[JournalBroken | None] = queue.SimpleQueue()
    journal.when_durable(durable.put)
    if (error := durable.get()) is not None:
        raise error
