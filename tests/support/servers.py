"""Real servers for tests: `palestra-server serve` as a process, or a Server in a thread whose loop can be blocked."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import re
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Self

import httpx
from tests.support.forked import start_server
from tests.support.players import PATIENCE_S, RawPlayer

from palestra_server.gateway import new_event_loop
from palestra_server.runtime import House, Roster
from palestra_server.settings import Settings
from palestra_server.store import Store
from palestra_server.store.summaries import lines


def journalled(data: Path, match: str, records: int) -> None:
    """Returns when so many records of the match are on disk."""
    with closing(sqlite3.connect(data / "palestra.sqlite3")) as db:
        kept = 0
        while kept < records:
            rows = db.execute("SELECT records FROM journal WHERE match_id = ?", (match,)).fetchall()
            kept = sum(len(lines(row)) for (row,) in rows)


def enrol(data: Path, *names: str) -> dict[str, str]:
    """Puts players on the roster of a folder that no server uses; name -> token."""
    with closing(Store(data)) as store:
        return Roster(store.players).enrol(names)


MOVE_MS = AWAY_MS = READY_MS = 600_000


def held_port() -> int:
    """A free port of 127.0.0.1 that nobody else is given while a server that listens there is away."""
    holder = socket.socket()
    # Two sockets may share an address in this way as long as only one of them listens.
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    atexit.register(holder.close)
    return int(holder.getsockname()[1])


class ServerProcess:
    """`palestra-server serve` on free ports of 127.0.0.1; what it logs is in `DATA/log.json`. Unless told otherwise it
    gives players longer than a busy machine keeps them waiting."""

    def __init__(
        self, data: Path, *options: str, port: int = 0, web_port: int = 0, env: dict[str, str] | None = None
    ) -> None:
        self.data = data
        data.mkdir(parents=True, exist_ok=True)
        arguments = ["serve", "--host", "127.0.0.1", "--port", str(port), "--web-port", str(web_port)]
        arguments += ["--data", str(data), "--log", "json", *options]
        patient = {"PALESTRA_MOVE_MS": MOVE_MS, "PALESTRA_AWAY_MS": AWAY_MS, "PALESTRA_READY_MS": READY_MS}
        env = {**os.environ, **{name: str(value) for name, value in patient.items()}, **(env or {})}
        self.process = start_server(arguments, env, data / "log.json")
        self.banner = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.banner += line
            if "on the roster" in line:
                break
        else:
            raise AssertionError(f"the server did not start: {self.banner} {self.log()}")
        self.port = int(re.search(r"bots\s+ws://.*:(\d+)", self.banner)[1])
        self.web_port = int(re.search(r"page\s+http://.*:(\d+)", self.banner)[1])

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/play"

    @property
    def web(self) -> str:
        return f"http://127.0.0.1:{self.web_port}"

    def api(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the API answers to the teacher; `path` is that behind /api/v1."""
        key = json.loads((self.data / "server.json").read_text())["key"]
        headers = {"authorization": f"Bearer {key}"}
        # No certificates are read, which takes longer than most answers.
        sent = {"json": body, "headers": headers, "timeout": PATIENCE_S, "verify": False}
        answer = httpx.request(method, f"{self.web}/api/v1{path}", **sent)
        return answer.json() if answer.content else None

    def join(self, name: str) -> RawPlayer:
        return RawPlayer(self.url, name)

    def log(self) -> str:
        return (self.data / "log.json").read_text()

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Sends the signal and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(PATIENCE_S)
        finally:
            self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)


class ServerThread:
    """A Server in a thread of this process, in the loop that the real one uses, so that a test can stall that loop."""

    def __init__(self, data: Path, **settings: Any) -> None:
        self.settings = Settings(host="127.0.0.1", port=0, web_port=0, data=data, guests=True, **settings)
        self._opened = threading.Event()
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._opened.wait()
        if self._fault is not None:
            raise self._fault

    def _run(self) -> None:
        async def live() -> None:
            self._stop = asyncio.Event()
            self.loop = asyncio.get_running_loop()
            try:
                self.server = await House.open(self.settings)
            except BaseException as error:
                self._fault = error
                return
            finally:
                self._opened.set()
            await self._stop.wait()
            await self.server.close()

        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(live())

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.server.opened.port}/play"

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Runs the function in the server's loop and returns what it returns."""

        async def run() -> Any:
            return function(*args)

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
