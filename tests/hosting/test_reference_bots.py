"""The bots that a server starts live no longer than it."""

import os
import signal
from contextlib import suppress

import psutil
import pytest
from tests.support.servers import ServerProcess

from palestra_server.runtime import reference


@pytest.mark.parametrize("reader", ["nobody", "somebody who does not read"])
def test_a_log_that_nobody_reads_holds_up_nothing(tmp_path, reader):
    log = tmp_path / "random.log"
    os.mkfifo(log)
    ends = []
    if reader != "nobody":
        ends = [os.open(log, os.O_RDONLY | os.O_NONBLOCK), os.open(log, os.O_WRONLY | os.O_NONBLOCK)]
        with suppress(BlockingIOError):
            while True:
                os.write(ends[1], bytes(4096))
    with pytest.raises(OSError, match=r"nobody reads the FIFO .*random\.log: remove it"):
        reference._opened(log)
    assert reference._last_line(log) == ""
    for end in ends:
        os.close(end)


def test_a_log_is_continued_and_its_last_line_is_told(tmp_path):
    log = tmp_path / "random.log"
    for word in ("one", "two"):
        with reference._opened(log) as file:
            assert os.get_blocking(file.fileno())
            file.write(f"{word}\n".encode())
    assert (log.read_text(), reference._last_line(log)) == ("one\ntwo\n", "two")


def test_a_bot_gets_its_token_alone_and_ends_with_a_server_that_was_killed(tmp_path, monkeypatch):
    monkeypatch.setenv("PALESTRA_ADMIN_KEY", "the-key-of-the-teacher")
    log = tmp_path / "random.log"
    os.mkfifo(log)
    reading = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    writing = os.open(log, os.O_WRONLY)
    with os.fdopen(reading) as said, ServerProcess(tmp_path, "--bot", "random") as server:
        assert said.readline().startswith("Connected to ")
        started = psutil.Process(server.process.pid).children()
        (bot,) = (each for each in started if "palestra_bots.hosted" in each.cmdline())
        told = [name for name in bot.environ() if name.startswith("PALESTRA_")]
        assert told == ["PALESTRA_TOKEN"], "the teacher's key is not for bots"
        server.stop(signal.SIGKILL)
        os.close(writing)
        # It ends when the last who holds the other end does, and only the bot still does.
        said.read()
