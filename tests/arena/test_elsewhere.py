"""Matches on the workers of an executor."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from palestra_client.arena import elsewhere
from palestra_client.arena.contenders import contenders
from palestra_client.arena.fixtures import Settings, fixtures
from palestra_client.cli.commands import app

pytestmark = pytest.mark.process

FIRST = """
from palestra_client import Bot

class First(Bot):
    def choose(self, turn):
        print("thinking", flush=True)
        return turn.legal[0]
"""
GONE = "import os" + FIRST.replace("return turn.legal[0]", "os._exit(7)").replace("First", "Gone")
CONNECT4 = Settings("connect4")


@pytest.fixture
def bots(tmp_path, monkeypatch):
    (tmp_path / "first.py").write_text(FIRST)
    (tmp_path / "gone.py").write_text(GONE)
    monkeypatch.chdir(tmp_path)


def played(planned, *names, settings=CONNECT4, executor=None):
    with executor or ThreadPoolExecutor(2) as pool:
        return [result for some in elsewhere.play(pool, 2, contenders(names), settings, planned) for result in some]


@pytest.mark.usefixtures("bots")
def test_units_are_played_apart_and_each_match_is_counted_once(monkeypatch):
    monkeypatch.setattr(elsewhere, "UNIT", 2)
    results = played(fixtures(2, 5, [(), (3,)]), "first.py", "random")
    assert sorted(result.number for result in results) == list(range(1, 6))
    assert {result.outcome.reason for result in results} == {"rules"}


class Twice(ThreadPoolExecutor):
    """An executor that plays each unit again: its worker was thought to be lost."""

    def submit(self, unit, *work):
        def again():
            unit(*work)
            return unit(*work)

        return super().submit(again)


@pytest.mark.usefixtures("bots")
def test_a_unit_that_is_played_again_is_counted_once(monkeypatch):
    monkeypatch.setattr(elsewhere, "UNIT", 2)
    results = played(fixtures(2, 5, [()]), "first.py", "first.py", executor=Twice(2))
    assert sorted(result.number for result in results) == list(range(1, 6))


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("first.py", "gone.py"), r"A bot ended the process it played in, in one of the matches 1 to 2 \(os._exit"),
        (("first.py", "first.py --depth 3"), "depth"),
    ],
)
def test_what_is_wrong_with_a_bot_is_said(names, said):
    with pytest.raises(Exception, match=said) as raised:
        played(fixtures(2, 2, [()]), *names)
    assert type(raised.value).__name__ in ("NoBot", "BadOption")


@pytest.mark.usefixtures("bots")
def test_a_worker_with_another_version_or_without_the_files_says_so(tmp_path):
    planned = fixtures(2, 2, [()])
    work = (["a", "b"], [("first.py",)] * 2, CONNECT4, planned)
    with pytest.raises(elsewhere.NoExecutor, match=r"has palestra-client .*, and the arena has 0\.0: install the same"):
        elsewhere.play_apart("0.0", None, *work)
    ours = elsewhere.version("palestra-client")
    with pytest.raises(elsewhere.NoExecutor, match=r"has no folder .*: the bots' files must lie at the same path"):
        elsewhere.play_apart(ours, str(tmp_path / "nowhere"), *work)


class Lost(ThreadPoolExecutor):
    """An executor whose workers are lost."""

    def submit(self, *_):
        future = Future()
        future.set_exception(ConnectionError("no worker is left\nand more"))
        return future


def test_workers_that_are_lost_for_good_are_said_to_be():
    with pytest.raises(elsewhere.NoExecutor, match=r"do not go on \(ConnectionError: no worker is left\): look"):
        played(fixtures(2, 2, [()]), "random", "random", executor=Lost(1))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("ray://here:1", "--executor takes the address of a Dask scheduler"),
        ("dask://", "--executor takes the address of a Dask scheduler"),
    ],
)
def test_a_wrong_address(address, said):
    ran = CliRunner().invoke(app, ["arena", "random", "random", "--game", "connect4", "--executor", address])
    assert (ran.exit_code, said in ran.output) == (1, True)


def test_the_command(monkeypatch):
    @contextmanager
    def opened(_address):
        with ThreadPoolExecutor(2) as pool:
            yield pool, 2

    monkeypatch.setattr(elsewhere, "opened", opened)
    words = ["arena", "random", "random", "--game", "connect4", "--executor", "dask://here:1"]
    ran = CliRunner().invoke(app, [*words, "--games", "5"])
    assert (ran.exit_code, "of 5 points" in ran.output) == (0, True), ran.output
    ran = CliRunner().invoke(app, [*words, "--jobs", "2"])
    assert "with --executor its workers say how many" in ran.output
