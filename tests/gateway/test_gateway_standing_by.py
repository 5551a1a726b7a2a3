"""A node that stands by keeps who comes to play until another referees, and sends them on."""

from __future__ import annotations

import contextlib
import socket
from types import SimpleNamespace

import msgpack
import pytest
from tests.support.gateway import until
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from palestra_server.gateway import GatewaySettings, Relay, bound, stand_by
from palestra_server.gateway import standing_by as module


@contextlib.asynccontextmanager
async def node(sockets=(), **settings):
    """A node that stands by; `address` is that of the node that referees."""
    here = SimpleNamespace(address=None)
    relay = Relay(lambda: here.address, lambda _: None)
    settings = GatewaySettings(close_s=0.5, **settings)
    here.gateway = await stand_by("127.0.0.1", 0, lambda: here.address, relay, settings, sockets)
    here.url = f"ws://127.0.0.1:{here.gateway.port}/play"
    try:
        yield here
    finally:
        await here.gateway.close()


@contextlib.asynccontextmanager
async def coming(url):
    async with connect(url, subprotocols=["palestra.v1.msgpack"], proxy=None) as player:
        await player.send(msgpack.packb({"type": "hello", "token": "", "name": "ana"}))
        yield player


async def sent_to(player):
    error = msgpack.unpackb(await player.recv())
    assert (error["type"], error["code"], error["fatal"]) == ("error", "elsewhere", True)
    with pytest.raises(ConnectionClosed) as closed:
        await player.recv()
    assert closed.value.rcvd.code == 1013
    return error["address"]


async def test_whoever_comes_while_nobody_referees_waits_and_is_sent_on():
    async with node() as here, contextlib.AsyncExitStack() as stack:
        early = [await stack.enter_async_context(coming(here.url)) for _ in range(module.AT_ONCE + 1)]
        await until(lambda: len(here.gateway.waiting) == len(early))
        await here.gateway.send_on()  # nobody knows where to
        assert len(here.gateway.waiting) == len(early)
        here.address = "ws://two"
        await here.gateway.send_on()
        assert [await sent_to(each) for each in early] == ["ws://two"] * len(early)
        late = await stack.enter_async_context(coming(here.url))
        assert await sent_to(late) == "ws://two"
        assert not here.gateway.waiting


async def test_nobody_waits_for_ever(monkeypatch):
    monkeypatch.setattr(module, "HELD_S", 0.0)
    async with node() as here, connect(here.url, subprotocols=["palestra.v1.msgpack"], proxy=None) as ana:
        assert await sent_to(ana) is None


async def test_whoever_gives_their_place_to_another_is_told():
    async with node(max_strangers=1) as here, coming(here.url) as ana:
        await until(lambda: here.gateway.waiting)
        async with coming(here.url) as bob:
            assert msgpack.unpackb(await ana.recv())["address"] is None
            await until(lambda: len(here.gateway.waiting) == 1)
            here.address = "ws://two"
            await here.gateway.send_on()
            assert await sent_to(bob) == "ws://two"


async def test_whoever_comes_between_two_parts_of_a_node_waits_for_the_next():
    (held,) = bound("127.0.0.1", 0)
    with held:
        held.listen()
        async with node([held.again()]) as before:
            before.gateway.stop()
            with socket.create_connection(held.getsockname()) as early:  # nobody refuses it
                early.setblocking(False)
                async with node([held.again()]) as after, coming(after.url) as ana:
                    after.address = "ws://two"
                    assert await sent_to(ana) == "ws://two"
                    assert after.gateway.counts.accepted == 2  # the early one, too
