"""Stores on SQLite and on PostgreSQL, and matches on their way into a journal."""

from __future__ import annotations

import queue

import pytest
from tests.support.databases import postgresql_schema

from palestra_referee import Append, MatchConfig, Resigned, event_from_line, receipt, record_line, start, step
from palestra_server.store import Store


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.process)])
def database(request):
    """What `Store` takes as `database`: None for SQLite, or the URL of an empty place on a real PostgreSQL."""
    if request.param == "sqlite":
        yield None
    else:
        with postgresql_schema() as url:
            yield url


@pytest.fixture
def open_store(tmp_path, database):
    """`open_store(**options)`: the store of this test, which is closed at its end."""
    stores = []

    def opened(**options):
        stores.append(Store(tmp_path / "data", database, **options))
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


@pytest.fixture
def journal(open_store):
    return open_store().journal


@pytest.fixture
def saved():
    """`saved(journal)`: waits until all that was queued is on disk, and gives the error or None."""

    def wait(journal):
        answer = queue.SimpleQueue()
        journal.when_durable(answer.put)
        return answer.get(timeout=60)

    return wait


@pytest.fixture
def play():
    """`play(journal, match_id, ...)`: writes a match, to its end if somebody resigns, and returns it."""

    def write(
        journal, match_id, *, game="connect4", resigns=None, tournament=None, rated=False, players=("ada", "bob")
    ):
        config = MatchConfig(match_id, game, players, 2000, 100, 30000, 10000, 200, (3,), tournament, rated)
        match, effects = start(config, 0)
        lines = [record_line(effects[0].event)]
        journal.append(match_id, 0, *lines)
        if resigns is not None:
            match, effects = step(match, Resigned(resigns, 5))
            assert isinstance(effects[0], Append)
            lines.append(record_line(effects[0].event))
            journal.append(match_id, 1, lines[1], finished=(match, receipt(lines)))
        assert event_from_line(lines[0]).config == config
        return match

    return write
