"""A node that stands by passes on what the one that referees tells its watchers, whichever that is."""

from __future__ import annotations

import asyncio
import contextlib
import json
from types import SimpleNamespace

import msgpack
import pytest
from tests.support.gateway import house, until
from tests.support.sabotage import Saboteur
from websockets.asyncio.client import connect

from palestra_server.gateway import GatewaySettings, Relay, stand_by


@contextlib.asynccontextmanager
async def standing_by(*, referee, target=""):
    """A node that stands by beside `referee.url`: its own address, and what is followed there. The work called `target`
    fails once.
    """
    following = set()
    supervisor = await Saboteur.open()
    supervisor.target = target

    def keep(follow):
        task = supervisor.keep("relay", supervisor, follow)
        following.add(task)
        task.add_done_callback(following.discard)
        return task

    relay = Relay(lambda: referee.url, keep, pause=lambda _: asyncio.sleep(0))
    gateway = await stand_by("127.0.0.1", 0, lambda: referee.url, relay, GatewaySettings(close_s=0.5))
    try:
        yield SimpleNamespace(url=f"ws://127.0.0.1:{gateway.port}", following=following, supervisor=supervisor)
    finally:
        relay.close()
        await gateway.close()
        await supervisor.close()


class Watcher:
    def __init__(self, socket):
        self.socket = socket
        self.binary = socket.subprotocol.endswith("msgpack")

    async def watch(self, topic, **more):
        message = {"type": "watch", "topic": topic, **more}
        await self.socket.send(msgpack.packb(message) if self.binary else json.dumps(message))

    async def next(self):
        message = await asyncio.wait_for(self.socket.recv(), 120)
        return msgpack.unpackb(message) if self.binary else json.loads(message)

    async def events(self, count):
        return [(message["seq"], message["event"]) for message in [await self.next() for _ in range(count)]]


@contextlib.asynccontextmanager
async def watching(url, codec="msgpack"):
    async with connect(f"{url}/watch", subprotocols=[f"palestra.v1.{codec}"], proxy=None) as socket:
        yield Watcher(socket)


def counted(home, state):
    """A topic "match:m" of this house, which numbers its events like a journal."""

    def publish(number):
        state["n"] += 1
        home.hub.publish("match:m", {"type": "played", "n": number})

    home.hub.provide(
        "match", lambda topic: {"type": "snapshot", **state} if topic == "match:m" else None, lambda _: state["n"]
    )
    return publish


async def test_watchers_of_both_codecs_get_a_snapshot_and_every_event_once():
    async with house() as home:
        state = {"n": 0}
        publish = counted(home, state)
        async with standing_by(referee=home) as node, watching(node.url) as ana, watching(node.url, "json") as bob:
            for watcher in (ana, bob):
                await watcher.watch("match:m")
                assert await watcher.events(1) == [(0, {"type": "snapshot", "n": 0})]
            for number in (1, 2, 3):
                publish(number)
            expected = [(number, {"type": "played", "n": number}) for number in (1, 2, 3)]
            for watcher in (ana, bob):
                assert await watcher.events(3) == expected
            assert home.hub.audience("match:m") == 1  # once for both
            async with watching(node.url) as late:
                await late.watch("match:m")
                assert await late.events(4) == [(0, {"type": "snapshot", "n": 0}), *expected]
                await late.watch("match:m", **{"from": 2})
                assert await late.events(1) == expected[2:]


async def test_after_many_events_a_latecomer_gets_a_new_snapshot_and_nobody_else_does():
    async with house() as home:
        state = {"n": 0}
        publish = counted(home, state)
        async with standing_by(referee=home) as node, watching(node.url) as ana:
            await ana.watch("match:m")
            await ana.events(1)
            for number in range(1, 65):
                publish(number)
            assert [seq for seq, _ in await ana.events(64)] == list(range(1, 65))
            publish(65)
            assert await ana.events(1) == [(65, {"type": "played", "n": 65})]
            async with watching(node.url) as late:
                await late.watch("match:m")
                (first, snapshot), *rest = await late.events(1 + 65 - 64)
                assert (first, snapshot["type"], [seq for seq, _ in rest]) == (64, "snapshot", [65])


@pytest.mark.usefixtures("defects_expected")
async def test_a_relay_that_fails_once_is_tried_again():
    async with house() as home:
        publish = counted(home, {"n": 0})
        async with standing_by(referee=home, target="relay") as node, watching(node.url) as ana:
            await ana.watch("match:m")
            await ana.events(1)
            publish(1)
            assert await ana.events(1) == [(1, {"type": "played", "n": 1})]
            assert (node.supervisor.struck, list(node.supervisor.troubles)) == (True, ["relay"])


async def test_an_unknown_topic_is_refused_as_elsewhere():
    async with house() as home:
        counted(home, {"n": 0})
        async with standing_by(referee=home) as node, watching(node.url) as ana:
            await ana.watch("match:other")
            message = await ana.next()
            assert (message["type"], message["code"]) == ("error", "unknown_topic")
            await until(lambda: not node.following)


async def test_the_next_referee_goes_on_with_the_numbers():
    async with house() as first, house() as second:
        before, after = {"n": 0}, {"n": 2}
        publish = counted(first, before)
        publish_then = counted(second, after)
        referee = SimpleNamespace(url=first.url)
        async with standing_by(referee=referee) as node, watching(node.url) as ana:
            await ana.watch("match:m")
            publish_all = [publish(number) for number in (1, 2)]
            assert len(publish_all) == 2
            seen = [seq for seq, _ in await ana.events(1)]
            while seen[-1] < 2:
                seen += [seq for seq, _ in await ana.events(1)]
            referee.url = second.url
            await first.gateway.close()
            await until(lambda: second.hub.audience("match:m") == 1)
            publish_then(3)
            while seen[-1] < 3:
                seen += [seq for seq, _ in await ana.events(1)]
            assert seen == sorted(seen)


async def test_whom_nobody_answers_is_told_to_try_later_and_the_topic_ends_when_nobody_watches():
    async with house() as home:
        counted(home, {"n": 0})
        referee = SimpleNamespace(url=home.url)
        async with standing_by(referee=referee) as node, watching(node.url) as ana, watching(node.url) as bob:
            await ana.watch("match:m")
            await ana.events(1)
            referee.url = None
            await home.gateway.close()

            async def refused():
                await bob.watch("match:m", **{"from": 0})
                return await asyncio.wait_for(bob.next(), 120)

            while (message := await refused())["type"] != "error":
                pass
            assert message["code"] == "try_later"
