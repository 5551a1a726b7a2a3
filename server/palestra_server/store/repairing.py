"""Repair: rebuild derived data, and salvage what can be read from a damaged file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.exc import SQLAlchemyError

from palestra_server.store import summaries
from palestra_server.store.archive import unreadable_tournaments
from palestra_server.store.database import DATABASE, Database, lock_folder
from palestra_server.store.errors import StoreError
from palestra_server.store.preparing import prepare
from palestra_server.store.tables import METADATA, identity, journal, matches, tournament_summaries

_CHUNK: Final = 500
_BEYOND: Final = 1000  # how many ids are tried beyond the last readable row when the end of the table is unknown


@dataclass(frozen=True, slots=True)
class Repaired:
    """How many matches can be replayed; which can't, and why; which tournaments can't, and why; where a damaged file
    was moved, if it was damaged.
    """

    whole: int
    lost: dict[str, str]
    tournaments: dict[str, str]
    kept: Path | None


def repair(data: Path, database: str | None = None) -> Repaired:
    """Repair the database of a data folder that no server uses. Raises StoreError if nothing can be done."""
    if database is None and not (data / DATABASE).is_file():
        raise StoreError(f"{data} holds no records: name the folder that the server was started with in --data.")
    with contextlib.closing(lock_folder(data)):
        kept = _salvage(data) if database is None else None
        with contextlib.closing(Database(data, database, busy_s=5.0)) as db:
            prepare(db)
            with db.writer.begin() as connection:
                whole, lost = _rebuild(connection)
                # Derived, and rebuilt by the next start, which reads tournaments without one.
                connection.execute(tournament_summaries.delete())
                unread = dict(unreadable_tournaments(connection))
    return Repaired(whole, lost, unread, kept)


def _salvage(data: Path) -> Path | None:
    """Replace a damaged file by a new one with all that can be read; returns the old one's path, or None if it was
    sound.
    """
    old, fresh = data / DATABASE, data / f"{DATABASE}.new"
    with contextlib.closing(Database(data, None, busy_s=5.0)) as damaged:
        if _asked(damaged, "PRAGMA quick_check") == ["ok"]:
            return None
        if not any(_asked(damaged, "SELECT count(*) FROM sqlite_master")):
            raise StoreError(f"Nothing in {old} can be read: put a backup in its place ('palestra-server backup').")
        for left in data.glob(f"{fresh.name}*"):
            left.unlink()
        with contextlib.closing(Database(data, None, busy_s=5.0, file=fresh.name)) as copy:
            prepare(copy)
            with copy.writer.begin() as target:
                target.execute(identity.delete())
                for table in METADATA.sorted_tables:
                    _copy(damaged, table, target)
    number = 1
    while (kept := data / f"{DATABASE}.damaged-{number}").exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        path = data / f"{DATABASE}{suffix}"
        if path.exists():
            path.rename(data / f"{kept.name}{suffix}")
    fresh.rename(old)
    return kept


def _asked(database: Database, statement: str) -> Sequence[object]:
    """What the file answers; () if it can't be read."""
    try:
        with database.readers.connect() as db:
            return db.exec_driver_sql(statement).scalars().all()
    except SQLAlchemyError:
        return ()


def _copy(damaged: Database, table: Table, target: Connection) -> None:
    with contextlib.suppress(SQLAlchemyError), damaged.readers.connect() as db:
        for row in _readable(db, table):
            with contextlib.suppress(SQLAlchemyError), target.begin_nested():  # it may break a constraint
                target.execute(table.insert(), row)


def _readable(db: Connection, table: Table) -> Iterator[dict[str, Any]]:
    if "id" not in table.c:
        yield from (dict(row) for row in db.execute(select(table)).mappings())
        return
    number = table.c.id
    at, end = 0, None
    while end is None or at < end:
        query = select(table).where(number > at).order_by(number).limit(_CHUNK)
        rows = _rows(db, query)
        if rows is not None:
            if not rows:
                return
            yield from rows
            at = rows[-1]["id"]
            continue
        if end is None:
            last = _rows(db, select(func.max(number).label("last")))
            end = at + _BEYOND if not last else last[0]["last"] or 0
        for each in range(at + 1, at + _CHUNK + 1):
            yield from _rows(db, select(table).where(number == each)) or ()
        at += _CHUNK


def _rows(db: Connection, query: Any) -> list[dict[str, Any]] | None:
    """None if they can't be read."""
    try:
        return [dict(row) for row in db.execute(query).mappings().all()]
    except SQLAlchemyError:
        return None


def _rebuild(db: Connection) -> tuple[int, dict[str, str]]:
    """Rebuild the listing. An announced result stays listed even if its records are lost."""
    listed = {row["match_id"]: dict(row) for row in db.execute(select(matches).order_by(matches.c.id)).mappings()}
    db.execute(matches.delete())
    first = func.min(journal.c.id)
    ids = list(db.execute(select(journal.c.match_id).group_by(journal.c.match_id).order_by(first)).scalars())
    lost: dict[str, str] = {}
    for match_id in dict.fromkeys((*ids, *listed)):
        announced = listed.get(match_id, {}).get("finished_ms") is not None
        try:
            over = summaries.note(db, match_id)
            if announced and not over:
                lost[match_id] = "its end can't be read; the listing still has its result"
        except StoreError as error:
            lost[match_id] = str(error)
        if match_id in lost and announced:
            db.execute(matches.delete().where(matches.c.match_id == match_id))
            db.execute(matches.insert(), {key: value for key, value in listed[match_id].items() if key != "id"})
    return len(dict.fromkeys((*ids, *listed))) - len(lost), lost
