"""The export over the API: the file that the command writes, for the teacher alone."""

from __future__ import annotations

import asyncio
import io

from tests.support.played import play_tournament

from palestra_tournament.verify import verify_export

KEY = "the-key-of-the-teacher"


async def test_the_teacher_downloads_an_export_that_is_verified(open_web):
    async with open_web("ana") as web:
        await asyncio.to_thread(play_tournament, web.server.store, players=3)
        async with web.client(KEY) as teacher, web.client(web.tokens["ana"]) as player:
            answer = await teacher.get("/api/v1/export.zip", params={"tournament": "cup"})
            assert answer.status_code == 200
            assert answer.headers["content-disposition"] == 'attachment; filename="cup.zip"'
            assert str(verify_export(io.BytesIO(answer.content))) == "verified: 12 matches, 1 tournaments"
            unknown = await teacher.get("/api/v1/export.zip", params={"tournament": "cop"})
            assert (unknown.status_code, unknown.json()["error"]) == (404, "unknown_tournament")
            assert (await player.get("/api/v1/export.zip")).status_code == 403
