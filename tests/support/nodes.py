"""Several real nodes with one real PostgreSQL."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

import httpx
from tests.support.players import PATIENCE_S
from tests.support.servers import AWAY_MS, MOVE_MS, READY_MS, held_port

KEY = "a-key-that-all-nodes-share"


class NodeProcess:
    """`palestra-server serve --node NAME`; `said` gets each line that it prints."""

    def __init__(self, folder: Path, database: str, name: str, *options: str, key: str = KEY, **env: str) -> None:
        self.name = name
        self.data = folder / name
        self.port, self.web_port = held_port(), held_port()
        self._command = [sys.executable, "-m", "palestra_server", "serve", "--host", "127.0.0.1", "--guests"]
        self._command += ["--port", str(self.port), "--web-port", str(self.web_port), "--data", str(self.data)]
        self._command += ["--node", name, "--log", "json", *options]
        patient = {"PALESTRA_MOVE_MS": MOVE_MS, "PALESTRA_AWAY_MS": AWAY_MS, "PALESTRA_READY_MS": READY_MS}
        self._env = {**os.environ, **{name: str(value) for name, value in patient.items()}}
        self._env |= {"PALESTRA_DATABASE": database, "PALESTRA_ADMIN_KEY": key, **env}
        self.start()

    def start(self) -> None:
        self.data.mkdir(exist_ok=True)
        with (self.data / "log.json").open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=log, text=True, env=self._env)
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
        return f"ws://127.0.0.1:{self.port}/play"

    @property
    def web(self) -> str:
        return f"http://127.0.0.1:{self.web_port}"

    def api(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"authorization": f"Bearer {KEY}"}
        return httpx.request(
            method, f"{self.web}/api/v1{path}", json=body, headers=headers, timeout=PATIENCE_S, trust_env=False
        ).json()

    def stop(self, how: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)
