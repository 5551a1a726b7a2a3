"""Topics for watchers: publish once, encoded once per codec, resumed by sequence number.

A topic costs nothing until somebody watches it. From then on its last events are kept, so that a watcher whose
connection broke can go on where it was; long after the last watcher left, or when many topics are kept, they go.

Whoever provides a topic may know how many events it has had; then those are its sequence numbers. Otherwise they begin
at the wall clock's milliseconds when the topic is first watched: so a number that a watcher kept from before a restart
(or from before the topic was forgotten) is smaller than all that are kept now, and gets a snapshot, not a continuation
of something else.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from palestra_protocol import JSON, MSGPACK, Codec, ErrorCode
from palestra_server.gateway.interface import Refusal
from palestra_server.gateway.websocket import data_frame

Snapshot = Callable[[str], Mapping[str, Any] | None]
"""topic -> the topic's present state as a plain map; None if there is no such topic."""

Past = Callable[[str, bool], "asyncio.Future[bytes | None] | Refusal"]
"""topic, MessagePack or not -> the frame of the snapshot of what is over (`snapshot_frame`), made beside the loop; None
if there is no such topic."""

EventCount = Callable[[str], int]
"""topic -> how many events it has had up to now."""

LOBBY: Final = "lobby"
"""The one topic without a name of its own."""
KEPT_EVENTS: Final = 256
KEPT_TOPICS: Final = 512
TOPICS_PER_WATCHER: Final = 32
PAST_PER_WATCHER: Final = 4
"""Snapshots of what is over that one watcher may be waiting for."""
SNAPSHOT_SHARE: Final = 0.1
"""Of the loop's time, for snapshots of what goes on: players come first."""
SNAPSHOT_BURST_S: Final = 0.5
"""So much of it may be used at once, when a class opens the page."""


class Watcher(Protocol):
    """A connection that may watch."""

    @property
    def binary(self) -> bool:
        """MessagePack (else JSON)."""

    def send_frame(self, frame: bytes) -> None:
        """Queue a frame made for that codec. Must not call the hub."""

    def reject(self, code: ErrorCode, message: str) -> None:
        """Send an `error`: what was asked for can't be had."""


class _Event:
    """One event, encoded for each codec when first needed."""

    __slots__ = ("_binary", "_message", "_text", "seq")

    def __init__(self, topic: str, seq: int, event: Mapping[str, Any]) -> None:
        self.seq = seq
        self._message = {"type": "event", "topic": topic, "seq": seq, "event": event}
        self._binary: bytes | None = None
        self._text: bytes | None = None

    def frame(self, binary: bool) -> bytes:
        if binary:
            self._binary = self._binary or _encoded(MSGPACK, self._message)
            return self._binary
        self._text = self._text or _encoded(JSON, self._message)
        return self._text


def _encoded(codec: Codec, message: Mapping[str, object]) -> bytes:
    return data_frame(codec.encode(message), codec.binary)


def snapshot_frame(topic: str, seq: int, snapshot: Mapping[str, Any], binary: bool) -> bytes:
    """What a watcher of `topic` is sent first. May be called in any thread."""
    return _Event(topic, seq, snapshot).frame(binary)


_UNKNOWN: Final = Refusal(
    "unknown_topic",
    'There is no such topic: watch "lobby", or "match:ID" or "tournament:ID" with an ID that exists.',
)


class _Topic:
    def __init__(self, seq: int) -> None:
        self.seq = seq
        self.events: deque[_Event] = deque(maxlen=KEPT_EVENTS)
        self.watchers: dict[Watcher, None] = {}
        self.retired = False


class Hub:
    """Topics are "lobby", "match:ID", "tournament:ID". One hub per gateway; used in the loop's thread.

    `wall_ms` reads UTC in milliseconds, `clock` monotonic seconds.
    """

    def __init__(
        self,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._wall_ms = wall_ms
        self._clock = clock
        self._spent = 0.0
        self._spent_at = clock()
        self._providers: dict[str, tuple[Snapshot, EventCount | None, Past | None]] = {}
        self._waiting: dict[Watcher, int] = {}
        # In the order in which they were last begun to be watched: the first without watchers goes first.
        self._topics: dict[str, _Topic] = {}
        self._watching: dict[Watcher, set[str]] = {}

    # For those who have something to tell.

    def provide(self, kind: str, snapshot: Snapshot, count: EventCount | None = None, past: Past | None = None) -> None:
        """Register who knows the topics of a kind ("lobby", "match", "tournament").

        `count` must count what `publish` is told, from the topic's beginning, watched or not. `past` is asked for
        what `snapshot` does not know (any more), and must not take the loop's time.
        """
        self._providers[kind] = snapshot, count, past

    def publish(self, topic: str, event: Mapping[str, Any]) -> None:
        """Send `event` (a plain map with its own "type", not changed afterwards) to everybody who watches `topic`."""
        state = self._topics.get(topic)
        if state is None:
            return
        state.seq += 1
        kept = _Event(topic, state.seq, event)
        state.events.append(kept)
        for watcher in tuple(state.watchers):
            watcher.send_frame(kept.frame(watcher.binary))

    def watched(self, topic: str) -> bool:
        """Is it worth the trouble to build an event for this topic? (Somebody watches, or may resume.)"""
        return topic in self._topics

    def audience(self, topic: str) -> int:
        """How many watch this topic now."""
        state = self._topics.get(topic)
        return 0 if state is None else len(state.watchers)

    def retire(self, topic: str) -> None:
        """The topic will change no more (a match ended): forget its past once nobody watches it."""
        state = self._topics.get(topic)
        if state is not None:
            state.retired = True
            self._forget_if_idle(topic, state)

    # For those who listen.

    def watch(self, watcher: Watcher, topic: str, seen: int | None) -> Refusal | None:
        """Send the events after `seen` if all of them are still known, else a snapshot; then what comes."""
        mine = self._watching.get(watcher, set())
        if topic not in mine and len(mine) >= TOPICS_PER_WATCHER:
            return Refusal(
                "try_later",
                f"One connection can watch {TOPICS_PER_WATCHER} topics: unwatch one, or open another connection.",
            )
        state = self._topics.get(topic)
        missed = None if state is None or seen is None else _after(state, seen)
        if state is not None and missed is not None:
            self._listen(watcher, topic, state)
            for event in missed:
                watcher.send_frame(event.frame(watcher.binary))
            return None
        return self._show(watcher, topic, state)

    def _show(self, watcher: Watcher, topic: str, state: _Topic | None) -> Refusal | None:
        """Send a snapshot, and the watcher listens from then on; what is over has a snapshot only, and later."""
        began = self._clock()
        self._spent = max(0.0, self._spent - (began - self._spent_at) * SNAPSHOT_SHARE)
        self._spent_at = began
        if self._spent > SNAPSHOT_BURST_S:
            return Refusal("try_later", "Many begin to watch at this moment: try again in a second.")
        kind, _, name = topic.partition(":")
        provider, count, past = self._providers.get(kind, (None, None, None))
        sound = topic == LOBBY if kind == LOBBY else bool(name)
        snapshot = provider(topic) if provider and sound else None
        if snapshot is None:
            return self._show_past(watcher, topic, past) if past and sound else _UNKNOWN
        if state is None:
            state = _Topic(count(topic) if count else self._wall_ms())
            self._make_room()
        self._listen(watcher, topic, state)
        watcher.send_frame(snapshot_frame(topic, state.seq, snapshot, watcher.binary))
        self._spent += self._clock() - began
        return None

    def _show_past(self, watcher: Watcher, topic: str, past: Past) -> Refusal | None:
        waits = self._waiting.get(watcher, 0)
        if waits >= PAST_PER_WATCHER:
            return Refusal("try_later", f"You asked for {waits} matches of the past: wait until they are there.")
        frame = past(topic, watcher.binary)
        if isinstance(frame, Refusal):
            return frame
        self._waiting[watcher] = waits + 1
        frame.add_done_callback(lambda made: self._past_is_there(watcher, made))
        return None

    def _past_is_there(self, watcher: Watcher, made: asyncio.Future[bytes | None]) -> None:
        if watcher not in self._waiting:
            return  # it has left
        self._waiting[watcher] -= 1
        if not self._waiting[watcher]:
            del self._waiting[watcher]
        frame = None if made.cancelled() else made.result()
        if frame is None:
            watcher.reject(*_UNKNOWN)
        else:
            watcher.send_frame(frame)

    def _listen(self, watcher: Watcher, topic: str, state: _Topic) -> None:
        self._topics.pop(topic, None)
        self._topics[topic] = state
        state.watchers[watcher] = None
        self._watching.setdefault(watcher, set()).add(topic)

    def is_watching(self, watcher: Watcher) -> bool:
        """Whether it watches anything at all."""
        return watcher in self._watching

    def unwatch(self, watcher: Watcher, topic: str) -> None:
        """Send this watcher no more of this topic; nothing happens if it does not watch it."""
        mine = self._watching.get(watcher)
        if mine is None or topic not in mine:
            return
        mine.discard(topic)
        if not mine:
            del self._watching[watcher]
        state = self._topics[topic]
        del state.watchers[watcher]
        self._forget_if_idle(topic, state)

    def leave(self, watcher: Watcher) -> None:
        """This watcher's connection is over."""
        self._waiting.pop(watcher, None)
        for topic in tuple(self._watching.get(watcher, ())):
            self.unwatch(watcher, topic)

    # Forgetting.

    def _forget_if_idle(self, topic: str, state: _Topic) -> None:
        if state.retired and not state.watchers:
            del self._topics[topic]

    def _make_room(self) -> None:
        if len(self._topics) >= KEPT_TOPICS:
            idle = next((topic for topic, state in self._topics.items() if not state.watchers), None)
            if idle is not None:
                del self._topics[idle]


def _after(state: _Topic, seen: int) -> list[_Event] | None:
    """The events after number `seen`; None if not all of them are kept any more."""
    oldest = state.seq - len(state.events)
    if not oldest <= seen <= state.seq:
        return None
    return [event for event in state.events if event.seq > seen]
