"""The journal: every accepted event of every match, on disk before any result is told.

One thread writes. It commits whatever is queued, and while it waits for the disk the next batch gathers: the slower the
disk, the larger the batches (group commit; DeWitt et al., "Implementation techniques for main memory database systems",
SIGMOD 1984). No timer is involved, so a lone record waits for nothing but the disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgpack
import structlog

from palestra_server.referee import Created, Match, event_from_record
from palestra_server.store import summaries
from palestra_server.store.schema import JournalBroken, StoreError, lock_folder, open_reader, open_writer
from palestra_server.store.summaries import MatchSummary

Callback: TypeAlias = Callable[[JournalBroken | None], None]
Change: TypeAlias = Callable[[sqlite3.Connection], object]
Row: TypeAlias = tuple[str, int, bytes, int]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """Whose a session is. `created_ms` is UTC."""

    player: str
    guest: bool
    created_ms: int


@dataclass(frozen=True, slots=True)
class _Durable:
    callback: Callback


@dataclass(frozen=True, slots=True)
class _Stop:
    pass


class Journal:
    """The data folder of one server. All methods may be called from any thread; those that write do not wait."""

    def __init__(self, data: Path, *, busy_s: float = 5.0) -> None:
        """Opens the folder `data`, made if there is none, and keeps other servers out of it until `close`.

        `busy_s`: how long a write waits for another program that holds the file (a backup, say) before it counts as
        failed. Raises StoreError.
        """
        self._data = data
        with contextlib.ExitStack() as stack:
            self._lock = stack.enter_context(contextlib.closing(lock_folder(data)))
            self._writer = stack.enter_context(contextlib.closing(open_writer(data, busy_s)))
            self._reader = stack.enter_context(contextlib.closing(open_reader(data)))
            self._closing = stack.pop_all()
        self._reading = threading.Lock()
        self._gate = threading.Lock()
        """Held while something is queued, so that nothing can come behind the end."""
        self._queue: queue.SimpleQueue[Row | Change | _Durable | _Stop] = queue.SimpleQueue()
        self._closed = False
        self._broken: JournalBroken | None = None
        self._thread = threading.Thread(target=self._write_all, name="journal", daemon=True)
        self._thread.start()

    @property
    def broken(self) -> JournalBroken | None:
        """Why nothing can be written any more, or None while all is well."""
        return self._broken

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(self, match_id: str, seq: int, record: Mapping[str, Any], *, finished: Match | None = None) -> None:
        """Queues the record number `seq` (0, 1, 2, ...) of a match; `record` comes from `event_to_record`.

        `finished`: the match, with the record that ended it. Raises JournalBroken when the disk failed before.
        """
        wall_ms = time.time_ns() // 1_000_000
        row = (match_id, seq, msgpack.packb(record), wall_ms)
        created = event_from_record(record) if seq == 0 else None
        with self._gate:
            self._check()
            self._queue.put(row)
            if isinstance(created, Created):
                config = created.config
                self._queue.put(lambda db: summaries.note_created(db, config, wall_ms))
            if finished is not None:
                self._queue.put(lambda db: summaries.note_finished(db, finished, wall_ms))

    def when_durable(self, callback: Callback) -> None:
        """`callback(None)` once everything queued so far is on disk, or with the error if it could not be written.

        It is called exactly once, in the thread of the journal. Raises StoreError after `close`.
        """
        with self._gate:
            if self._closed:
                raise StoreError("The journal is closed.")
            self._queue.put(_Durable(callback))

    def save_session(self, session: str, player: str, guest: bool) -> None:
        """Queues a session, so that it can be resumed after a restart. Raises JournalBroken."""
        values = (_hash(session), player, guest, time.time_ns() // 1_000_000)
        statement = "INSERT OR REPLACE INTO sessions (hash, player, guest, created_ms) VALUES (?, ?, ?, ?)"
        with self._gate:
            self._check()
            self._queue.put(lambda db: db.execute(statement, values))

    def rebuild_summaries(self) -> None:
        """Makes the listing of matches anew from the journal; waits until it is done. Raises JournalBroken."""
        done: queue.SimpleQueue[JournalBroken | None] = queue.SimpleQueue()
        with self._gate:
            self._check()
            self._queue.put(summaries.rebuild)
            self._queue.put(_Durable(done.put))
        if (error := done.get()) is not None:
            raise error

    def close(self) -> None:
        """Writes what is queued, ends the thread and lets go of the folder. Safe to repeat."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            self._queue.put(_Stop())
        self._thread.join()
        with self._reading:
            self._closing.close()

    def _check(self) -> None:
        if self._broken is not None:
            raise self._broken
        if self._closed:
            raise StoreError("The journal is closed.")

    # --- reading: what is committed -----------------------------------------------------------------------------------

    def read_match(self, match_id: str) -> list[dict[str, Any]]:
        """The records of a match in order; [] if there is none. Raises StoreError if one is missing in between."""
        rows = self._select("SELECT seq, record FROM journal WHERE match_id = ? ORDER BY seq", (match_id,))
        for expected, (seq, _) in enumerate(rows):
            if seq != expected:
                raise StoreError(f"The journal of match {match_id} lacks its record {expected}.")
        return [msgpack.unpackb(record) for _, record in rows]

    def unfinished(self) -> list[str]:
        """The matches without an end, the oldest first."""
        with self._reading:
            return summaries.unfinished(self._reader)

    def matches(self, limit: int = 50, *, tournament: str | None = None) -> list[MatchSummary]:
        """The newest matches first; of one tournament if it is given."""
        with self._reading:
            return summaries.read(self._reader, limit, tournament)

    def session(self, session: str) -> Session | None:
        """Whose this session is, or None if it is unknown."""
        rows = self._select("SELECT player, guest, created_ms FROM sessions WHERE hash = ?", (_hash(session),))
        return Session(rows[0][0], bool(rows[0][1]), rows[0][2]) if rows else None

    def _select(self, statement: str, values: tuple[object, ...]) -> list[Any]:
        with self._reading:
            return self._reader.execute(statement, values).fetchall()

    # --- the thread ---------------------------------------------------------------------------------------------------

    def _write_all(self) -> None:
        stop = False
        while not stop:
            batch = [self._queue.get()]
            with contextlib.suppress(queue.Empty):
                while True:
                    batch.append(self._queue.get_nowait())
            stop = isinstance(batch[-1], _Stop)
            error = self._commit([item for item in batch if not isinstance(item, _Durable | _Stop)])
            for item in batch:
                if isinstance(item, _Durable):
                    try:
                        item.callback(error)
                    except Exception:  # a fault of the one who asked must not keep the others from being told
                        _log.exception("journal_callback_failed")

    def _commit(self, items: list[Row | Change]) -> JournalBroken | None:
        if self._broken is None and items:
            try:
                self._write(items)
            except Exception as error:  # whatever it is, these rows are not on disk: say so, and take no more
                with contextlib.suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
                with self._gate:
                    self._broken = JournalBroken(
                        f"The journal in {self._data} can't be written any more ({error}): make room or repair the "
                        "disk, then start the server again. No result is announced until then."
                    )
                _log.error("journal_broken", error=str(error))
        return self._broken

    def _write(self, items: list[Row | Change]) -> None:
        db = self._writer
        db.execute("BEGIN IMMEDIATE")
        rows = [item for item in items if isinstance(item, tuple)]
        db.executemany("INSERT INTO journal (match_id, seq, record, wall_ms) VALUES (?, ?, ?, ?)", rows)
        for item in items:
            if not isinstance(item, tuple):
                item(db)
        db.execute("COMMIT")


def _hash(session: str) -> bytes:
    return hashlib.sha256(session.encode()).digest()
