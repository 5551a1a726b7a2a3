"""A schema of its own on a real PostgreSQL for each test."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from tests.support.quick import notice

SERVER = os.environ.get("PALESTRA_TEST_POSTGRESQL", "postgresql://127.0.0.1:5432/test")
"""A database in which the tests may make schemas; the user is that of the operating system unless the URL has one."""


@contextmanager
def postgresql_schema() -> Iterator[str]:
    """The URL of an empty schema, which is gone afterwards. Skips the test where no PostgreSQL runs."""
    notice("PostgreSQL")
    try:
        admin = psycopg.connect(SERVER, autocommit=True, connect_timeout=60)
    except psycopg.OperationalError:
        pytest.skip(
            f"no PostgreSQL at {SERVER}: start one (its database 'test'), or name it in PALESTRA_TEST_POSTGRESQL"
        )
    schema = f"test_{secrets.token_hex(6)}"
    with admin:
        admin.execute(f"CREATE SCHEMA {schema}")
        try:
            yield f"{SERVER}?options=-csearch_path%3D{schema}"
        finally:
            admin.execute("SET client_min_messages = warning")
            admin.execute(f"DROP SCHEMA {schema} CASCADE")


def end_who_waits(admin: psycopg.Connection, table: str) -> None:
    """Ends, like an administrator, a connection that waits for this table, as soon as there is one."""
    waits = "SELECT pid FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
    while (row := admin.execute(waits, (table,)).fetchone()) is None:
        pass
    admin.execute("SELECT pg_terminate_backend(%s)", row)
