"""What the teacher is told who asks for something while the server stops."""

import asyncio
import threading

from tests.web.conftest import KEY

from palestra_server.runtime import drawing, live_tournament, pairing

CUP = """
name = "cup"
games = ["connect4"]
format = "swiss"
rounds = 3
"""


async def test_a_start_that_comes_to_nothing_is_not_called_a_success(open_web, monkeypatch):
    asked = threading.Event()

    class UntilClosed(pairing.PairingApart):
        def __init__(self):
            super().__init__()
            self.closed = threading.Event()

        def __call__(self, _of):
            asked.set()
            self.closed.wait()
            raise pairing.PairingStopped

        def close(self):
            super().close()
            self.closed.set()

    monkeypatch.setattr(live_tournament, "HERE", 2)
    monkeypatch.setattr(drawing, "PairingApart", UntilClosed)
    async with open_web("ana", "bob", "eva", "ida") as web, web.client(KEY) as teacher:
        await teacher.post("/api/v1/tournaments", json={"toml": CUP})
        start = asyncio.create_task(teacher.post("/api/v1/tournaments/cup/start"))
        assert await asyncio.to_thread(asked.wait, 60)
        web.server.director.close()
        answer = await start
        assert (answer.status_code, answer.json()["error"]) == (503, "stopping")
        assert "ask again when it is back" in answer.json()["message"]
        other = await teacher.post("/api/v1/tournaments/cup/withdraw", json={"player": "ana"})
        assert other.status_code == 503, "it would be held back until the round is drawn, which it never is"
