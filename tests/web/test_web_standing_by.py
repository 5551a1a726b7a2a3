"""The web port of a node that stands by, in front of one that referees."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace

import httpx
import pytest
from tests.support.sabotage import Saboteur

from palestra_server.gateway import Counts, GatewaySettings, Relay, stand_by
from palestra_server.runtime.machines import Machines
from palestra_server.settings import Settings
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
    async with standing_by.standby_app(machines, Settings(metrics="10.0.0.0/8"), lambda: Counts(watchers=7)) as app:
        yield app


async def get(app, path, body=b"", host=b"here", client="10.0.0.9"):
    """As sent, without what a client makes of dots in it; with a body, it is posted."""
    asked, _, query = path.partition("?")
    headers = [(b"host", host), *([(b"content-length", str(len(body)).encode())] if body else [])]
    scope = {
        "type": "http",
        "method": "POST" if body else "GET",
        "path": httpx.URL(path).path if "%" in path else asked,
    }
    scope |= {"raw_path": asked.encode(), "query_string": query.encode(), "headers": headers}
    scope |= {
        "root_path": "",
        "scheme": "http",
        "server": ("here", 80),
        "client": (client, 5),
        "http_version": "1.1",
    }
    sent = []

    async def send(message):
        sent.append(message)

    said = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive():
        return next(said, None) or await asyncio.Event().wait()

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent).decode()


async def test_a_node_finds_itself_at_last_though_trying_failed_once():
    me, relay = Node(ME, "", "", "1", (), "key"), Relay(lambda: None, lambda _: None)
    gateway = await stand_by("127.0.0.1", 0, lambda: None, relay, GatewaySettings(run=me.run, close_s=0.5))
    here = f"127.0.0.1:{gateway.port}"
    machines = Machines(SimpleNamespace(), replace(me, page=f"http://{here}", bots="ws://127.0.0.1:1"))
    machines.astray = await standing_by.astray(machines.me)
    assert machines.astray.startswith("ws://127.0.0.1:1 can't be reached from b itself")
    assert "but elsewhere" in await standing_by.astray(replace(me, page=f"http://{here}", bots=f"ws://{here}", run="x"))

    async def pause(_):
        machines.me = replace(machines.me, bots=f"ws://{here}")

    supervisor = await Saboteur.open()
    supervisor.target = "own addresses"
    await supervisor.keep("own addresses", supervisor, lambda: standing_by.find_itself(machines, pause))
    assert (supervisor.struck, machines.astray) == (True, "")
    await supervisor.close()
    await gateway.close()


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


@pytest.mark.parametrize(
    ("status", "role", "length", "passed"),
    [
        (200, "teacher", 1 << 20, True),
        (200, "teacher", (1 << 20) + 1, False),
        (200, "player", 20_000, False),
        (401, "player", 5_000, False),
        (200, "visitor", 4096, True),
    ],
)
async def test_a_body_that_the_referee_would_refuse_is_refused_here(status, role, length, passed):
    async def who(writer):
        text = f'{{"role": "{role}"}}'
        writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(text)}\r\nconnection: close\r\n\r\n{text}".encode())

    async with referee(who) as (port, asked), beside(port) as app:
        told, body = await get(app, "/api/v1/roster", b"x" * length)
        assert (told, "too_large" in body) == ((status, False) if passed else (413, True))
        assert any(line.startswith(b"POST") for line in asked) is passed


async def shared(writer):
    text = '<title>ana 1–0 bob · Palestra</title>\n<meta property="og:title" content="ana 1–0 bob">\n<link>'.encode()
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nconnection: close\r\n\r\n" + text)


async def test_a_link_is_shared_with_the_title_and_picture_that_the_referee_knows():
    async with referee(shared) as (port, asked), beside(port) as app:
        status, page = await get(app, "/match/ab12")
        assert (status, 'content="ana 1–0 bob">' in page, "<title>Palestra" in page) == (200, True, False)
        assert (await get(app, "/players"))[0] == 200
        assert asked == [b"GET /match/ab12 HTTP/1.1"]
    for silent in (1, port):  # nobody listens; what listened is gone
        async with beside(silent) as app:
            assert "<title>Palestra</title>" in (await get(app, "/match/ab12"))[1]


async def test_metrics_of_a_node_that_stands_by():
    async with beside(1) as app:
        status, text = await get(app, "/metrics")
        assert (status, "palestra_watchers 7.0" in text, "palestra_referees 0.0" in text) == (200, True, True)
        assert 'palestra_node_seen_seconds{node="a"} 0.0' in text
        assert 'palestra_node_load{node="b"} 0.0' in text
        assert (await get(app, "/metrics", client="192.168.0.1"))[0] == 403


async def test_a_call_under_a_name_of_somebody_elses_is_not_passed_on():
    async with referee(at_once) as (port, asked), beside(port) as app:
        status, text = await get(app, "/api/v1/about", host=b"evil.example")
        assert (status, "does not answer to evil.example" in text, asked) == (421, True, [])
