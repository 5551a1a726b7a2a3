"""/play and /watch on the web port: uvicorn takes the request, and the gateway's own connection goes on from there."""

import asyncio
import json
import time

import msgpack
import pytest
from tests.support.gateway import WAIT_S, RawClient, hello, packed, until, whole_house
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException


async def test_both_ports_are_one_house():
    async with (
        whole_house() as home,
        connect(f"ws://127.0.0.1:{home.web}/watch", subprotocols=["palestra.v1.json"], compression=None) as page,
        connect(f"ws://127.0.0.1:{home.web}/play", compression=None) as bot,
        connect(f"ws://127.0.0.1:{home.port}/watch", subprotocols=["palestra.v1.json"]) as beside,
    ):
        home.hub.provide("lobby", lambda _topic: {"type": "snapshot", "players": []})
        for watcher in (page, beside):
            await watcher.send(json.dumps({"type": "watch", "topic": "lobby"}))
            assert json.loads(await asyncio.wait_for(watcher.recv(), WAIT_S))["event"]["type"] == "snapshot"
        await bot.send(msgpack.packb(hello("eva")))
        welcome = msgpack.unpackb(await asyncio.wait_for(bot.recv(), WAIT_S))
        assert (welcome["type"], welcome["page"]) == ("welcome", f"http://127.0.0.1:{home.web}")
        home.hub.publish("lobby", {"type": "player_joined", "player": "eva"})
        texts = [await asyncio.wait_for(watcher.recv(), WAIT_S) for watcher in (page, beside)]
        assert texts[0] == texts[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", home.web)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), WAIT_S)).endswith(b"the page")
        writer.close()


async def test_a_move_over_the_web_port_is_dated_by_the_kernel():
    async with whole_house() as home:
        client = await RawClient.open(home.web)
        await asyncio.to_thread(client.join, "eva")
        assert await home.runtime.next("join") == "eva"

        def stalled():
            client.socket.sendall(packed(type="ready", match="m"))
            sent.append(time.monotonic_ns())
            time.sleep(0.2)

        sent = []
        asyncio.get_running_loop().call_soon(stalled)
        _, _, arrival = await home.runtime.next("message")
        assert arrival.at <= sent[0] + 5_000_000
        assert arrival.seen - arrival.at >= 150_000_000
        assert arrival.stamp == "stall"
        client.close()
        await home.runtime.next("leave")


@pytest.mark.parametrize(
    ("path", "origin", "status"), [("/nothing", None, 404), ("/play", "https://evil.example", 403)]
)
async def test_what_the_gateway_refuses_is_refused_here_too(path, origin, status):
    async with whole_house() as home:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{home.web}{path}", origin=origin)
        assert refused.value.response.status_code == status
        await until(lambda: not home.gateway.counts.connections)


async def test_a_connection_over_the_web_port_hears_that_the_server_goes_away():
    async with whole_house() as home, connect(f"ws://127.0.0.1:{home.web}/play", compression=None) as bot:
        await home.gateway.close()
        with pytest.raises(ConnectionClosed) as ended:
            await bot.recv()
        assert ended.value.rcvd.code == 1001
        with pytest.raises((WebSocketException, OSError)):
            await connect(f"ws://127.0.0.1:{home.web}/play")
        assert home.gateway.counts.connections == 0
