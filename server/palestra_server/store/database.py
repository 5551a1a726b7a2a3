"""Database connections and locks: SQLite in the data folder, or PostgreSQL by its URL.

Durability is the database's own: SQLite in WAL mode with synchronous=FULL, that is one fsync per commit
(https://www.sqlite.org/wal.html); PostgreSQL as configured by its administrator, by default the same.
"""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from palestra_server.store.errors import StoreAway, StoreError

DATABASE: Final = "palestra.sqlite3"
LOCK: Final = "palestra.lock"
APPLICATION_ID: Final = 0x50414C45  # marks the file as ours (`PRAGMA application_id`)
READERS: Final = 4  # connections in the pool for reading
_POSTGRESQL: Final = {
    "connect_timeout": 5,
    # Else text of a database made in SQL_ASCII would come as bytes.
    "client_encoding": "utf8",
    # A PostgreSQL that vanished without closing is noticed within ten seconds.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 10_000,
}

Statement: TypeAlias = tuple[str, tuple[object, ...]]  # SQL with a ? for each of the values
T = TypeVar("T")


def lock_folder(data: Path) -> sqlite3.Connection:
    """Lock the data folder until the connection is closed or the process has ended, for whatever reason.

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


class Database:
    """One database, with `writer`, a single connection, and `readers`, which never block it."""

    def __init__(self, data: Path, database: str | None, busy_s: float, *, file: str = DATABASE) -> None:
        """Does not connect yet; `file`: another name in the folder. Raises StoreError for a URL it can't use."""
        self.url = _url(data / file, database)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        # Why something could not be read, as a sentence, once a damaged page was found.
        self.damage: str | None = None
        without = self.url.difference_update_query(("password", "sslpassword"))
        self.name = str(data / file) if self.sqlite else without.render_as_string(hide_password=True)
        connect: dict[str, Any] = {"timeout": busy_s} if self.sqlite else _POSTGRESQL
        self.writer: Engine = create_engine(
            self.url, connect_args=connect, pool_size=1, max_overflow=0, pool_reset_on_return=None
        )
        self.readers: Engine = create_engine(
            self.url,
            connect_args=connect,
            pool_size=READERS,
            max_overflow=2 * READERS,
            pool_pre_ping=not self.sqlite,
            isolation_level="AUTOCOMMIT",
        )
        event.listen(self.writer, "begin", _begin)
        if self.sqlite:
            event.listen(self.writer, "connect", _sqlite_writer)
            event.listen(self.readers, "connect", _sqlite_reader)
        else:
            event.listen(self.writer, "connect", _postgresql_writer)
        # Of its own, so that nobody's reading keeps the lease from being renewed.
        self.beats: Engine = create_engine(
            self.url, connect_args=connect, pool_size=1, pool_pre_ping=True, isolation_level="AUTOCOMMIT"
        )
        self._open: WeakSet[Any] = WeakSet()  # the driver's connections
        for engine in () if self.sqlite else (self.writer, self.readers, self.beats):
            event.listen(engine, "connect", lambda connection, _: self._open.add(connection))

    def read(self, query: Callable[[Connection], T]) -> T:
        """Run `query` on committed data. Thread-safe. Raises StoreError when it can't be read."""
        with self._explained(), self.readers.connect() as db:
            return query(db)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            why = error.orig if isinstance(error, DBAPIError) else error
            text = f"{self.name} can't be read ({why}): "
            if isinstance(error, DBAPIError) and not isinstance(error, OperationalError):
                self.damage = f"{text}it is damaged. Stop the server and run 'palestra-server repair'."
                raise StoreError(self.damage) from None
            raise StoreAway(f"{text}bring it back; the server goes on by itself.") from None

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A consistent snapshot, however long reading it takes; blocks nobody. Raises StoreError."""
        begin = "BEGIN" if self.sqlite else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with self._explained(), self.readers.connect() as db:
            db.exec_driver_sql(begin)
            try:
                yield db
            finally:
                db.exec_driver_sql("ROLLBACK")

    def cut(self) -> None:
        """End the connections to a PostgreSQL: whoever waits for an answer, in any thread, gets an error instead.

        A connection whose other end says nothing may wait for ever: that its bytes arrive is no answer.
        """
        for connection in self._open.copy():
            # It may just have been closed.
            with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as end:
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close all connections, once running reads have ended."""
        self.readers.dispose()
        self.writer.dispose()
        self.beats.dispose()


class Direct:
    """The driver's own connection, for what every commit writes: SQLAlchemy's bookkeeping takes longer than SQLite
    needs for the statement, and holds the GIL that the event loop needs.

    A statement outside a transaction is one of its own. Raises SQLAlchemy's errors.
    """

    __slots__ = ("_begin", "_dialect", "_driver", "_errors", "_sqlite")

    def __init__(self, db: Connection) -> None:
        self._dialect = db.dialect
        self._driver: Any = db.connection.driver_connection
        self._errors: type[Exception] = db.dialect.loaded_dbapi.Error
        self._sqlite = db.dialect.name == "sqlite"
        self._begin = "BEGIN IMMEDIATE" if self._sqlite else "BEGIN"

    def execute(self, statement: str, values: Sequence[object] = ()) -> int:
        """How many rows it wrote or found (SQLite counts only the former); placeholders are ? for every database."""
        try:
            done: int = self._driver.execute(statement if self._sqlite else _percent(statement), values).rowcount
        except self._errors as error:
            raise self._explained(statement, error) from error
        return done

    def begin(self) -> None:
        self.execute(self._begin)

    def commit(self) -> None:
        try:
            self._driver.commit()
        except self._errors as error:
            raise self._explained("COMMIT", error) from error

    def _explained(self, statement: str, error: Exception) -> Exception:
        lost = self._dialect.is_disconnect(error, self._driver, None)  # type: ignore[arg-type]
        explained = DBAPIError.instance(
            statement, None, error, self._errors, connection_invalidated=lost, dialect=self._dialect
        )
        return explained if isinstance(explained, Exception) else error


def described(error: SQLAlchemyError) -> str:
    """What the driver says, in one line."""
    return str(getattr(error, "orig", error)).strip().partition("\n")[0]


@cache
def _percent(statement: str) -> str:
    return statement.replace("?", "%s")


def _url(file: Path, database: str | None) -> URL:
    if database is None:
        return URL.create("sqlite", database=str(file))
    try:
        url = make_url(database)
    except ArgumentError:
        url = None
    if url is None or url.get_backend_name() not in ("postgresql", "postgres"):
        raise StoreError(
            "The database is given as postgresql://USER:PASSWORD@HOST/NAME; leave it out to keep everything in a file "
            "of the data folder."
        )
    return url.set(drivername="postgresql+psycopg")


def _begin(db: Connection) -> None:
    try:
        Direct(db).begin()
    except DBAPIError:
        db.invalidate()  # SQLAlchemy does not see this error, and would keep a lost connection for the next attempt
        raise


def _postgresql_writer(connection: Any, _: object) -> None:
    connection.autocommit = True  # transactions are ours to begin
    # A transaction holds the row of the lease: a server that is stopped in the middle of one must not hold up the next.
    connection.execute("SET idle_in_transaction_session_timeout = '2s'")


def _sqlite_writer(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions are ours to begin
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _sqlite_reader(connection: Any, _: object) -> None:
    connection.execute("PRAGMA query_only = TRUE")
