"""The journal: every accepted event of every match, on disk before any result is told; and the sessions."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack

from palestra_referee import Created, Match, event_from_record
from palestra_server.store import summaries
from palestra_server.store.schema import JournalBroken, StoreError, lock_folder, open_reader, open_writer
from palestra_server.store.summaries import MatchSummary
from palestra_server.store.writer import Callback, Change, Writer


@dataclass(frozen=True, slots=True)
class Session:
    """Whose a session is. `created_ms` is UTC; `newest`: no other session of this player was saved later."""

    player: str
    guest: bool
    created_ms: int
    newest: bool


class Journal:
    """The data folder of one server. All methods may be called from any thread; those that write do not wait."""

    def __init__(
        self, data: Path, *, busy_s: float = 5.0, on_fault: Callable[[JournalBroken], object] = lambda _: None
    ) -> None:
        """Opens the folder `data`, made if there is none, and keeps other servers out of it until `close`.

        `busy_s`: how long a write waits for another program that holds the file (a backup, say) before it counts as
        failed. `on_fault` is called once, in the journal's thread, when nothing can be written any more, whether or not
        somebody waits. Raises StoreError.
        """
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.closing(lock_folder(data)))
            writer = stack.enter_context(contextlib.closing(open_writer(data, busy_s)))
            self._reader = stack.enter_context(contextlib.closing(open_reader(data)))
            self._files = stack.pop_all()
        self._reading = threading.Lock()
        self._writer = Writer(writer, f"The journal in {data}", on_fault)

    @property
    def broken(self) -> JournalBroken | None:
        """Why nothing can be written any more, or None while all is well."""
        fault = self._writer.fault
        return None if fault is None else JournalBroken(fault)

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(self, match_id: str, seq: int, *records: Mapping[str, Any], finished: Match | None = None) -> None:
        """Queues the records of a match from number `seq` (0, 1, 2, ...) on, as one row; each comes from
        `event_to_record`.

        `finished`: the match, with the records that ended it. Raises JournalBroken when the disk failed before, and
        after `close`.
        """
        wall_ms = _wall_ms()
        changes: list[Change] = []
        if seq == 0 and isinstance(created := event_from_record(records[0]), Created):
            changes.append(lambda db: summaries.note_created(db, created.config, wall_ms))
        if finished is not None:
            changes.append(lambda db: summaries.note_finished(db, finished, wall_ms))
        self._writer.put((match_id, seq, b"".join(map(msgpack.packb, records)), wall_ms), *changes)

    def when_durable(self, callback: Callback) -> None:
        """`callback(None)` once everything queued so far is on disk, or with the error if it could not be written.

        It is called exactly once, in the thread of the journal. Raises JournalBroken after `close`.
        """
        self._writer.when_durable(callback)

    def save_session(self, session: str, player: str, guest: bool) -> None:
        """Queues a session, so that it can be resumed after a restart. Raises JournalBroken."""
        values = (_hash(session), player, guest, _wall_ms())
        statement = "INSERT OR REPLACE INTO sessions (hash, player, guest, created_ms) VALUES (?, ?, ?, ?)"
        self._writer.put(None, lambda db: db.execute(statement, values))

    def close(self) -> None:
        """Writes what is queued, ends the thread and lets go of the folder. Safe to repeat."""
        self._writer.close()
        with self._reading:
            self._files.close()

    # --- reading: what is committed -----------------------------------------------------------------------------------

    def read_match(self, match_id: str) -> list[dict[str, Any]]:
        """The records of a match in order; [] if there is none. Raises StoreError if one is missing in between."""
        records: list[dict[str, Any]] = []
        rows = self._select("SELECT seq, records FROM journal WHERE match_id = ? ORDER BY seq", (match_id,))
        for seq, packed in rows:
            if seq != len(records):
                raise StoreError(f"The journal of match {match_id} lacks its record {len(records)}.")
            try:
                records += summaries.unpack(packed)
            except StoreError as error:
                raise StoreError(f"The journal of match {match_id} can't be read: {error}") from None
        return records

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
        newest = "created_ms = (SELECT max(created_ms) FROM sessions AS other WHERE other.player = sessions.player)"
        statement = f"SELECT player, guest, created_ms, {newest} FROM sessions WHERE hash = ?"
        rows = self._select(statement, (_hash(session),))
        return Session(rows[0][0], bool(rows[0][1]), rows[0][2], bool(rows[0][3])) if rows else None

    def _select(self, statement: str, values: tuple[object, ...]) -> list[Any]:
        with self._reading:
            return self._reader.execute(statement, values).fetchall()


def rebuild_summaries(data: Path) -> int:
    """Makes the listing anew by replaying the journal in `data`, which no server may use; returns how many matches.

    Raises StoreError, and leaves the listing as it was, if a match can't be replayed.
    """
    with contextlib.closing(lock_folder(data)), contextlib.closing(open_writer(data, busy_s=5.0)) as db:
        db.execute("BEGIN IMMEDIATE")
        count = summaries.rebuild(db)
        db.execute("COMMIT")
    return count


def _hash(session: str) -> bytes:
    return hashlib.sha256(session.encode()).digest()


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
