"""What is kept of a topic: its last events, each encoded once per codec, and how far every watcher has got."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final, Protocol

from palestra_protocol import JSON, MSGPACK, Codec, ErrorCode
from palestra_server.gateway.websocket import data_frame

KEPT_EVENTS: Final = 256
BEHIND_MAX: Final = 64 * 1024
"""Bytes a watcher may have outstanding; one that reads too slowly is sent the newest state instead of more."""
SNAPSHOT_KEPT_S: Final = 0.05
"""A crowd that begins to watch at once gets one and the same snapshot; its running clock may be so much behind."""


class Watcher(Protocol):
    """A connection that may watch."""

    @property
    def binary(self) -> bool:
        """MessagePack (else JSON)."""

    @property
    def backlog(self) -> int:
        """Bytes sent that the other side has not taken yet."""

    def send_frames(self, frames: bytes) -> None:
        """Queue frames made for that codec. Must not call the hub."""

    def reject(self, code: ErrorCode, message: str) -> None:
        """Send an `error`: what was asked for can't be had."""


class Event:
    """One event, encoded for each codec when first needed."""

    __slots__ = ("_binary", "_message", "_text", "seq")

    def __init__(self, topic: str, seq: int, event: Mapping[str, Any]) -> None:
        self.seq = seq
        self._message = {"type": "event", "topic": topic, "seq": seq, "event": event}
        self._binary: bytes | None = None
        self._text: bytes | None = None

    def frame(self, binary: bool) -> bytes:
        """The event as a WebSocket frame."""
        if binary:
            self._binary = self._binary or _encoded(MSGPACK, self._message)
            return self._binary
        self._text = self._text or _encoded(JSON, self._message)
        return self._text


def _encoded(codec: Codec, message: Mapping[str, object]) -> bytes:
    return data_frame(codec.encode(message), codec.binary)


def snapshot_frame(topic: str, seq: int, snapshot: Mapping[str, Any], binary: bool) -> bytes:
    """What a watcher of `topic` is sent first. May be called in any thread."""
    return Event(topic, seq, snapshot).frame(binary)


class Topic:
    """`seq` is the number of its last event; `watchers`: the number of the last event that each was sent."""

    def __init__(self, name: str, seq: int) -> None:
        self.name = name
        self.seq = seq
        self.watchers: dict[Watcher, int] = {}
        self.retired = False
        self._events: deque[Event] = deque(maxlen=KEPT_EVENTS)
        # Many watchers are equally far behind: what they lack is put together once.
        self._news: dict[tuple[int, bool], bytes | None] = {}
        self._snapshots: dict[bool, tuple[float, bytes]] = {}

    def add(self, event: Mapping[str, Any]) -> None:
        """The next event, a plain map that is not changed afterwards."""
        self.seq += 1
        self._events.append(Event(self.name, self.seq, event))
        self._news.clear()
        self._snapshots.clear()

    def keep_snapshot(self, binary: bool, frame: bytes, now: float) -> None:
        """This is how things stand at present."""
        self._snapshots[binary] = now, frame

    def snapshot(self, binary: bool, now: float) -> bytes | None:
        """The snapshot that was kept, if it still holds."""
        made_at, frame = self._snapshots.get(binary, (now, None))
        return None if self.retired or now - made_at > SNAPSHOT_KEPT_S else frame

    def news(self, seen: int, binary: bool) -> bytes | None:
        """The frames of all events after number `seen`; None if not all are kept, or if they are too many bytes."""
        key = seen, binary
        if key not in self._news:
            self._news[key] = self._joined(seen, binary)
        return self._news[key]

    def _joined(self, seen: int, binary: bool) -> bytes | None:
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
