"""What `hosting` does around a server."""

import asyncio
import gc
from itertools import count, repeat

import httpx
import pytest
from tests.support.sabotage import Saboteur

from palestra_server.cli import hosting as hosting_module
from palestra_server.cli.hosting import garbage_collector_frozen, hosting
from palestra_server.settings import Settings


def test_the_collector_leaves_what_was_loaded_alone_until_the_server_ends():
    with garbage_collector_frozen():
        kept = gc.get_freeze_count()
        assert kept > 1000
        later = [[]]
        assert any(each is later for each in gc.get_objects())
        assert gc.get_freeze_count() <= kept
    assert gc.get_freeze_count() == 0


def test_what_a_long_collection_went_through_is_left_alone_by_the_next():
    clock = count()
    with garbage_collector_frozen(lambda: next(clock)):
        later = [[]]
        gc.collect()
        assert not any(each is later for each in gc.get_objects())
    clock = repeat(0)
    with garbage_collector_frozen(lambda: next(clock)):
        later = [[]]
        gc.collect()
        assert any(each is later for each in gc.get_objects()), "it was a short one"


@pytest.mark.process
@pytest.mark.parametrize("work", ["web server", "reference bot"])
async def test_what_the_process_runs_on_is_begun_again(tmp_path, monkeypatch, work):
    monkeypatch.setattr(Saboteur, "target", work)
    monkeypatch.setattr(hosting_module, "Supervisor", Saboteur)
    settings = Settings(host="127.0.0.1", port=0, web_port=0, data=tmp_path, bots=("random",))
    async with hosting(settings) as (house, web), httpx.AsyncClient(base_url=f"http://127.0.0.1:{web.port}") as page:
        await asyncio.wait_for(house.presence.joined("random"), 120)
        health = (await page.get("/healthz")).json()
    assert (health["ok"], health["players"]) == (True, 1)
    assert health["detail"].startswith(
        f"Something failed in the server ({work}: Injected), and everything else went on"
    )
