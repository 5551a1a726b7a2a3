"""The bots that a server starts live no longer than it."""

import os
import signal

from tests.support.servers import ServerProcess


def test_a_bot_of_a_server_that_was_killed_ends(tmp_path):
    log = tmp_path / "random.log"
    os.mkfifo(log)
    reading = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    writing = os.open(log, os.O_WRONLY)
    with os.fdopen(reading) as said, ServerProcess(tmp_path, "--bot", "random") as server:
        assert said.readline().startswith("Connected to ")
        server.stop(signal.SIGKILL)
        os.close(writing)
        # It ends when the last who holds the other end does, and only the bot still does.
        said.read()
