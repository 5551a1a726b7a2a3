"""The export over the API."""

import asyncio
import io
import json
import stat
import tempfile
import zipfile
from pathlib import Path

import pytest
from tests.support.web import KEY, fault

from palestra_server.web.api import export


@pytest.mark.slow
@pytest.mark.process
async def test_the_teacher_takes_everything_along(open_web):
    async with open_web("ana") as web:
        fault(await web.client(web.tokens["ana"]).get("/api/v1/export.zip"), 403, "forbidden")
        answer = await web.client(KEY).get("/api/v1/export.zip", timeout=None)
        assert answer.headers["content-disposition"] == 'attachment; filename="palestra.zip"'
        with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
            manifest = json.loads(file.read("manifest.json"))
            assert {"matches.jsonl", "journal.jsonl"} <= set(file.namelist())
        assert manifest


@pytest.mark.parametrize("name", ["\0", "x" * 41])
async def test_a_name_that_no_command_takes_is_refused(open_web, name):
    async with open_web() as web:
        answer = await web.client(KEY).get("/api/v1/export.zip", params={"tournament": name})
        assert len(answer.content) < 1000
        fault(answer, 422, "bad_request")


async def test_exports_are_written_one_after_the_other(open_web, monkeypatch):
    running, begun, go_on = [], asyncio.Event(), asyncio.Event()

    async def written(_, file, *__):
        running.append(file)
        begun.set()
        await go_on.wait()
        assert running == [file]
        running.clear()
        return f"{file} can't be written."

    monkeypatch.setattr(export, "_written", written)
    async with open_web() as web:
        asked = [asyncio.create_task(web.client(KEY).get("/api/v1/export.zip", timeout=None)) for _ in range(3)]
        await begun.wait()
        go_on.set()
        for answer in await asyncio.gather(*asked):
            fault(answer, 422, "export")


@pytest.mark.process
async def test_an_export_on_its_way_is_for_nobody_else_on_the_machine(open_web, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = []

    async def send(message):
        if message["type"] == "http.response.body":
            seen.extend(tmp_path.glob("palestra-export-*"))
            assert [stat.S_IMODE(folder.stat().st_mode) for folder in seen[:1]] == [0o700]
            assert {stat.S_IMODE(file.stat().st_mode) for folder in seen[:1] for file in folder.iterdir()} == {0o600}

    async def receive():
        await asyncio.Event().wait()

    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {KEY}".encode())]
    asked = {"type": "http", "method": "GET", "path": "/api/v1/export.zip", "query_string": b"", "headers": headers}
    async with open_web("ana") as web:
        await web.app({**asked, "client": ("127.0.0.1", 1), "scheme": "http", "root_path": ""}, receive, send)
    assert seen
    assert not any(map(Path.exists, seen)), "nothing is left behind"
