"""The handshake: who gets in, and what is told to visitors who took a wrong turn or send garbage."""

import asyncio
import contextlib
import os
import socket

import pytest
from tests.support.gateway import WAIT_S, RawClient, house, request
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from palestra_server.gateway import bind, household

MSGPACK, JSON = "palestra.v1.msgpack", "palestra.v1.json"


async def exchange(port, data, *, end=True):
    """Sends `data` and reads until the server closes; returns what came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        if end:
            writer.write_eof()
        return await asyncio.wait_for(reader.read(), WAIT_S)
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("path", ["/play", "/watch", "/play?from=somewhere", "/watch?"])
@pytest.mark.parametrize(
    ("asked", "given"),
    [([], None), ([MSGPACK], MSGPACK), ([JSON], JSON), ([JSON, MSGPACK], MSGPACK), (["x", JSON], JSON)],
)
async def test_subprotocols(path, asked, given):
    async with house() as home, connect(home.url + path, subprotocols=asked or None) as client:
        assert client.subprotocol == given
        assert client.protocol.extensions == []


async def test_a_strange_subprotocol_is_told_the_two():
    async with house() as home:
        with pytest.raises(InvalidStatus) as refused:
            await connect(home.url + "/play", subprotocols=["chat"])
        assert refused.value.response.status_code == 400
        assert MSGPACK in refused.value.response.body.decode()
        assert JSON in refused.value.response.body.decode()


@pytest.mark.parametrize("path", ["/", "/plays", "/play/", "/%70lay"])
async def test_other_paths(path):
    async with house() as home:
        with pytest.raises(InvalidStatus) as refused:
            await connect(home.url + path)
        assert refused.value.response.status_code == 404
        assert b"/play" in refused.value.response.body


@pytest.mark.parametrize("path", ["/", "/play", "/favicon.ico"])
async def test_a_browser_is_told_what_this_port_is_for(path):
    async with house() as home:
        answer = await exchange(home.port, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode(), end=False)
        assert answer.startswith(b"HTTP/1.1 426")
        assert b"palestra join" in answer


@pytest.mark.parametrize(
    ("host", "site", "page"),
    [
        ("pc7:8765", None, "http://pc7:8000"),
        ("192.168.1.20:8765", None, "http://192.168.1.20:8000"),
        ("[::1]:8765", None, "http://[::1]:8000"),
        ("pc7", "https://bots.school.edu/", "https://bots.school.edu"),
    ],
)
async def test_a_browser_is_sent_on_to_the_page(host, site, page):
    async with house(page_port=8000, site=site) as home:
        asked = f"GET /api/v1/about?x=1 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        answer = (await exchange(home.port, asked, end=False)).decode()
        assert answer.startswith("HTTP/1.1 307")
        assert f"Location: {page}/api/v1/about?x=1\r\n" in answer
        assert f"web page: {page}\n" in answer


@pytest.mark.parametrize("asked", ["/ HTTP/1.1\r\nHost: evil.example", "/ HTTP/1.0"])
async def test_nobody_is_sent_on_by_a_name_that_is_not_ours(asked):
    async with house(page_port=8000) as home:
        answer = await exchange(home.port, f"GET {asked}\r\n\r\n".encode(), end=False)
        assert answer.startswith(b"HTTP/1.1 426")


async def test_a_path_that_names_another_server_is_not_passed_on():
    async with house(page_port=8000) as home:
        answer = await exchange(home.port, b"GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n", end=False)
        assert b"Location: http://x:8000/\r\n" in answer


async def test_a_path_that_a_header_cannot_hold_is_passed_on_escaped():
    async with house(page_port=8000) as home:
        answer = await exchange(home.port, b"GET /a\x00b\rc?x=%0d&y=~' HTTP/1.1\r\nHost: x\r\n\r\n", end=False)
        assert b"Location: http://x:8000/a%00b%0Dc?x=%0d&y=~'\r\n" in answer


@pytest.mark.parametrize("upgrade", ["", "Upgrade: websocket\r\n"])
@pytest.mark.parametrize("name", ["Host", "Origin"])
async def test_a_request_with_two_of_a_header_that_says_who_asks_is_refused(name, upgrade, caplog):
    async with house(page_port=8000) as home:
        asked = f"GET /play HTTP/1.1\r\n{upgrade}{name}: a\r\n{name}: b\r\n\r\n"
        answer = (await exchange(home.port, asked.encode(), end=False)).decode()
        assert answer.startswith("HTTP/1.1 400")
        assert answer.endswith(f"The request has more than one {name}.\n")
    assert caplog.records == []


ORIGINS = {
    "a program": ([], 101),
    "our page": (["Origin: http://localhost:8000"], 101),
    "our page behind TLS": (["Origin: https://localhost:8000"], 101),
    "the site": (["Origin: https://bots.school.edu"], 101),
    "a page that may": (["Origin: https://friend.example"], 101),
    "a page elsewhere": (["Origin: https://evil.example"], 403),
    "our host, another port": (["Origin: http://localhost:9000"], 403),
    "a file": (["Origin: null"], 403),
    "an extension": (["Origin: moz-extension://localhost:8000"], 403),
}


@pytest.mark.parametrize("kind", ORIGINS)
async def test_a_page_elsewhere_cannot_connect(kind):
    headers, status = ORIGINS[kind]
    lines = request("/watch", *headers).replace(b"Host: here", b"Host: localhost:8000")
    async with house(site="https://bots.school.edu", origins=("https://friend.example",)) as home:
        answer = await exchange(home.port, lines)
        assert answer.startswith(b"HTTP/1.1 %d" % status)
        assert (b"page of another server" in answer) == (status == 403)


@pytest.mark.parametrize(
    ("name", "status"),
    [("127.0.0.1:8765", 101), ("[::1]:8765", 101), ("here", 101), ("pc7.local", 101), ("evil.example:8765", 421)],
)
async def test_a_name_that_somebody_pointed_at_this_machine_is_refused(name, status):
    async with house() as home:
        answer = await exchange(home.port, request().replace(b"here", name.encode()))
        assert answer.startswith(b"HTTP/1.1 %d" % status)
        assert (b"--site https://evil.example" in answer) == (status == 421)


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([], "127.0.0.1"),
        (["X-Forwarded-For: 198.51.100.7"], "198.51.100.7"),
        (["X-Forwarded-For: 203.0.113.1, 198.51.100.7"], "198.51.100.7"),
        (["X-Forwarded-For: 203.0.113.1", "X-Forwarded-For: 2001:db8::7"], "2001:db8::7"),
        (["X-Forwarded-For: my own machine"], "127.0.0.1"),
    ],
)
async def test_a_player_is_where_our_proxy_says(headers, address):
    async with house() as home:
        client = await RawClient.open(home.port, *headers)
        await asyncio.to_thread(client.join, "eva")
        assert home.runtime.peers["eva"].address == address
        client.close()
    async with house(proxies=()) as home:
        client = await RawClient.open(home.port, *headers)
        await asyncio.to_thread(client.join, "eva")
        assert home.runtime.peers["eva"].address == "127.0.0.1", "anybody can write a header"
        client.close()


def test_addresses_of_one_household():
    assert household("2001:db8:0:1:aaaa::1") == household("2001:db8:0:1:bbbb::2") != household("2001:db8:0:2::1")
    assert household("198.51.100.7") == "198.51.100.7" != household("198.51.100.8")
    assert household("::ffff:198.51.100.7") == "198.51.100.7", "as a proxy may write it"
    assert household("?") == "?"


RUBBISH = {
    "nothing": b"",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(range(200)),
    "random": os.urandom(2000).replace(b"\n", b" "),
    "random with lines": os.urandom(500) + b"\r\n\r\n" + os.urandom(500),
    "one long line": b"GET /" + b"a" * 1_000_000,
    "one long header": b"GET /play HTTP/1.1\r\nX: " + b"a" * 1_000_000,
    "many headers": b"GET /play HTTP/1.1\r\n" + b"X: y\r\n" * 100_000,
    "post": b"POST /play HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd",
    "http 1.0": request().replace(b"HTTP/1.1", b"HTTP/1.0"),
    "http 2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no key": request().replace(b"Sec-WebSocket-Key", b"Sec-Nothing"),
    "old version": request().replace(b"Version: 13", b"Version: 8"),
    "chunked": request().replace(b"Host: here", b"Transfer-Encoding: chunked"),
    "bare line feeds": request().replace(b"\r\n", b"\n"),
    "half a request": request()[:60],
    "not ascii": "GET /plåy HTTP/1.1\r\n\r\n".encode(),
}


@pytest.mark.parametrize("kind", RUBBISH)
@pytest.mark.parametrize("end", [True, False], ids=["and hangs up", "and waits"])
@pytest.mark.slow
async def test_rubbish_ends_in_a_closed_socket(kind, end):
    async with house(hello_s=2.0, close_s=0.2) as home:
        answer = await exchange(home.port, RUBBISH[kind], end=end)
        assert b"101" not in answer
        # The gateway is as well as before.
        async with connect(home.url + "/play"):
            assert home.gateway.counts.players == 0


async def test_a_handshake_in_single_bytes_with_a_message_behind_it():
    async with house() as home:
        reader, writer = await asyncio.open_connection("127.0.0.1", home.port)
        everything = request() + b"\x82\x80mask"
        for byte in everything:
            writer.write(bytes((byte,)))
            await asyncio.sleep(0)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT_S)
        assert head.startswith(b"HTTP/1.1 101")
        # The empty frame is no message.
        assert b"bad_message" in await asyncio.wait_for(reader.readexactly(60), WAIT_S)
        writer.close()


@pytest.mark.skipif(not os.path.exists("/proc/net/if_inet6"), reason="this machine has no IPv6")
def test_everywhere_is_ipv6_too_under_the_same_number():
    with contextlib.ExitStack() as stack:
        bound = [stack.enter_context(each) for each in bind("0.0.0.0", 0)]
        assert {each.family for each in bound} == {socket.AF_INET, socket.AF_INET6}
        assert len({each.getsockname()[1] for each in bound}) == 1
    with contextlib.ExitStack() as stack:
        assert [stack.enter_context(each).family for each in bind("127.0.0.1", 0)] == [socket.AF_INET]
