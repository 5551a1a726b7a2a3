"""HTTP connections that ask for nothing, or for ever."""

import asyncio
import contextlib

import pytest
from starlette.responses import PlainTextResponse

from palestra_server.web import patience
from palestra_server.web.serving import WebServer, listen


@pytest.fixture
async def port():
    with listen("127.0.0.1", 0) as listening:
        web = WebServer(PlainTextResponse("the page"), listening, lambda **_: None)
        yield web.port
        await web.close()


async def test_the_longest_silent_goes_when_there_are_too_many(port, monkeypatch):
    monkeypatch.setattr(patience, "CONNECTIONS_MAX", 3)
    silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
    # The server has accepted them in their order: each has been read from before the next one comes.
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert (await reader.read()).endswith(b"the page")
    assert await silent[0][0].read() == b"", "the first of all was let go"
    for _, each in [*silent, (reader, writer)]:
        each.close()


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nsome"])
async def test_a_request_that_never_comes_to_its_end(port, monkeypatch, begun):
    monkeypatch.setattr(patience, "REQUEST_S", 0.0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(begun)
    with contextlib.suppress(ConnectionError):
        await reader.read()  # returns when the server hangs up
    writer.close()
