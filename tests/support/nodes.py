"""Several real nodes with one real PostgreSQL."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import httpx
from tests.support.forked import start_server
from tests.support.players import PATIENCE_S
from tests.support.servers import AWAY_MS, MOVE_MS, READY_MS, held_port

KEY = "a-key-that-all-nodes-share"


class NodeProcess:
    """`palestra-server serve --node NAME`; `said` gets each line that it prints."""

    def __init__(
        self,
        folder: Path,
        database: str,
        name: str,
        *options: str,
        key: str = KEY,
        host: str = "127.0.0.1",
        within: Sequence[str] = (),
        **env: str,
    ) -> None:
        """`within`: the command that runs it."""
        self.name = name
        self.host = host
        self.data = folder / name
        self.port, self.web_port = held_port(), held_port()
        self._within = within
        self._arguments = ["serve", "--host", host, "--port", str(self.port), "--web-port", str(self.web_port)]
        self._arguments += ["--guests", "--data", str(self.data), "--node", name, "--log", "json", *options]
        patient = {"PALESTRA_MOVE_MS": MOVE_MS, "PALESTRA_AWAY_MS": AWAY_MS, "PALESTRA_READY_MS": READY_MS}
        self._env = {**os.environ, **{name: str(value) for name, value in patient.items()}}
        self._env |= {"PALESTRA_DATABASE": database, "PALESTRA_ADMIN_KEY": key, **env}
        self.start()

    def start(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        self.process = start_server(self._arguments, self._env, self.data / "log.json", self._within)
        self.said: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(self.process.stdout, self.said), daemon=True).start()

    @staticmethod
    def _read(lines: Any, said: queue.SimpleQueue[str]) -> None:
        with lines:
            for line in lines:
                said.put(line)

    def until(self, words: str) -> str:
        """The next line with these words in it."""
        while words not in (line := self.said.get(timeout=PATIENCE_S)):
            pass
        return line

    @property
    def url(self) -> str:
        return f"ws://{self.host}:{self.port}/play"

    @property
    def web(self) -> str:
        return f"http://{self.host}:{self.web_port}"

    def api(self, method: str, path: str, body: dict[str, Any] | None = None, timeout: float = PATIENCE_S) -> Any:
        headers = {"authorization": f"Bearer {KEY}"}
        how = {"timeout": timeout, "trust_env": False, "verify": False}  # it reads no certificates, for they take long
        return httpx.request(method, f"{self.web}/api/v1{path}", json=body, headers=headers, **how).json()

    def stop(self, how: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)
