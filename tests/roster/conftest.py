"""A roster over the real store."""

import pytest

from palestra_server.runtime import Roster
from palestra_server.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "data")
    yield store
    store.close()


@pytest.fixture
def roster(store):
    return Roster(store.players, now_ms=lambda: 1_700_000_000_000)
