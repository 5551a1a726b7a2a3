"""A server whose web port is called in process: the real application over ASGI, no socket between."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import httpx
import pytest
from tests.support.web import KEY

from palestra_server.runtime import House
from palestra_server.settings import Settings
from palestra_server.web.app import create_app


def pytest_collection_modifyitems(items):
    """What takes longest is begun first: else a worker is at it when the others are done."""
    items.sort(key=lambda item: item.path.name != "test_web_hidden.py")


@pytest.fixture
def open_web(tmp_path):
    """`async with open_web(ana="token") as web`: .server, .client(key=..., address=...), .tokens."""

    @asynccontextmanager
    async def opened(*names, **settings):
        settings = Settings(**{"host": "127.0.0.1", "port": 0, "web_port": 0, "data": tmp_path, **settings})
        server = await House.open(settings)
        tokens = await asyncio.to_thread(server.roster.enrol, names)
        app = create_app(server, admin_key=KEY, cookie_key="signs-cookies")

        def client(key=None, *, address="127.0.0.1", page=False):
            """One who asks: with a key or a token as a command does, or as the page in a browser."""
            headers = {"authorization": f"Bearer {key}"} if key else {}
            headers |= {"x-palestra": "1", "origin": "http://localhost"} if page else {}
            transport = httpx.ASGITransport(app, client=(address, 50000))
            return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)

        try:
            yield SimpleNamespace(server=server, app=app, client=client, tokens=tokens)
        finally:
            await server.close()

    return opened
