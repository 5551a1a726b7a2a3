"""The data folder and its file: who may use it, and what is refused."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from tests.support.first_release import create_tables

from palestra_server.store import Store, StoreError, open_archive
from palestra_server.store.database import DATABASE, Database
from palestra_server.store.preparing import migrate
from palestra_server.store.tables import METADATA, REVISION


def test_a_second_server_on_the_same_folder_is_refused(tmp_path):
    store = Store(tmp_path / "data")
    with pytest.raises(StoreError, match="Another palestra-server uses the data folder"):
        Store(tmp_path / "data")
    code = "import pathlib, sys; from palestra_server.store import Store; Store(pathlib.Path(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(tmp_path / "data")]
    other = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Another palestra-server uses the data folder" in other.stderr
    store.close()
    Store(tmp_path / "data").close()


def test_tables_of_a_newer_version_are_refused_and_left_alone(tmp_path):
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.commit()
    with pytest.raises(StoreError, match=f"of version 9999, and this server knows up to {REVISION}"):
        Store(tmp_path)
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        assert db.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)


def test_tables_from_before_the_first_release_are_refused(tmp_path):
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        db.execute("UPDATE alembic_version SET version_num = '0002'")
        db.commit()
    with pytest.raises(StoreError, match="of version 0002, from before the first release"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="from before the first release"), open_archive(tmp_path, None):
        pass


def test_a_file_of_somebody_else_is_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        db.execute("CREATE TABLE journal (mine TEXT)")
    with pytest.raises(StoreError, match="not a journal of Palestra"):
        Store(tmp_path)
    (tmp_path / DATABASE).write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="can't be opened"):
        Store(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can't be used"):
        Store(tmp_path / "file" / "data")
    os.mkdir(tmp_path / "palestra.lock")
    with pytest.raises(StoreError, match="can't be"):
        Store(tmp_path)


def test_a_new_database_is_its_owners_alone_in_a_folder_open_to_all(tmp_path):
    tmp_path.chmod(0o755)
    Store(tmp_path).close()
    assert (tmp_path / "palestra.sqlite3").stat().st_mode & 0o077 == 0


def test_an_old_database_keeps_the_mode_that_it_was_given(tmp_path):
    Store(tmp_path).close()
    (tmp_path / "palestra.sqlite3").chmod(0o640)
    Store(tmp_path).close()
    assert (tmp_path / "palestra.sqlite3").stat().st_mode & 0o077 == 0o040


@pytest.mark.parametrize("url", ["mysql://host/name", "sqlite:///file", "no url", "postgresql://127.0.0.1:1/nobody"])
def test_a_database_that_cannot_be_used_is_refused_in_a_sentence(tmp_path, url):
    with pytest.raises(StoreError, match=r"is given as postgresql://|can't be opened"):
        Store(tmp_path, url)


def test_a_password_is_not_told(tmp_path):
    with pytest.raises(StoreError, match="can't be opened") as refused:
        Store(tmp_path, "postgresql://ada:secret@127.0.0.1:1/nobody")
    assert "secret" not in str(refused.value)


def test_the_tables_of_the_first_release_become_those_of_the_newest_version(tmp_path, database):
    """A new database is made without migrations, so the two must agree."""
    with closing(Database(tmp_path, database, 5.0)) as db, db.writer.begin() as connection:
        context = MigrationContext.configure(connection)
        with Operations.context(context):
            create_tables()
        migrate(connection)
        differences = compare_metadata(context, METADATA)
    assert differences == []
