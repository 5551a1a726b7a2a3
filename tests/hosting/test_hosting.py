"""What `hosting` does around a server."""

import asyncio
import gc
import os
import signal
import socket
import weakref
from itertools import count, repeat

import httpx
import pytest
from tests.support.forked import start_server
from tests.support.players import PATIENCE_S
from tests.support.sabotage import Saboteur

from palestra_server.cli import hosting as hosting_module
from palestra_server.cli.hosting import garbage_collector_frozen, hosting
from palestra_server.settings import Settings
from palestra_server.store import StoreError

pytestmark = pytest.mark.slow


def test_the_collector_leaves_what_was_loaded_alone_until_the_server_ends():
    with garbage_collector_frozen():
        kept = gc.get_freeze_count()
        assert kept > 1000
        later = [[]]
        assert any(each is later for each in gc.get_objects())
        assert gc.get_freeze_count() <= kept
    assert gc.get_freeze_count() == 0


def many(least):
    """More objects than so many, in one list."""
    return [[] for _ in range(least)]


def test_what_a_long_collection_went_through_is_left_alone_by_the_next():
    clock = count()
    with garbage_collector_frozen(lambda: next(clock)):
        later = many(gc.get_freeze_count() // 4)
        gc.collect()
        assert not any(each is later for each in gc.get_objects())
    clock = repeat(0)
    with garbage_collector_frozen(lambda: next(clock)):
        later = many(gc.get_freeze_count() // 4)
        gc.collect()
        assert any(each is later for each in gc.get_objects()), "it was a short one"


class Connection:
    """Like a transport of asyncio, which has its own methods."""

    def __init__(self):
        self.read = self.close

    def close(self):
        pass


def test_connections_that_come_and_go_leave_nothing_however_long_collections_are():
    clock, left = count(), []
    with garbage_collector_frozen(lambda: next(clock)):
        for _ in range(5):  # each goes through all that is loaded, several times
            connections = [Connection() for _ in range(20)]
            left += map(weakref.ref, connections)
            gc.collect()
            del connections
        gc.collect()
        assert not any(each() for each in left)


@pytest.mark.process
@pytest.mark.parametrize("work", ["web server", "reference bot", "judge"])
async def test_what_the_process_runs_on_is_begun_again(tmp_path, monkeypatch, work):
    monkeypatch.setattr(Saboteur, "target", work)
    monkeypatch.setattr(hosting_module, "Supervisor", Saboteur)
    bots, judge = ("random",) if work == "reference bot" else (), work == "judge"
    settings = Settings(host="127.0.0.1", port=0, web_port=0, data=tmp_path, bots=bots, judge=judge)
    async with hosting(settings) as (house, web), httpx.AsyncClient(base_url=f"http://127.0.0.1:{web.port}") as page:
        for bot in bots:
            await asyncio.wait_for(house.presence.joined(bot), 120)
        health = (await page.get("/healthz")).json()
    assert (health["ok"], health["players"]) == (True, len(bots))
    assert health["detail"].startswith(
        f"Something failed in the server ({work}: Injected), and everything else went on"
    )


@pytest.mark.process
async def test_a_second_server_in_a_folder_is_told_of_the_folder_and_not_of_the_port(tmp_path):
    settings = Settings(host="127.0.0.1", port=0, web_port=0, data=tmp_path)
    async with hosting(settings) as (house, web):
        ports = {"port": house.opened.port, "web_port": web.port}
        with pytest.raises(StoreError, match="Another palestra-server uses the data folder"):
            async with hosting(settings.model_copy(update=ports)):
                pytest.fail("two servers write to one folder")


@pytest.mark.process
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_waits_for_its_database_can_be_stopped(tmp_path, how):
    with socket.create_server(("127.0.0.1", 0)) as database:
        command = ["serve", "--data", str(tmp_path), "--host", "127.0.0.1"]
        url = f"postgresql://palestra@127.0.0.1:{database.getsockname()[1]}/palestra"
        command += ["--port", "0", "--web-port", "0", "--database", url]
        server = start_server(command, dict(os.environ), tmp_path / "errors")
        connection, _ = database.accept()
        with connection, server.stdout:
            connection.recv(1)  # it waits for an answer now
            server.send_signal(how)
            said = server.stdout.read()
            assert server.wait(PATIENCE_S) == 1
    errors = (tmp_path / "errors").read_text()
    assert (said + errors).splitlines()[-1] == "Stopped before it was open."
    assert "Traceback" not in said + errors
