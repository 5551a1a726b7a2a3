"""The web port of a node that stands by, in front of one that referees."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import httpx
import pytest

from palestra_server.runtime.machines import Machines
from palestra_server.store import Cluster, Node, SeenNode
from palestra_server.web import standing_by

ME, OTHER = "b", "a"


@asynccontextmanager
async def referee(answer):
    """A web port that answers this to whatever it is asked, and the first lines that it got."""
    asked = []

    async def talk(reader, writer):
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        await answer(writer)
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], asked


@asynccontextmanager
async def beside(port):
    seen = [
        SeenNode(Node(name, f"http://127.0.0.1:{port}", "ws://x", "1", (), "key"), name == OTHER, False, 0.0, "")
        for name in (OTHER, ME)
    ]
    machines = Machines(SimpleNamespace(), seen[1].node)
    machines.cluster = Cluster(seen, OTHER)
    async with standing_by.standby_app(machines, None, ()) as app:
        yield app


async def get(app, path):
    """As sent, without what a client makes of dots in it."""
    asked, _, query = path.partition("?")
    scope = {"type": "http", "method": "GET", "path": httpx.URL(path).path if "%" in path else asked}
    scope |= {"raw_path": asked.encode(), "query_string": query.encode(), "headers": [(b"host", b"here")]}
    scope |= {
        "root_path": "",
        "scheme": "http",
        "server": ("here", 80),
        "client": ("10.0.0.9", 5),
        "http_version": "1.1",
    }
    sent = []

    async def send(message):
        sent.append(message)

    said = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive():
        return next(said, None) or await asyncio.Event().wait()

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent).decode()


async def at_once(writer):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")


@pytest.mark.parametrize("path", ["/api/v1/players/a%2525b%3F?x=1&y=%C3%B1", "/api/v1/about"])
async def test_a_call_is_passed_on_as_it_came(path):
    async with referee(at_once) as (port, asked), beside(port) as app:
        assert await get(app, path) == (200, "ok")
        assert asked == [f"GET {path} HTTP/1.1".encode()]


@pytest.mark.parametrize("path", ["/api/v1/../../metrics", "/simple/../metrics", "/docs/x/../../metrics"])
async def test_nothing_else_of_the_referee_is_reached(path):
    async with referee(at_once) as (port, asked), beside(port) as app:
        assert (await get(app, path))[0] == 404
        assert asked == []
