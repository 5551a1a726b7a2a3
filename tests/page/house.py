"""The server that the tests of a worker share, in whatever order they run: each plays there under names of its own."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, unquote

from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess


class House:
    """`taken` is a folder that the workers of a run share: who uses a name twice fails in every order."""

    def __init__(self, server: ServerProcess, taken: Path) -> None:
        self.server = server
        self.web, self.web_port, self.data = server.web, server.web_port, server.data
        self._taken = taken
        taken.mkdir(exist_ok=True)

    def called(self, name: str) -> str:
        """`name`, with which the running test comes in; AssertionError if another test has done so."""
        test = quote(os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)"), safe="")
        mine = self._taken / quote(name, safe="")
        try:
            mine.symlink_to(test)
        except FileExistsError:
            assert os.readlink(mine) == test, f"{name!r} plays in another test, too: {unquote(os.readlink(mine))}"
        return name

    def join(self, name: str | None = None, *, token: str = "") -> RawPlayer:
        return RawPlayer(self.server.url, None if name is None else self.called(name), token=token)
