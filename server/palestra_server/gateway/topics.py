"""The state of a topic: its last events, each encoded once per codec, and how far each watcher has got."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol

import msgpack

from palestra_protocol.codecs import JSON, MSGPACK, Codec
from palestra_protocol.messages import ErrorCode
from palestra_server.gateway.interface import Refusal
from palestra_server.gateway.websocket import data_frame

KEPT_EVENTS: Final = 256
BEHIND_MAX: Final = 64 * 1024  # bytes a watcher may have outstanding; a slower reader gets the newest state instead
# How long a snapshot is reused when a crowd starts watching at once; its running clock may be off by as much.
SNAPSHOT_KEPT_S: Final = 0.05


class Watcher(Protocol):
    @property
    def binary(self) -> bool:
        """MessagePack (else JSON)."""

    @property
    def backlog(self) -> int:
        """Bytes sent that are still waiting for the socket."""

    def send_frames(self, frames: bytes) -> None:
        """Queue frames made for that codec. Must not call the hub."""

    def reject(self, code: ErrorCode, message: str) -> None:
        """Answer the request with an `error`."""


class Watchable(Protocol):
    """What watchers need of a `Hub`, which has the topics, or of a `Relay`, which passes them on; see `Hub`."""

    def watch(self, watcher: Watcher, topic: str, seen: int | None) -> Refusal | None: ...
    def unwatch(self, watcher: Watcher, topic: str) -> None: ...
    def is_watching(self, watcher: Watcher) -> bool: ...
    def catch_up(self, watcher: Watcher) -> None: ...
    def leave(self, watcher: Watcher) -> None: ...


# An event as a plain map with its own "type", not changed afterwards; or a function that makes it when first needed.
News = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class Event:
    """One event, made and encoded for each codec when first needed.

    From then on only its bytes are kept: a board as Python maps takes ten times as much, and hundreds of matches keep
    their last events.
    """

    __slots__ = ("_binary", "_news", "_text", "_topic", "seq")

    def __init__(self, topic: str, seq: int, news: News) -> None:
        self.seq = seq
        self._topic = topic
        self._news: News | None = news
        self._binary: bytes | None = None
        self._text: bytes | None = None

    def frame(self, binary: bool) -> bytes:
        made = self._binary if binary else self._text
        if made is None:
            made = _encoded(MSGPACK if binary else JSON, self._message())
            if binary:
                self._binary = made
            else:
                self._text = made
            self._news = None
        return made

    def _message(self) -> Mapping[str, object]:
        news = self._news
        if news is None:
            made = self._binary or self._text
            assert made is not None, "the news go when they are encoded"
            return _decoded(made, made is self._binary)
        event = news() if callable(news) else news
        return {"type": "event", "topic": self._topic, "seq": self.seq, "event": event}


def _encoded(codec: Codec, message: Mapping[str, object]) -> bytes:
    return data_frame(codec.encode(message), codec.binary)


def _decoded(frame: bytes, binary: bool) -> dict[str, Any]:
    payload = memoryview(frame)[{126: 4, 127: 10}.get(frame[1], 2) :]
    message: dict[str, Any] = msgpack.unpackb(payload) if binary else json.loads(bytes(payload))
    return message


def snapshot_frame(topic: str, seq: int, snapshot: Mapping[str, Any], binary: bool) -> bytes:
    """The first frame for a watcher of `topic`. Thread-safe."""
    return Event(topic, seq, snapshot).frame(binary)


class Topic:
    """`seq` is the number of its last event; `watchers`: the number of the last event that each was sent."""

    def __init__(self, name: str, seq: int) -> None:
        self.name = name
        self.seq = seq
        self.watchers: dict[Watcher, int] = {}
        self.retired = False
        self._events: deque[Event] = deque(maxlen=KEPT_EVENTS)
        # Many watchers are equally far behind, so what they lack is joined once: (seen, binary) -> `news`.
        self.joined: dict[tuple[int, bool], bytes | None] = {}
        self._snapshots: dict[bool, tuple[float, bytes]] = {}

    def add(self, news: News) -> None:
        self.seq += 1
        self._events.append(Event(self.name, self.seq, news))
        self.joined.clear()
        self._snapshots.clear()

    def encode(self, after: int) -> None:
        """Make now what those who watch lack after event number `after`."""
        # What cannot be made is reported when it would be sent.
        with suppress(Exception):
            for binary in {watcher.binary for watcher in self.watchers}:
                self.news(after, binary)

    def keep_snapshot(self, binary: bool, frame: bytes, now: float) -> None:
        self._snapshots[binary] = now, frame

    def snapshot(self, binary: bool, now: float) -> bytes | None:
        made_at, frame = self._snapshots.get(binary, (now, None))
        return None if self.retired or now - made_at > SNAPSHOT_KEPT_S else frame

    def news(self, seen: int, binary: bool) -> bytes | None:
        """The frames of all events after number `seen`; None if not all are kept, or if they are too many bytes."""
        key = seen, binary
        if key not in self.joined:
            self.joined[key] = self._join(seen, binary)
        return self.joined[key]

    def _join(self, seen: int, binary: bool) -> bytes | None:
        if not self.seq - len(self._events) <= seen <= self.seq:
            return None
        frames: list[bytes] = []
        size = 0
        for event in reversed(self._events):
            if event.seq <= seen:
                break
            frames.append(event.frame(binary))
            size += len(frames[-1])
            if size > BEHIND_MAX and len(frames) > 1:
                return None
        return b"".join(reversed(frames))
