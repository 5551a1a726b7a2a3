"""POST /readiness: a player registers the check of its bot, and the teacher sees it."""

import asyncio
import threading

from tests.support.web import KEY


async def test_a_player_registers_and_the_teacher_sees_who_is_ready(open_web):
    async with open_web("ana", "ben") as web:
        async with web.client(web.tokens["ana"]) as client:
            answer = await client.post("/api/v1/readiness", json={"games": ["connect4", "mancala"], "passed": True})
            assert answer.status_code == 200, answer.text
            assert answer.json() == {"player": "ana", "ready": {"connect4": True, "mancala": True}}
            again = await client.post("/api/v1/readiness", json={"games": ["mancala"], "passed": False})
            assert again.status_code == 200
            unknown = await client.post("/api/v1/readiness", json={"games": ["chess"], "passed": True})
            assert unknown.status_code == 422
            assert "There is no game 'chess'" in unknown.json()["message"]
        for key, status in ((None, 401), (KEY, 403)):
            async with web.client(key, page=True) as client:
                answer = await client.post("/api/v1/readiness", json={"games": ["mancala"], "passed": True})
                assert answer.status_code == status
        assert await asyncio.to_thread(settled, web.server) == {"ana": {"connect4": True, "mancala": False}}


def settled(server):
    """What is kept, once all that was queued is written."""
    written = threading.Event()
    server.store.journal.when_durable(lambda _: written.set())
    written.wait()
    return server.store.readiness.passed()
