"""The arena on the real Dask: a worker is killed in the middle, and each match is counted once."""

from __future__ import annotations

import os
import signal

import pytest
from typer.testing import CliRunner

from palestra_client.arena import elsewhere
from palestra_client.arena.contenders import contenders
from palestra_client.arena.fixtures import Settings, fixtures
from palestra_client.cli.commands import app
from palestra_client.factories import NoBot

distributed = pytest.importorskip("distributed", reason="Dask is not installed: make neighbours")
pytestmark = [pytest.mark.process, pytest.mark.filterwarnings("ignore")]  # theirs
MATCHES = 2_000


@pytest.fixture
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


def test_a_worker_that_is_killed_costs_nothing_and_counts_nothing_twice(cluster, monkeypatch):
    monkeypatch.setattr(elsewhere, "UNIT", 20)
    address = cluster.scheduler_address.replace("tcp", "dask")
    results, kills = [], 0
    with elsewhere.opened(address) as (pool, workers):
        assert workers == 2
        for some in elsewhere.play(
            pool, workers, contenders(["random", "random"]), Settings("connect4"), fixtures(2, MATCHES, [()])
        ):
            results += some
            if kills < 1 and len(results) > MATCHES / 10:
                kills += 1
                os.kill(cluster.workers[0].pid, signal.SIGKILL)
    assert sorted(result.number for result in results) == list(range(1, MATCHES + 1))


def test_what_is_wrong_with_a_bot_comes_back_as_what_it_is(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "none.py").write_text("")
    with (
        elsewhere.opened(cluster.scheduler_address.replace("tcp", "dask")) as (pool, workers),
        pytest.raises(NoBot, match=r"none\.py has no bot"),
    ):
        list(
            elsewhere.play(pool, workers, contenders(["none.py", "random"]), Settings("connect4"), fixtures(2, 2, [()]))
        )


def test_where_nobody_answers(monkeypatch):
    monkeypatch.setattr(elsewhere, "CONNECT_S", 1)
    words = ["arena", "random", "random", "--game", "connect4", "--executor", "dask://127.0.0.1:1"]
    ran = CliRunner().invoke(app, words)
    assert (ran.exit_code, "No Dask scheduler answers at 127.0.0.1:1" in ran.output) == (1, True)
