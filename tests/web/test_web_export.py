"""The export over the API."""

import io
import json
import zipfile

from tests.web.conftest import KEY
from tests.web.test_web_access import fault


async def test_the_teacher_takes_everything_along(open_web):
    async with open_web("ana") as web:
        fault(await web.client(web.tokens["ana"]).get("/api/v1/export.zip"), 403, "forbidden")
        answer = await web.client(KEY).get("/api/v1/export.zip", timeout=None)
        assert answer.headers["content-disposition"] == 'attachment; filename="palestra.zip"'
        with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
            manifest = json.loads(file.read("manifest.json"))
            assert {"matches.jsonl", "journal.jsonl"} <= set(file.namelist())
        assert manifest
