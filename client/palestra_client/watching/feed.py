"""The spectator connection: subscribes to topics, yields their events, and reconnects when it breaks."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from palestra_client.address import is_near
from palestra_client.backoff import Backoff
from palestra_client.connection import CONNECT_ERRORS, why_not_connected
from palestra_client.effects import Stop
from palestra_protocol.codecs import MSGPACK
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.harmless import ForPeople
from palestra_protocol.messages import Error, Event, Unwatch, Watch

LOBBY = "lobby"


class CannotWatch(ForPeople):
    """There is nothing to watch. The message is one sentence that says why and what to do."""


@dataclass(frozen=True, slots=True)
class News:
    """An event of a topic, as described in PROTOCOL.md. The first event of a topic is its snapshot."""

    topic: str
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is down; new snapshots follow once it is back. `why` is a sentence fragment."""

    why: str


class Feed:
    """Follows topics on one server. While iterating over `news()`, use `follow` and `leave` to change the topics."""

    def __init__(self, url: str, topics: tuple[str, ...]) -> None:
        self._url = url
        self._topics = dict.fromkeys(topics)
        self._socket: ClientConnection | None = None

    async def follow(self, topic: str) -> None:
        """Subscribe to a topic: its snapshot comes first, then its events."""
        self._topics[topic] = None
        await self._send(Watch(topic=topic))

    async def leave(self, topic: str) -> None:
        self._topics.pop(topic, None)
        await self._send(Unwatch(topic=topic))

    async def news(self) -> AsyncGenerator[News | Lost, None]:
        """Yield events forever, reconnecting as needed. Raises CannotWatch if retrying is pointless."""
        backoff = Backoff(random.random)
        welcome = False
        while True:
            try:
                socket = await connect(
                    self._url,
                    subprotocols=[Subprotocol(MSGPACK.subprotocol)],
                    compression=None,
                    proxy=None if is_near(self._url) else True,
                    max_size=None,  # the snapshot of a long match is large
                )
            except CONNECT_ERRORS as error:
                verdict = why_not_connected(self._url, error, was_there=welcome)
                if isinstance(verdict, Stop):
                    raise CannotWatch(verdict.sentence) from error
                yield Lost(verdict.why)
                absent = verdict.absent
            else:
                welcome = True
                async with socket:
                    self._socket = socket
                    for topic in self._topics:
                        await self._send(Watch(topic=topic))
                    async for news in self._received(socket):
                        backoff.forget()
                        yield news
                self._socket = None
                yield Lost("the connection broke")
                absent = False
            await asyncio.sleep(backoff.next_pause(absent=absent))

    async def _received(self, socket: ClientConnection) -> AsyncGenerator[News, None]:
        while True:
            try:
                frame = await socket.recv(decode=False)
            except ConnectionClosed:
                return
            try:
                message = MSGPACK.decode_server(frame)
            except BadMessage:
                continue  # a newer server may send messages we don't know
            if isinstance(message, Error) and message.code == "unknown_topic":
                raise CannotWatch(
                    "The server has no such match; `palestra watch` without a name lists those that are on."
                )
            if isinstance(message, Error) and message.code == "try_later":
                raise CannotWatch(message.message)
            if isinstance(message, Event):
                yield News(message.topic, message.event)

    async def _send(self, message: Watch | Unwatch) -> None:
        if self._socket is not None:
            try:
                await self._socket.send(MSGPACK.encode(message))
            except ConnectionClosed:
                return  # the topics are sent again on the next connection
