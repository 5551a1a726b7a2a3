"""A whole server on PostgreSQL: matches survive `kill -9`, and a database that goes away for a while."""

import psycopg
import pytest
from tests.support.databases import end_who_waits, postgresql_schema
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess

from palestra_referee import receipt
from palestra_server.store import open_archive


@pytest.fixture
def database():
    with postgresql_schema() as url:
        yield url


def test_a_match_goes_on_after_a_kill_and_while_the_database_was_away(tmp_path, database):
    env = {"PALESTRA_DATABASE": database}
    with ServerProcess(tmp_path, "--guests", env=env) as server:
        ana, bob = RawPlayer(server.url, "ana"), RawPlayer(server.url, "bob")
        ana.challenge("bob")
        match = ana.ready()
        bob.ready()
        ana.act(ana.expect("turn"), 3)
        bob.act(bob.expect("turn"), 3)
        ana.expect("played")
        ana.expect("turn")
        # Somebody holds the tables: nothing can be written, so no result may be told.
        with psycopg.connect(database) as admin:
            admin.execute("LOCK TABLE journal IN ACCESS EXCLUSIVE MODE")
            bob.send(type="resign", match=match)
            end_who_waits(admin, "journal")
            for player in (ana, bob):
                messages = [player.receive()]
                while messages[-1]["type"] != "error":
                    messages.append(player.receive())
                assert messages[-1]["code"] == "try_later"
                assert "match_end" not in [message["type"] for message in messages]
        ends = [player.until("match_end") for player in (ana, bob)]
        assert ends[0] == ends[1]
        bob.challenge("ana")
        second = ana.ready()
        bob.ready()
        bob.act(bob.until("turn"), 2)
        ana.until("turn")
        with open_archive(tmp_path, database) as archive:
            while not any(b'"acted"' in line for _, lines in archive.unfinished() for line in lines):
                pass  # until the action is on disk
        server.stop(9)
    assert not (tmp_path / "palestra.sqlite3").exists()
    with ServerProcess(tmp_path, "--guests", env=env) as server:
        back = RawPlayer(server.url, resume=ana.session)
        assert back.welcome["matches"] == [second]
        with open_archive(tmp_path, database) as archive:
            (over,) = [summary for summary in archive.matches(10) if summary.finished_ms is not None]
        assert (over.match, over.receipt, over.reason) == (match, ends[0]["receipt"], "resign")
        assert len(over.receipt) == len(receipt([b"{}"]))
