"""The one thread that writes.

It commits whatever has gathered, and while it waits for the disk the next batch gathers: the slower the disk, the
larger the batches (group commit; DeWitt et al., "Implementation techniques for main memory database systems", SIGMOD
1984). What somebody waits for (a result, above all), and what is not part of a match (a new session, an event of a
tournament), is committed at once. Other records of a match, its beginning included, wait up to 10 ms for more to join
them: that delays no answer, and each commit costs an fsync, a dozen pages, and takes the interpreter from the event
loop's thread several times.

When the database is unreachable, locked or full, the batch is kept and retried until it is written; nothing is reported
durable before it is. What waiting can't mend (a duplicate row, a damaged page) ends the writing for good.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, TypeAlias, TypeVar

import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from palestra_server.store import tables
from palestra_server.store.database import Database, Direct, Statement
from palestra_server.store.errors import JournalBroken, LeaseHeld, StoreError
from palestra_server.store.lease import HAPPENED, NUMBERED, Lease, fenced

Row: TypeAlias = tuple[str, int, bytearray, int]  # match_id, seq, records, wall_ms
# Something else to write, in the same transaction and after the rows; repeated if the transaction is. What every match
# needs is a statement: a transaction of SQLAlchemy's takes longer than SQLite does to commit one.
Change: TypeAlias = Statement | Callable[[Connection], object]
# Called with None once everything before it is on disk, or with the reason why it never will be.
Callback: TypeAlias = Callable[[JournalBroken | None], None]
T = TypeVar("T")

GATHER_S: Final = 0.010  # how long a commit of rows that nobody waits for is put off
RETRY_S: Final = 0.5  # pause before a batch that could not be written is retried
SLOW_S: Final = 5.0  # a commit that takes longer is trouble, though nothing has failed yet
CALL_S: Final = 15.0  # how long `call` waits for its commit
# Rows, and as many changes, kept in memory while the database is unreachable; a class needs hours for that many.
WAITING_MAX: Final = 500_000

# Many rows in one statement: sqlite3 releases the GIL at every step of a statement, and each time takes it back from
# the event loop's thread, which should not have to wait.
_ROWS_A_STATEMENT: Final = 64
_INSERT: Final = tuple(
    f"INSERT INTO journal (match_id, seq, records, wall_ms) VALUES {', '.join(['(?, ?, ?, ?)'] * size)}"
    for size in range(_ROWS_A_STATEMENT + 1)
)

# The same for PostgreSQL, as `fenced` takes it.
_ROW: Final = "(?::text, ?::integer, ?::bytea, ?::bigint)"
_FENCED: Final = tuple(
    f"INSERT INTO journal (match_id, seq, records, wall_ms) SELECT * FROM (VALUES {', '.join([_ROW] * size)}) AS added"
    for size in range(_ROWS_A_STATEMENT + 1)
)

_log = structlog.get_logger(__name__)


def wall_clock_ms() -> int:
    """UTC in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class _Batch:
    rows: list[Row] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    callbacks: list[Callback] = field(default_factory=list)
    number: int = 0


class Writer:
    """Writes to `engine`, which is its own until `close` has returned. Thread-safe.

    `name`: what people call the database. `on_fault` is called once, in the writer's thread, when nothing will ever be
    written again; `on_trouble` with a sentence when the database is unreachable, and with None when it is back. With a
    `lease`, nothing is written by whom it was taken from. `wall_ms` reads UTC in ms: when something was written.
    """

    def __init__(
        self,
        engine: Engine,
        name: str,
        on_fault: Callable[[JournalBroken], object],
        on_trouble: Callable[[str | None], object],
        retry_s: float,
        lease: Lease | None = None,
        wall_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        self.wall_ms = wall_ms
        self._engine = engine
        self._name = name
        self._on_fault = on_fault
        self._on_trouble = on_trouble
        self._retry_s = retry_s
        self._lease = lease
        self._gate = threading.Lock()
        self._batch = _Batch()
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        # The thread waits for the bell while there is nothing to write; else it pauses until this is released, which
        # happens when somebody waits for the commit.
        self._idle = True
        self._pause = threading.Lock()
        self._pause.acquire()
        self._closing = threading.Event()
        self._numbered = 0
        # Neither broken nor closed.
        self._takes = True
        self._fault: str | None = None
        self._trouble: str | None = None
        self._writing_since: float | None = None
        # Kept from commit to commit until one fails.
        self._db: Connection | None = None
        self._direct: Direct | None = None
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @property
    def fault(self) -> str | None:
        """Why nothing will be written any more, as a sentence; None while all is well."""
        return self._fault

    @property
    def trouble(self) -> str | None:
        """Why what was put is not on disk yet though it should be, as a sentence; None while all is well."""
        since = self._writing_since
        if self._fault is None and self._trouble is None and since is not None and time.monotonic() - since > SLOW_S:
            return f"{self._name} does not answer: results are announced as soon as it does."
        return self._fault or self._trouble

    def put(self, row: Row | None, changes: Sequence[Change] = ()) -> None:
        """Queue a row and changes to be committed together, without blocking; at once if there is no row.

        Raises JournalBroken after a fault or `close`.
        """
        with self._gate:
            batch = self._batch
            if not self._takes or len(batch.rows) >= WAITING_MAX or len(batch.changes) >= WAITING_MAX:
                raise self._refusal()
            if row is not None:
                batch.rows.append(row)
            if changes:
                batch.changes.extend(changes)
            if row is None:
                self._hurry()
            elif self._idle:
                self._ring()

    def when_durable(self, callback: Callback) -> None:
        """Call `callback` once, in the writing thread, when everything put before is on disk, or never will be.

        Raises JournalBroken after `close`.
        """
        with self._gate:
            if self._closing.is_set():
                raise JournalBroken(f"{self._name} is closed.")
            self._batch.callbacks.append(callback)
            self._hurry()

    def call(self, change: Callable[[Connection], T]) -> T:
        """Run `change` and return its result once committed; if it raises StoreError, or a constraint forbids it, which
        is told as one, nothing of it is kept.

        Blocks, so never call it in the event loop. Also raises StoreError when the database is unreachable.
        """
        made: list[T | StoreError] = []
        durable: Future[T | StoreError] = Future()

        def guarded(db: Connection) -> None:
            made.clear()
            try:
                with db.begin_nested():
                    made.append(change(db))
            except StoreError as error:
                made.append(error)
            except IntegrityError:
                # Nobody else waits for it: all that is written with it stays.
                made.append(StoreError("It has been done already, it seems: look again."))

        with self._gate:
            if not self._takes or len(self._batch.changes) >= WAITING_MAX:
                raise self._refusal()
            self._batch.changes.append(guarded)
            self._batch.callbacks.append(lambda error: durable.set_result(made[0] if error is None else error))
            self._hurry()
        try:
            result = durable.result(CALL_S)
        except TimeoutError:
            text = f"{self._name} does not answer: what was to be saved may still be saved; look again in a while."
            raise StoreError(text) from None
        if isinstance(result, StoreError):
            raise result
        return result

    def close(self) -> None:
        """Write what is left, if possible, and end the thread. Idempotent."""
        with self._gate:
            self._takes = False
            self._closing.set()
            self._hurry()
        self._thread.join()

    def _refusal(self) -> JournalBroken:
        if not self._takes:
            return JournalBroken(self._fault or f"{self._name} is closed.")
        return JournalBroken(self._trouble or f"{self._name} does not keep up.")

    def _ring(self) -> None:
        self._idle = False
        self._bell.put(None)

    def _hurry(self) -> None:
        if self._pause.locked():
            self._pause.release()
        if self._idle:
            self._ring()

    def _run(self) -> None:
        closed, idle = False, True
        while not closed:
            if idle:
                self._bell.get()
            # After a batch, the next is waited for here alone: a bell would wake the thread once more for each.
            self._pause.acquire(timeout=GATHER_S)
            with self._gate:
                self._pause.acquire(blocking=False)
                batch, self._batch = self._batch, _Batch()
                closed = self._closing.is_set()
                idle = self._idle = not (batch.rows or batch.changes or batch.callbacks)
            if self._fault is None and (batch.rows or batch.changes):
                self._commit(batch)
            error = None if self._fault is None else JournalBroken(self._fault)
            for callback in batch.callbacks:
                try:
                    callback(error)
                except Exception:  # one failing callback must not keep the others from being called
                    _log.exception("journal callback failed")
        self._let_go()

    def _commit(self, batch: _Batch) -> None:
        """Returns when the batch is on disk, or can't be: then there is a fault."""
        self._writing_since = time.monotonic()
        batch.number = self._numbered = self._numbered + 1
        write = self._write
        while True:
            try:
                write(batch)
                break
            except Exception as error:  # whatever it is, the batch is not on disk: say so
                why = str(error.orig) if isinstance(error, DBAPIError) else str(error)
                if not _may_pass(error) or self._closing.is_set():
                    self._break(
                        why
                        if isinstance(error, LeaseHeld)
                        else f"{self._name} can't be written any more ({why}): stop the server, run 'palestra-server "
                        "repair' if the database is damaged, and start it again. No result is announced until then."
                    )
                    break
                self._tell(
                    f"{self._name} can't be written right now ({why}): no result is announced and no match begins "
                    "until it can. Make room or bring the database back; the server goes on by itself."
                )
            self._closing.wait(self._retry_s)
            write = self._write_again
        self._writing_since = None
        if self._trouble is not None and self._fault is None:
            self._tell(None)

    def _tell(self, trouble: str | None) -> None:
        if (trouble is None) == (self._trouble is None):
            return
        self._trouble = trouble
        if trouble is None:
            _log.info("journal writes again")
        else:
            _log.error("journal can't be written", why=trouble)
        self._on_trouble(trouble)

    def lose(self, why: LeaseHeld) -> None:
        """Another server writes from now on."""
        self._break(str(why))

    def _break(self, fault: str) -> None:
        with self._gate:
            if self._fault is not None:
                return
            self._takes = False
            self._fault = fault
        _log.error("journal broken", error=fault)
        self._on_fault(JournalBroken(fault))

    def _write(self, batch: _Batch) -> None:
        if self._db is None or self._direct is None:
            self._db = self._engine.connect()
            self._direct = Direct(self._db)
        db, direct = self._db, self._direct
        try:
            if not batch.changes and len(batch.rows) <= _ROWS_A_STATEMENT:
                self._insert(direct, batch.rows)  # a transaction by itself
            elif any(callable(change) for change in batch.changes):
                with db.begin():
                    self._write_to(db, direct, batch)
            else:
                direct.begin()
                self._write_to(db, direct, batch)
                direct.commit()
        except BaseException:
            # Whatever state the connection is in, nothing of the batch is left in a new one.
            db.invalidate()
            self._let_go()
            raise

    def _write_to(self, db: Connection, direct: Direct, batch: _Batch) -> None:
        if self._lease is not None:
            number, epoch = batch.number, self._lease.epoch
            if not direct.execute(NUMBERED, (number, epoch, number)):
                if direct.execute(HAPPENED, (number, epoch)):
                    return
                raise self._fenced_off(self._lease)
        for first in range(0, len(batch.rows), _ROWS_A_STATEMENT):
            self._insert(direct, batch.rows[first : first + _ROWS_A_STATEMENT])
        for change in batch.changes:
            if isinstance(change, tuple):
                direct.execute(*change)
            else:
                change(db)

    def _insert(self, direct: Direct, rows: Sequence[Row]) -> None:
        values = tuple(chain.from_iterable(rows))
        if self._lease is None:
            direct.execute(_INSERT[len(rows)], values)
        elif not direct.execute(*fenced(_FENCED[len(rows)], values, self._lease.epoch)):
            raise self._fenced_off(self._lease)

    def _fenced_off(self, lease: Lease) -> StoreError:
        # Expired, and nobody took it: then it is renewed, and the batch written again.
        return StoreError("it was away for too long") if lease.renew() else lease.lost()

    def _let_go(self) -> None:
        db, self._db, self._direct = self._db, None, None
        if db is not None:
            db.close()

    def _write_again(self, batch: _Batch) -> None:
        # A connection lost in the middle of a commit leaves open whether it happened; the rows tell, or the number.
        if not self._is_there(batch):
            try:
                self._write(batch)
            except IntegrityError:
                if not self._is_there(batch):  # it was still being committed
                    raise

    def _is_there(self, batch: _Batch) -> bool:
        if not batch.rows:
            return False
        match_id, seq, _, _ = batch.rows[-1]
        there = tables.journal.select().where(tables.journal.c.match_id == match_id, tables.journal.c.seq == seq)
        with self._engine.begin() as db:
            return db.execute(there).first() is not None


@dataclass(eq=False)
class Book:
    """A part of what is stored: it reads what is committed, and writes through the one writer."""

    database: Database
    writer: Writer


def _may_pass(error: Exception) -> bool:
    """Whether waiting may help: the database is locked, full or unreachable, or still held by another server."""
    if isinstance(error, (IntegrityError, LeaseHeld)):
        return False
    return isinstance(error, (OperationalError, InterfaceError, PoolTimeout, StoreError)) or (
        isinstance(error, DBAPIError) and error.connection_invalidated
    )
