"""The pages that a student reads on the class server."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from palestra_server.web import documents
from palestra_server.web.errors import answer_errors


@pytest.fixture
async def web():
    app = FastAPI(docs_url=None)
    answer_errors(app)
    app.include_router(documents.router)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://class") as client:
        yield client


async def test_every_page_is_served_and_so_is_whatever_it_links_to(web):
    names = re.findall(r'<li><a href="/docs/([^"]+)"', (await web.get("/docs/")).text)
    assert {*documents.PAGES, "schema.json", "vectors/mancala.jsonl"} <= set(names)
    for name in names:
        answer = await web.get(f"/docs/{name}")
        assert answer.status_code == 200
        for link in re.findall(r'href="([^":]+)"', answer.text) if name.endswith(".md") else ():
            path, _, anchor = urljoin(f"/docs/{name}", link).partition("#")
            if path.startswith("/docs/"):
                there = await web.get(path)
                assert there.status_code == 200, (name, link)
                assert not anchor or f'id="{anchor}"' in there.text, (name, link)


async def test_what_is_not_there_is_a_sentence(web):
    for name in ("NONSENSE.md", "%2e%2e/pyproject.toml", "palestra_games/__init__.py"):
        answer = await web.get(f"/docs/{name}")
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert (await web.get("/docs")).text == (await web.get("/docs/")).text
