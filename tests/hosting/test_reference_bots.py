"""The bots that a server starts live no longer than it."""

import os
import signal

import psutil
from tests.support.servers import ServerProcess


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
