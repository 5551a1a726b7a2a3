"""A schema of its own on a real PostgreSQL for each test."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from palestra_server.store.database import APPLICATION_ID

SERVER = os.environ.get("PALESTRA_TEST_POSTGRESQL", "postgresql://127.0.0.1:5432/test")
"""A database in which the tests may make schemas; the user is that of the operating system unless the URL has one."""


@contextmanager
def postgresql_schema() -> Iterator[str]:
    """The URL of an empty schema, which is gone afterwards. Skips the test where no PostgreSQL runs."""
    try:
        admin = psycopg.connect(SERVER, autocommit=True, connect_timeout=5)
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


def wait_until_released(url: str) -> None:
    """Return once PostgreSQL has noticed that the server which wrote there is gone: a moment after it was killed."""
    with psycopg.connect(url, autocommit=True) as db:
        for does in ("pg_advisory_lock", "pg_advisory_unlock"):
            db.execute(f"SELECT {does}(%s, hashtext(current_schema()))", (APPLICATION_ID,))
