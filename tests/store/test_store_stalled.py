"""A PostgreSQL that is reached through a network that stalls, answers nothing, or breaks in the middle of a commit."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest
from tests.support.databases import postgresql_schema
from tests.support.players import PATIENCE_S
from tests.support.proxies import Proxy

from palestra_referee import TurnWritten, record_line
from palestra_server.store import Node, Store, StoreAway, TeacherRow, lease, open_nodes

pytestmark = pytest.mark.process

RECORD = record_line(TurnWritten(1, 1000))
ME = Node("one", "http://one", "ws://one", "1", (), "key")


@pytest.fixture
def url():
    with postgresql_schema() as url:
        yield url


@pytest.fixture
def wire(url):
    proxy, through = Proxy.to(url)
    with proxy:
        proxy.url = through
        yield proxy


@pytest.fixture
def asleep(monkeypatch):
    monkeypatch.setattr(lease, "RENEW_S", 100 * PATIENCE_S)


@pytest.mark.usefixtures("asleep")
@pytest.mark.parametrize("what", ["a row", "a change", "a call"])
def test_a_commit_whose_answer_is_lost_is_not_repeated(tmp_path, wire, saved, what):
    with closing(Store(tmp_path, wire.url, retry_s=0.01)) as store:
        lost = threading.Event()

        def passed(way, piece):
            last = b"COMMIT" if what != "a row" else b"INSERT INTO journal"
            if way == b">" and last in piece and not lost.is_set():
                lost.set()
                wire.deafen()
                wire.passed = answered

        def answered(way, _piece):
            if way == b"<":  # it has happened
                wire.passed = lambda _way, _piece: None
                wire.cut()
                wire.mend()

        wire.passed = passed
        row = TeacherRow("ana", "read", "hash", 1)
        if what == "a row":
            store.journal.append("m", 0, RECORD)
        elif what == "a change":
            store.journal.save_session("secret", "ana", True)
        else:
            store.teachers.add(row)
        assert saved(store.journal) is None
        assert lost.is_set()
        store.teachers.add(replace(row, name="bob", key_hash="other"))  # nothing is broken
        names = [each.name for each in store.teachers.list()]
        assert names == (["ana", "bob"] if what == "a call" else ["bob"])


@pytest.mark.usefixtures("asleep")
def test_a_store_whose_database_says_nothing_any_more_can_be_closed(tmp_path, wire):
    store = Store(tmp_path, wire.url, retry_s=0.01)
    asked = threading.Event()
    wire.passed = lambda way, _piece: asked.set() if way == b">" else None
    wire.stall()
    store.journal.append("m", 0, RECORD)
    assert asked.wait(PATIENCE_S)
    with ThreadPoolExecutor() as pool:
        closed = pool.submit(store.close)
        while not closed.done():
            store.cut()
    closed.result()


def test_a_node_that_hears_nothing_gives_up(tmp_path, wire):
    with open_nodes(tmp_path, wire.url) as nodes, ThreadPoolExecutor() as pool:
        nodes.say(ME, "")
        asked = threading.Event()
        wire.passed = lambda way, _piece: asked.set() if way == b">" else None
        wire.stall()
        looking = pool.submit(nodes.seen)
        assert asked.wait(PATIENCE_S)
        assert "it does not answer" in str(nodes.give_up())
        with pytest.raises(StoreAway, match="can't be reached"):
            looking.result(PATIENCE_S)
        wire.mend()
        assert [each.node.name for each in nodes.seen().nodes] == ["one"]
