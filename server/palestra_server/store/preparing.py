"""Brings a database to this version: create, migrate, or refuse with a sentence."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from palestra_server.store.database import APPLICATION_ID, Database
from palestra_server.store.errors import StoreAway, StoreError
from palestra_server.store.tables import METADATA, REVISION, identity

BASELINE: Final = "0003"  # the first migration; older tables are from before the first release


def prepare(database: Database) -> None:
    """Raises StoreError for a database that is not ours, and leaves it untouched."""
    if database.sqlite:
        _create_private(Path(database.name))
    try:
        with database.writer.begin() as db:
            if database.sqlite:
                _refuse_strangers(db, database.name)
            else:  # one at a time; released with the transaction
                db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({APPLICATION_ID}, hashtext(current_schema()))")
            revision = revision_of(db)
            if revision is None:
                if inspect(db).get_table_names():
                    raise StoreError(f"The database {database.name} belongs to another program: choose an empty one.")
                _create(db)
            elif revision > REVISION:
                raise _newer(database.name, revision)
            elif revision < BASELINE:
                raise _too_old(database.name, revision)
            elif revision < REVISION:
                migrate(db)
            if db.execute(select(identity)).first() is None:
                db.execute(identity.insert().values(server=secrets.token_hex(8)))
    except SQLAlchemyError as error:
        why = error.orig if isinstance(error, DBAPIError) else error
        raise (StoreAway if isinstance(error, OperationalError) else StoreError)(
            f"The database {database.name} can't be opened ({why}): bring it back if it is away; if it is damaged, run "
            "'palestra-server repair', or choose another one."
        ) from None


def _create_private(path: Path) -> None:
    # Only the owner may read a new file, whatever the folder's mode; SQLite gives its WAL the same mode.
    with contextlib.suppress(OSError):  # it exists, or can't be created, which SQLite reports
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def refuse_unprepared(database: Database) -> None:
    """For readers: raises StoreError unless the tables are of this version."""
    revision = database.read(revision_of)
    if revision is not None and revision < BASELINE:
        raise _too_old(database.name, revision)
    if revision is None or revision < REVISION:
        raise StoreError(f"{database.name} is of an older version: start palestra-server on it once to convert it.")
    if revision > REVISION:
        raise _newer(database.name, revision)


def revision_of(db: Connection) -> str | None:
    """The tables' migration; None if there are none."""
    if not inspect(db).has_table("alembic_version"):
        return None
    return str(db.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def _newer(name: str, revision: str) -> StoreError:
    return StoreError(
        f"{name} is of version {revision}, and this server knows up to {REVISION}: update palestra-server or choose "
        "another data folder."
    )


def _too_old(name: str, revision: str) -> StoreError:
    return StoreError(
        f"{name} is of version {revision}, from before the first release, and can't be read any more: choose another "
        "data folder or database."
    )


def _refuse_strangers(db: Connection, name: str) -> None:
    application = db.exec_driver_sql("PRAGMA application_id").scalar_one()
    if application != APPLICATION_ID and (inspect(db).get_table_names() or application):
        raise StoreError(f"{name} is a database, but not a journal of Palestra: choose another data folder.")


def _create(db: Connection) -> None:
    # The tables as they are now, and what Alembic would record after all migrations, without loading Alembic.
    METADATA.create_all(db, checkfirst=False)  # there are none: looking for each takes as long again
    db.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    db.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": REVISION})
    if db.dialect.name == "sqlite":
        db.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def migrate(db: Connection) -> None:
    """Brings the tables to the newest version, step by step, in the transaction open on `db`."""
    from alembic import command  # slow to import, and needed once per version
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = db
    command.upgrade(config, "head")
