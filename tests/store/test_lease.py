"""One server at a time writes to a PostgreSQL, whatever the others believe."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import structlog
from sqlalchemy.exc import DBAPIError
from tests.support.databases import postgresql_schema
from tests.support.players import PATIENCE_S

from palestra_referee import TurnWritten, record_line
from palestra_server.store import JournalBroken, LeaseHeld, Node, Store, StoreError, lease, open_nodes
from palestra_server.store.database import Database

pytestmark = pytest.mark.process

RECORD = record_line(TurnWritten(1, 1000))


@pytest.fixture
def url():
    with postgresql_schema() as url:
        yield url


@pytest.fixture
def asleep(monkeypatch):
    """No lease is renewed by itself: its server is stopped, or cut off."""
    monkeypatch.setattr(lease, "RENEW_S", 100 * PATIENCE_S)


def expire(url):
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("UPDATE referee SET until = 0")


def test_a_second_server_is_refused_and_told_by_whom(tmp_path, url):
    first = Store(tmp_path / "one", url, node="one")
    with pytest.raises(LeaseHeld, match=r"Another palestra-server \(one\) uses the database .*--node NAME"):
        Store(tmp_path / "two", url, node="two", wait_s=0)
    first.close()
    Store(tmp_path / "two", url, wait_s=0).close()  # given back: nobody waits


@pytest.mark.usefixtures("asleep")
def test_a_server_waits_for_one_that_was_killed(tmp_path, url, saved):
    killed = Store(tmp_path / "one", url, node="one")
    with structlog.testing.capture_logs() as logged, ThreadPoolExecutor() as pool:
        opening = pool.submit(Store, tmp_path / "two", url, wait_s=PATIENCE_S)
        while not logged:
            assert not opening.done()
        expire(url)
        second = opening.result()
    (entry,) = logged
    assert (entry["event"], entry["log_level"]) == ("database in use", "warning")
    assert "(one) holds" in entry["why"]
    second.journal.append("m", 0, RECORD)
    assert saved(second.journal) is None
    second.close()
    killed.close()


@pytest.mark.usefixtures("asleep")
@pytest.mark.parametrize("rows", [1, 200])
def test_what_was_taken_over_writes_nothing_more(tmp_path, url, saved, rows):
    faults = []
    first = Store(tmp_path / "one", url, node="one", on_fault=faults.append)
    first.journal.append("m", 0, RECORD)
    assert saved(first.journal) is None
    expire(url)
    second = Store(tmp_path / "two", url, node="two", wait_s=0)
    for seq in range(rows):  # one statement, and a transaction of several
        first.journal.append("m", 1 + seq, RECORD)
    assert "Another server (two) referees now" in str(saved(first.journal))
    assert [str(fault) for fault in faults] == [str(first.journal.broken)]
    with pytest.raises(JournalBroken, match="referees now"):
        first.journal.append("n", 0, RECORD)
    with pytest.raises(StoreError, match="referees now"):
        first.players.remove("ana")
    assert second.journal.read_lines("m") == [RECORD]
    second.journal.append("m", 1, RECORD)
    assert saved(second.journal) is None
    first.close()  # gives nothing back that is not its own
    with pytest.raises(LeaseHeld):
        Store(tmp_path / "three", url, wait_s=0)
    second.close()


@pytest.mark.usefixtures("asleep")
def test_a_change_of_the_roster_is_fenced_too(tmp_path, url):
    first = Store(tmp_path / "one", url)
    expire(url)
    second = Store(tmp_path / "two", url, node="two", wait_s=0)
    with pytest.raises(StoreError, match="two"):
        first.players.remove("ana")
    first.close()
    second.close()


@pytest.mark.usefixtures("asleep")
def test_a_lease_that_only_expired_is_renewed_and_the_records_are_written(tmp_path, url, saved):
    store = Store(tmp_path, url, retry_s=0.01)
    expire(url)
    store.journal.append("m", 0, RECORD)
    assert saved(store.journal) is None
    assert store.journal.read_lines("m") == [RECORD]
    store.close()


def test_who_lost_the_lease_hears_of_it_without_writing(tmp_path, url, monkeypatch):
    monkeypatch.setattr(lease, "RENEW_S", 0.01)
    faults = []
    with psycopg.connect(url, autocommit=True) as admin:
        store = Store(tmp_path, url, on_fault=faults.append)
        admin.execute("UPDATE referee SET epoch = epoch + 1, node = 'other'")
        while not faults:
            pass
        assert "Another server (other) referees now" in str(faults[0])
        store.close()
        assert admin.execute("SELECT until > 0 FROM referee").fetchone() == (True,)


def test_a_node_referees_once_it_says_so_and_no_longer_than_it_has_the_lease(tmp_path, url):
    one = Node("one", "http://one", "ws://one", "1.0", (), "key")
    with open_nodes(tmp_path / "nodes", url) as nodes:
        nodes.say(one, "")
        lease = nodes.take(one)
        assert (nodes.seen().held, nodes.seen().referee, nodes.take(one)) == ("one", None, None)
        store = Store(tmp_path / "one", url, lease=lease)
        lease.opened()
        assert nodes.seen().referee == one
        store.hand_over()
        assert (nodes.seen().held, nodes.seen().referee) == (None, None)
        assert store.journal.unfinished() == {}  # what is there can still be read
        with pytest.raises(JournalBroken):
            store.journal.append("m", 0, RECORD)
        second = nodes.take(one)
        assert (nodes.seen().held, nodes.seen().referee) == ("one", None)
        second.close()
        store.close()


@pytest.mark.usefixtures("asleep")
def test_a_stopped_transaction_does_not_hold_up_the_next_server(tmp_path, url):
    """It has the lease's row locked; PostgreSQL ends it after two seconds."""
    first = Store(tmp_path / "one", url)
    stopped = Database(tmp_path / "one", url, 1.0)
    with stopped.writer.connect() as db:
        transaction = db.begin()
        assert db.exec_driver_sql(lease.FENCE.replace("?", "%s"), (1,)).first() is not None
        expire(url)  # waits for it
        Store(tmp_path / "two", url, wait_s=0).close()
        with pytest.raises(DBAPIError):
            transaction.commit()
    stopped.close()
    first.close()
