"""What the teacher is told who asks for something while the server stops."""

import asyncio
import threading

from tests.support.web import KEY

from palestra_server.helper import HelperStopped
from palestra_server.runtime import house, live_tournament

CUP = """
name = "cup"
games = ["connect4"]
format = "swiss"
rounds = 3
"""


async def test_a_start_that_comes_to_nothing_is_not_called_a_success(open_web, monkeypatch):
    asked, stopping = threading.Event(), threading.Event()

    def until_stopped(_of):
        asked.set()
        stopping.wait()
        raise HelperStopped

    monkeypatch.setattr(live_tournament, "HERE", 2)
    monkeypatch.setattr(house, "paired_by", lambda _helper: until_stopped)
    async with open_web("ana", "bob", "eva", "ida") as web, web.client(KEY) as teacher:
        await teacher.post("/api/v1/tournaments", json={"toml": CUP})
        start = asyncio.create_task(teacher.post("/api/v1/tournaments/cup/start"))
        assert await asyncio.to_thread(asked.wait, 60)
        web.server.timetable.close()
        answer = await start
        assert (answer.status_code, answer.json()["error"]) == (503, "stopping")
        assert "ask again when it is back" in answer.json()["message"]
        other = await teacher.post("/api/v1/tournaments/cup/withdraw", json={"player": "ana"})
        stopping.set()
        assert other.status_code == 503, "it would be held back until the round is drawn, which it never is"
