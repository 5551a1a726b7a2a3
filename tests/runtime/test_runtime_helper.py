"""A process that helps: it answers, it is replaced when it dies, and it leaves nothing behind."""

import asyncio
import importlib
import multiprocessing.spawn
import os
import signal
import subprocess
import sys
import threading

import pytest

from palestra_server import helper
from palestra_server.helper import Helper, HelperFailed, HelperStopped
from palestra_server.runtime import round_drawing

pytestmark = pytest.mark.process


@pytest.fixture
def helped():
    helped = Helper()
    yield helped
    helped.close()


def test_one_process_answers_all_after_the_players(helped):
    first = helped.run(os.getpid)
    assert first != os.getpid()
    assert helped.run(os.getpid) == first
    assert helped.run(os.nice, 0) >= min(19, os.nice(0) + helper.NICENESS)
    with pytest.raises(ZeroDivisionError):
        helped.run(divmod, 1, 0)
    assert helped.run(os.getpid) == first


def test_one_that_was_killed_is_replaced_and_the_job_done_again(helped):
    first = helped.run(os.getpid)
    os.kill(first, signal.SIGKILL)
    assert helped.run(os.getpid) != first


def test_a_job_that_ends_its_process_twice_is_given_up(helped):
    with pytest.raises(HelperFailed, match=r"^The process that works it out ended, twice\.$"):
        helped.run(os._exit, 1)
    assert helped.run(divmod, 7, 2) == (3, 1)


def test_one_that_takes_too_long_is_killed(helped, monkeypatch):
    first = helped.run(os.getpid)
    monkeypatch.setattr(helped, "_longest_s", 0.01)
    with pytest.raises(HelperFailed, match=r"^It took longer than 0.01 s\.$"):
        helped.run(signal.pause)
    monkeypatch.undo()
    assert helped.run(os.getpid) != first


NOTES_ITS_PROCESS = """
import os
import signal
from pathlib import Path

with Path({!r}).open("a") as file:
    print(os.getpid(), file=file)

def job():
    signal.pause()
"""


def test_what_a_job_loads_is_not_in_its_time(helped, monkeypatch, tmp_path):
    """Here a job has no time at all; when that ends, what it loads has run."""
    loaded = tmp_path / "loaded"
    (tmp_path / "loaded_for_a_job.py").write_text(NOTES_ITS_PROCESS.format(str(loaded)))
    monkeypatch.syspath_prepend(tmp_path)
    work = importlib.import_module("loaded_for_a_job").job
    monkeypatch.setattr(helped, "_longest_s", 0)
    with pytest.raises(HelperFailed, match=r"^It took longer than 0 s\.$"):
        helped.run(work)
    assert len(set(loaded.read_text().split())) == 2, "this process, and the other"


def test_one_that_cannot_be_started(helped, monkeypatch):
    monkeypatch.setattr(multiprocessing.spawn, "get_executable", lambda: b"/nowhere/python")
    with pytest.raises(HelperFailed, match="The process that works it out ended, twice"):
        helped.run(os.getpid)


def test_what_stops_the_server_is_not_for_its_helper(helped):
    """Ctrl-C, a terminal that closes and service managers signal every process."""
    first = helped.run(os.getpid)
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        os.kill(first, number)
    assert helped.run(os.getpid) == first
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.SIGINT not in mask, "here they are for us"


def test_it_imports_nothing_from_the_folder_of_the_server(helped, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("random", "pickle", "signal"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a bot')")
    assert helped.run(divmod, 7, 2) == (3, 1)


ASKS = """
import os, threading
from palestra_server.helper import Helper

held = []

def hold(path):
    held.append(open(path, "w"))

if __name__ == "__main__":
    Helper().run(hold, {!r})
    print("asked", flush=True)
    threading.Event().wait()
"""


def test_it_ends_with_a_server_that_is_killed(tmp_path):
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    (tmp_path / "server_of_a_test.py").write_text(ASKS.format(str(fifo)))
    asks = subprocess.Popen([sys.executable, tmp_path / "server_of_a_test.py"], stdout=subprocess.PIPE, text=True)
    with asks as server, fifo.open() as held:
        assert server.stdout.readline() == "asked\n"
        server.kill()
        assert held.read() == "", "its end is the end of the process that held it"


def stay(path):
    """Says that it was asked, and never answers."""
    with open(path, "w"):
        signal.pause()


def test_one_that_was_closed_answers_by_exceptions(helped, tmp_path):
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    found = []

    def ask():
        with pytest.raises(HelperStopped):
            helped.run(stay, asked)
        found.append("stopped")

    waiting = threading.Thread(target=ask)
    waiting.start()
    with asked.open():
        helped.close()
    waiting.join(60)
    assert found == ["stopped"]
    with pytest.raises(HelperStopped):
        helped.run(os.getpid)


async def test_a_round_being_drawn_keeps_nobody_from_stopping(helped, tmp_path, supervisor):
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    found = []
    drawn = round_drawing.RoundDrawing(
        "cup", lambda of: helped.run(stay, of), found.append, lambda: found.append("stuck"), supervisor
    )
    drawn.begin(lambda pair: pair(asked), None)
    with await asyncio.to_thread(asked.open):
        drawn.close()
        await asyncio.to_thread(helped.close)
    await asyncio.get_running_loop().shutdown_default_executor()
    assert found == []
