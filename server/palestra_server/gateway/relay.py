"""Watchers of a node that stands by: each topic is watched once at the node that referees, and passed on to all.

It is the same conversation as any watcher's: a snapshot, then events numbered without gaps, resumed by number after a
lost connection. So nothing but the wire is needed between the nodes, and a take-over is a reconnection.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from palestra_protocol.codecs import MSGPACK
from palestra_server.gateway.hub import KEPT_TOPICS, TOPICS_PER_WATCHER
from palestra_server.gateway.interface import Refusal
from palestra_server.gateway.topics import BEHIND_MAX, Topic, Watcher, snapshot_frame

AGAIN_S: Final = 0.5  # pause before the node that referees is asked again
IDLE_S: Final = 30.0  # how long a topic is followed that nobody watches any more
PING_S: Final = 5.0
STALE: Final = 64  # after so many events a latecomer is better served with a new snapshot

Address: TypeAlias = Callable[[], str | None]  # where bots find the node that referees, if there is one
Keep: TypeAlias = Callable[[Callable[[], Coroutine[Any, Any, None]]], "asyncio.Task[Any]"]

_NOBODY: Final = Refusal("try_later", "No machine of this server referees at the moment: try again in a few seconds.")


class _Followed:
    """A topic as the node that referees tells it; `topic` is None until it first has."""

    def __init__(self) -> None:
        self.topic: Topic | None = None
        self.snapshot: Mapping[str, Any] = {}
        self.base = 0  # the number of the last event in `snapshot`
        self.upstream: ClientConnection | None = None
        self.watchers: dict[Watcher, int | None] = {}  # the number of the last event that each was sent
        self.task: asyncio.Task[Any] | None = None
        self.idle: asyncio.TimerHandle | None = None

    def frames(self, seen: int | None, binary: bool) -> bytes:
        """What a watcher lacks who has seen all events up to this one: events, or the snapshot and those after it."""
        topic = self.topic
        assert topic is not None
        news = None if seen is None else topic.news(seen, binary)
        if news is None:
            news = snapshot_frame(topic.name, self.base, self.snapshot, binary)
            news += topic.news(self.base, binary) or b""
        return news

    def end(self) -> None:
        for each in (self.idle, self.task):
            if each is not None:
                each.cancel()


class Relay:
    """For the loop's thread only. `keep` runs a coroutine, and again if it fails; `pause` waits for so many seconds."""

    def __init__(
        self, referee: Address, keep: Keep, pause: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._referee = referee
        self._keep = keep
        self._pause = pause
        self._followed: dict[str, _Followed] = {}
        self._watching: dict[Watcher, set[str]] = {}

    # For watchers:

    def watch(self, watcher: Watcher, topic: str, seen: int | None) -> Refusal | None:
        mine = self._watching.setdefault(watcher, set())
        if topic not in mine and len(mine) >= TOPICS_PER_WATCHER:
            return Refusal("try_later", f"One connection can watch {TOPICS_PER_WATCHER} topics: unwatch one.")
        followed = self._followed.get(topic)
        if followed is None:
            if len(self._followed) >= KEPT_TOPICS:
                return Refusal("try_later", "Too much is watched at this machine: try again in a minute.")
            followed = self._followed[topic] = _Followed()
            followed.task = self._keep(partial(self._follow, topic, followed))
        elif followed.topic is not None and followed.upstream is None:
            return _NOBODY
        if followed.idle is not None:
            followed.idle.cancel()
            followed.idle = None
        mine.add(topic)
        followed.watchers[watcher] = seen
        if followed.topic is not None:
            self._serve(watcher, followed)
        return None

    def unwatch(self, watcher: Watcher, topic: str) -> None:
        mine = self._watching.get(watcher, set())
        if topic not in mine:
            return
        mine.discard(topic)
        if not mine:
            del self._watching[watcher]
        followed = self._followed[topic]
        del followed.watchers[watcher]
        if not followed.watchers:
            loop = asyncio.get_running_loop()
            followed.idle = loop.call_later(IDLE_S, self._forget, topic)

    def is_watching(self, watcher: Watcher) -> bool:
        return bool(self._watching.get(watcher))

    def catch_up(self, watcher: Watcher) -> None:
        for topic in tuple(self._watching.get(watcher, ())):
            followed = self._followed[topic]
            if followed.topic is not None and followed.watchers[watcher] != followed.topic.seq:
                self._serve(watcher, followed)

    def leave(self, watcher: Watcher) -> None:
        for topic in tuple(self._watching.get(watcher, ())):
            self.unwatch(watcher, topic)
        self._watching.pop(watcher, None)

    def close(self) -> None:
        """Follow nothing any more."""
        for followed in self._followed.values():
            followed.end()

    def _serve(self, watcher: Watcher, followed: _Followed) -> None:
        topic = followed.topic
        assert topic is not None
        if watcher.backlog > BEHIND_MAX:
            return  # it is told when it has read that
        frames = followed.frames(followed.watchers[watcher], watcher.binary)
        followed.watchers[watcher] = topic.seq
        if frames:
            watcher.send_frames(frames)

    # The node that referees:

    async def _follow(self, name: str, followed: _Followed) -> None:
        while True:
            address = self._referee()
            if address is not None:
                with contextlib.suppress(OSError, WebSocketException):
                    await self._converse(f"{address}/watch", name, followed)
                followed.upstream = None
            await self._pause(AGAIN_S)

    async def _converse(self, url: str, name: str, followed: _Followed) -> None:
        async with connect(
            url,
            subprotocols=[Subprotocol(MSGPACK.subprotocol)],
            compression=None,
            max_size=None,
            proxy=None,
            ping_interval=PING_S,
            ping_timeout=PING_S,
        ) as upstream:
            followed.upstream = upstream
            seen = None if followed.topic is None else followed.topic.seq
            await upstream.send(_watch(name, seen))
            async for frame in upstream:
                message = msgpack.unpackb(frame)
                if message["type"] == "error":
                    self._refused(name, followed, Refusal(message["code"], message["message"]))
                    return
                if message["type"] == "event" and self._heard(name, followed, message["seq"], message["event"]):
                    await upstream.send(_watch(name, None))

    def _heard(self, name: str, followed: _Followed, seq: int, event: Mapping[str, Any]) -> bool:
        """Whether a new snapshot is wanted: a number is missing, or the last one is long ago."""
        topic = followed.topic
        if event["type"] == "snapshot":
            if topic is None or topic.seq != seq:
                topic = followed.topic = Topic(name, seq)
            followed.snapshot, followed.base = event, seq
        elif topic is None or seq != topic.seq + 1:
            return topic is None or seq > topic.seq
        else:
            topic.add(event)
        for watcher, sent in tuple(followed.watchers.items()):  # what is sent to may end its connection
            if sent != topic.seq:
                self._serve(watcher, followed)
        return topic.seq - followed.base == STALE

    def _refused(self, name: str, followed: _Followed, refusal: Refusal) -> None:
        """There is no such topic (any more)."""
        if refusal.code == "try_later":
            return
        for watcher in tuple(followed.watchers):
            self.unwatch(watcher, name)
            watcher.reject(*refusal)
        self._forget(name)

    def _forget(self, name: str) -> None:
        self._followed.pop(name).end()


def _watch(topic: str, seen: int | None) -> bytes:
    watch: dict[str, object] = {"type": "watch", "topic": topic}
    return bytes(msgpack.packb(watch if seen is None else watch | {"from": seen}))
