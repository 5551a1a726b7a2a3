"""The one thread that writes.

It commits whatever has gathered, and while it waits for the disk the next batch gathers: the slower the disk, the
larger the batches (group commit; DeWitt et al., "Implementation techniques for main memory database systems", SIGMOD
1984). What somebody waits for, and whatever is more than a row (a new session, a match that begins or ends), is
committed at once. The actions of a match have 10 ms to find company: no answer is the later for it, and each commit
takes the interpreter from the thread of the event loop several times.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import structlog

from palestra_server.store.schema import JournalBroken

Row: TypeAlias = tuple[str, int, bytes, int]
"""match_id, seq, records, wall_ms."""
Change: TypeAlias = Callable[[sqlite3.Connection], object]
"""Something else to write, in the same transaction and after the rows."""
Callback: TypeAlias = Callable[[JournalBroken | None], None]
"""Told None once what came before it is on disk, or why it is not."""

GATHER_S: Final = 0.010
"""How long a commit of mere rows that nobody waits for is put off."""

# Many rows in one statement: sqlite3 lets go of the interpreter at every step of a statement, and each time it is taken
# back from the thread of the event loop, which has better things to do than to wait for it.
_ROWS_A_STATEMENT: Final = 64
_INSERT: Final = tuple(
    "INSERT INTO journal (match_id, seq, records, wall_ms) VALUES " + ", ".join(["(?, ?, ?, ?)"] * size)
    for size in range(_ROWS_A_STATEMENT + 1)
)

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Batch:
    rows: list[Row] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    callbacks: list[Callback] = field(default_factory=list)


class Writer:
    """Writes to `db`, which it has for itself until `close` has returned. Safe to use from any thread."""

    def __init__(self, db: sqlite3.Connection, name: str, on_fault: Callable[[JournalBroken], object]) -> None:
        """`name`: what people call the file, for the sentence when it breaks; `on_fault` is then called, once, in this
        object's thread."""
        self._db = db
        self._name = name
        self._on_fault = on_fault
        self._gate = threading.Lock()
        self._batch = _Batch()
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._rung = False
        self._awaited = threading.Event()
        self._closed = False
        self._fault: str | None = None
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @property
    def fault(self) -> str | None:
        """Why nothing is written any more, as a sentence; None while all is well."""
        return self._fault

    def put(self, row: Row | None, *changes: Change) -> None:
        """Takes what to write, to be committed together, and does not wait for it.

        Raises JournalBroken after a fault or `close`.
        """
        with self._gate:
            if self._fault is not None or self._closed:
                raise JournalBroken(self._fault or f"{self._name} is closed.")
            if row is not None:
                self._batch.rows.append(row)
            if changes:
                self._batch.changes.extend(changes)
                self._awaited.set()
            self._ring()

    def when_durable(self, callback: Callback) -> None:
        """Calls `callback` once, in the writing thread, when all that was put before is on disk, or can't be.

        Raises JournalBroken after `close`.
        """
        with self._gate:
            if self._closed:
                raise JournalBroken(f"{self._name} is closed.")
            self._batch.callbacks.append(callback)
            self._awaited.set()
            self._ring()

    def close(self) -> None:
        """Writes what is left and ends the thread. Safe to repeat."""
        with self._gate:
            self._closed = True
            self._awaited.set()
            self._ring()
        self._thread.join()

    def _ring(self) -> None:
        if not self._rung:
            self._rung = True
            self._bell.put(None)

    def _run(self) -> None:
        closed = False
        while not closed:
            self._bell.get()
            self._awaited.wait(GATHER_S)
            with self._gate:
                batch, self._batch = self._batch, _Batch()
                self._rung = False
                self._awaited.clear()
                closed = self._closed
            error = self._commit(batch)
            for callback in batch.callbacks:
                try:
                    callback(error)
                except Exception:  # a fault of one who asked must not keep the others from being told
                    _log.exception("journal callback failed")

    def _commit(self, batch: _Batch) -> JournalBroken | None:
        if self._fault is None and (batch.rows or batch.changes):
            try:
                self._write(batch)
            except Exception as error:  # whatever it is, the batch is not on disk: say so, and take no more
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                with self._gate:
                    self._fault = (
                        f"{self._name} can't be written any more ({error}): make room or repair the disk, then start "
                        "the server again. No result is announced until then."
                    )
                _log.error("journal broken", error=str(error))
                self._on_fault(JournalBroken(self._fault))
        return None if self._fault is None else JournalBroken(self._fault)

    def _write(self, batch: _Batch) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        for first in range(0, len(batch.rows), _ROWS_A_STATEMENT):
            rows = batch.rows[first : first + _ROWS_A_STATEMENT]
            self._db.execute(_INSERT[len(rows)], [value for row in rows for value in row])
        for change in batch.changes:
            change(self._db)
        self._db.execute("COMMIT")
