"""Topics for watchers: published once, delivered in slices between the players' frames, resumed by number.

A topic costs nothing until somebody watches it. From then on its last events are kept, so that a watcher can resume
after a lost connection. They are dropped long after the last watcher left, or when many topics are kept.

`publish` sends nothing: it only queues the event. What happened within `gather_s`, in all topics, is delivered in one
round: first all events are encoded, then each watcher is sent all it lacks at once. A round takes a few steps at a
time, and the loop serves the players in between. A slow reader is skipped, and catches up when it has read what it was
sent.

The provider of a topic may count its events; then the count is its sequence number. Otherwise the numbers begin at the
wall clock's milliseconds when the topic is first watched, so that a number from before a restart (or from before the
topic was forgotten) is smaller than all current ones, and gets a snapshot instead of the continuation of something
else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from palestra_server.gateway.allowance import SparingLog
from palestra_server.gateway.arrivals import players_wait
from palestra_server.gateway.interface import Refusal
from palestra_server.gateway.topics import BEHIND_MAX, News, Topic, Watcher, snapshot_frame

# topic -> its present state as a plain map; None if there is no such topic.
Snapshot = Callable[[str], Mapping[str, Any] | None]

# topic, MessagePack or not -> the snapshot's frame for something that is over (`snapshot_frame`), made off the loop;
# None if there is no such topic.
Past = Callable[[str, bool], "asyncio.Future[bytes | Refusal | None] | Refusal"]

EventCount = Callable[[str], int]  # topic -> how many events it has had so far

NAMELESS: Final = ("lobby", "screen")  # the kinds with a single topic
KEPT_TOPICS: Final = 512
TOPICS_PER_WATCHER: Final = 32
PAST_PER_WATCHER: Final = 4  # snapshots of finished matches that one watcher may be waiting for
SNAPSHOT_SHARE: Final = 0.1  # share of the loop's time for snapshots of live topics: players come first
SNAPSHOT_BURST_S: Final = 0.5  # how much of that may be used in one burst, when a class opens the page
LOOK_S: Final = 0.0002  # watchers are served for this long before checking whether a player has sent something
SLICE_S: Final = 0.002  # they are served for this long if none has; then timers get their turn
GATHER_S: Final = 0.05
GATHER_MAX_S: Final = 0.25
GATHER_PER_WATCHER_S: Final = 0.001

_UNKNOWN: Final = Refusal(
    "unknown_topic",
    'There is no such topic: watch "lobby" or "screen", or "match:ID" or "tournament:ID" with an ID that exists.',
)


def gather_s(watchers: int) -> float:
    """How long events are gathered for this many watchers: a class sees them at once, a crowd a moment later.

    Starting a round, or sending to a socket whose reader is about to sleep, costs several times as much as continuing
    with many in a row.
    """
    return min(max(GATHER_S, watchers * GATHER_PER_WATCHER_S), GATHER_MAX_S)


def _after_players(pause_s: float, call: Callable[[], None]) -> object:
    """Call after a pause; without one, in the loop's iteration after next. The next one would begin with `call`; this
    way the players' frames received by then go first.
    """
    loop = asyncio.get_running_loop()
    return loop.call_later(pause_s, call) if pause_s else loop.call_soon(loop.call_soon, call)


class Hub:
    """Topics are "lobby", "screen", "match:ID", "tournament:ID". One hub per gateway, for the loop's thread only.

    `wall_ms` reads UTC in milliseconds, `clock` monotonic seconds; `later` schedules a slice of work after a pause (in
    s), once the players have been served; `players_wait` tells whether one has sent something since.
    """

    def __init__(
        self,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        clock: Callable[[], float] = time.perf_counter,
        later: Callable[[float, Callable[[], None]], object] = _after_players,
        players_wait: Callable[[], bool] = players_wait,
    ) -> None:
        self._wall_ms = wall_ms
        self._clock = clock
        self._spent = 0.0
        self._spent_at = clock()
        self._providers: dict[str, tuple[Snapshot, EventCount | None, Past | None]] = {}
        # Snapshots of the past: how many each watcher waits for, who waits for which, and those ready for delivery in
        # the next round.
        self._waiting: dict[Watcher, int] = {}
        self._asking: dict[asyncio.Future[bytes | Refusal | None], list[Watcher]] = {}
        self._come: dict[Watcher, list[bytes | Refusal]] = {}
        self._due: dict[Watcher, None] = {}
        # In the order in which watching last began: of those without watchers the first is forgotten first.
        self._topics: dict[str, Topic] = {}
        self._watching: dict[Watcher, set[str]] = {}
        self._later = later
        self._players_wait = players_wait
        self._scheduled = False
        self._log = SparingLog()
        # Topics with news for the next round, with the last event before it; what remains to be done in this one.
        self._news: dict[Topic, int] = {}
        self._round: Iterator[None] | None = None

    # For publishers:

    def provide(self, kind: str, snapshot: Snapshot, count: EventCount | None = None, past: Past | None = None) -> None:
        """Register who knows the topics of a kind ("lobby", "screen", "match", "tournament").

        `count` must count everything passed to `publish` since the topic began, watched or not. `past` is asked for
        what `snapshot` does not know (any more), and must not take the loop's time.
        """
        self._providers[kind] = snapshot, count, past

    def publish(self, topic: str, event: News) -> None:
        state = self._topics.get(topic)
        if state is None:
            return
        state.add(event)
        if state.watchers:
            self._news.setdefault(state, state.seq - 1)
            self._begin_round()

    def watched(self, topic: str) -> bool:
        """Whether events of this topic are worth building: somebody watches, or may resume."""
        return topic in self._topics

    def audience(self, topic: str) -> int:
        state = self._topics.get(topic)
        return 0 if state is None else len(state.watchers)

    def retire(self, topic: str) -> None:
        """The topic won't change any more (a match ended): forget its past once nobody watches it."""
        state = self._topics.get(topic)
        if state is not None:
            state.retired = True
            self._forget_if_idle(topic, state)

    # For watchers:

    def watch(self, watcher: Watcher, topic: str, seen: int | None) -> Refusal | None:
        """Send the events after `seen` if all are still kept, else a snapshot; new events follow."""
        mine = self._watching.get(watcher, set())
        if topic not in mine and len(mine) >= TOPICS_PER_WATCHER:
            return Refusal(
                "try_later",
                f"One connection can watch {TOPICS_PER_WATCHER} topics: unwatch one, or open another connection.",
            )
        if watcher.backlog > BEHIND_MAX:
            return Refusal("try_later", "You ask for more than you read: read first what was sent to you.")
        state = self._topics.get(topic)
        missed = None if state is None or seen is None else state.news(seen, watcher.binary)
        if state is not None and missed is not None:
            self._listen(watcher, state)
            if missed:
                watcher.send_frames(missed)
            return None
        return self._show(watcher, topic, state)

    def _show(self, watcher: Watcher, topic: str, state: Topic | None) -> Refusal | None:
        """`_send_snapshot`, unless new watchers have used up their share of the loop's time."""
        began = self._clock()
        self._spent = max(0.0, self._spent - (began - self._spent_at) * SNAPSHOT_SHARE)
        self._spent_at = began
        if self._spent > SNAPSHOT_BURST_S:
            return Refusal("try_later", "Many begin to watch at this moment: try again in a second.")
        refusal = self._send_snapshot(watcher, topic, state)
        self._spent += self._clock() - began
        return refusal

    def _send_snapshot(self, watcher: Watcher, topic: str, state: Topic | None) -> Refusal | None:
        """Send a snapshot and subscribe the watcher; a finished match has only a snapshot, which comes later."""
        kept = state.snapshot(watcher.binary, self._clock()) if state else None
        if state is not None and kept is not None:
            self._listen(watcher, state)
            watcher.send_frames(kept)
            return None
        kind, _, name = topic.partition(":")
        provider, count, past = self._providers.get(kind, (None, None, None))
        sound = topic == kind if kind in NAMELESS else bool(name)
        snapshot = provider(topic) if provider and sound else None
        if snapshot is None:
            return self._show_past(watcher, topic, past) if past and sound else _UNKNOWN
        if state is None:
            state = Topic(topic, count(topic) if count else self._wall_ms())
            self._make_room()
        self._listen(watcher, state)
        frame = snapshot_frame(topic, state.seq, snapshot, watcher.binary)
        state.keep_snapshot(watcher.binary, frame, self._clock())
        watcher.send_frames(frame)
        return None

    def _show_past(self, watcher: Watcher, topic: str, past: Past) -> Refusal | None:
        waits = self._waiting.get(watcher, 0)
        if waits >= PAST_PER_WATCHER:
            return Refusal("try_later", f"You asked for {waits} matches of the past: wait until they are there.")
        frame = past(topic, watcher.binary)
        if isinstance(frame, Refusal):
            return frame
        self._waiting[watcher] = waits + 1
        if frame in self._asking:
            self._asking[frame].append(watcher)
        else:
            self._asking[frame] = [watcher]
            frame.add_done_callback(self._past_is_there)
        return None

    def _past_is_there(self, made: asyncio.Future[bytes | Refusal | None]) -> None:
        frame: bytes | Refusal = _UNKNOWN
        if not made.cancelled():
            error = made.exception()
            if error is None:
                frame = made.result() or _UNKNOWN
            else:
                self._log.error("a snapshot of the past was not made", exc_info=error)
        for watcher in self._asking.pop(made):
            if watcher in self._waiting:  # else it has left
                self._come.setdefault(watcher, []).append(frame)
                self._due[watcher] = None
        self._begin_round()

    def _listen(self, watcher: Watcher, state: Topic) -> None:
        self._topics.pop(state.name, None)
        self._topics[state.name] = state
        state.watchers[watcher] = state.seq
        self._watching.setdefault(watcher, set()).add(state.name)

    def is_watching(self, watcher: Watcher) -> bool:
        """Whether it watches anything, or is waiting to."""
        return watcher in self._watching or watcher in self._waiting

    def unwatch(self, watcher: Watcher, topic: str) -> None:
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
        self._waiting.pop(watcher, None)
        self._come.pop(watcher, None)
        for topic in tuple(self._watching.get(watcher, ())):
            self.unwatch(watcher, topic)

    # Delivery:

    def finish(self) -> None:
        """Serve everybody now, since the connections are about to be closed."""
        while self._serve_slice(lambda: False) or self._news or self._due:
            pass

    def _begin_round(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._later(gather_s(len(self._watching)), self._next_slice)

    def _next_slice(self) -> None:
        unserved = self._serve_slice(self._players_wait)
        self._scheduled = unserved
        if unserved:
            self._later(0.0, self._next_slice)
        elif self._news or self._due:
            self._begin_round()

    def _serve_slice(self, players_wait: Callable[[], bool]) -> bool:
        """Continue the round, or begin the next; returns whether anything remains to be done in it."""
        now = self._clock()
        ends, look = now + SLICE_S, now + LOOK_S
        self._round = self._round or self._steps()
        for _ in self._round:
            now = self._clock()
            if now >= look:
                if now >= ends or players_wait():
                    return True
                look = now + LOOK_S
        self._round = None
        return False

    def _steps(self) -> Iterator[None]:
        # Small topics first: they need not wait for a crowd.
        news = sorted(self._news.items(), key=lambda item: len(item[0].watchers))
        due = tuple(self._due)
        self._news.clear()
        self._due.clear()
        # Drawing between two sends would let the readers fall asleep.
        for topic, before in news:
            topic.encode(before)
            yield
        for watcher in due:
            self.catch_up(watcher)
            yield
        for topic, _ in news:
            for watcher in tuple(topic.watchers):
                if self._serve_one_topic(watcher, topic):
                    yield

    def _serve_one_topic(self, watcher: Watcher, topic: Topic) -> bool:
        """`catch_up`, shortened for the common case: a watcher of one topic that lacks what another was just sent.
        Returns whether there was anything to do.
        """
        seen = topic.watchers.get(watcher)
        if seen is None or seen == topic.seq:  # it has left, or was served with another topic
            return False
        frames = topic.joined.get((seen, watcher.binary))
        if frames is None or len(self._watching[watcher]) > 1:
            self.catch_up(watcher)
        elif watcher.backlog <= BEHIND_MAX:
            topic.watchers[watcher] = topic.seq
            watcher.send_frames(frames)
        return True

    def catch_up(self, watcher: Watcher) -> None:
        """Send what this watcher lacks, in one go, unless it is still reading."""
        frames: list[bytes] = []
        refusals: list[Refusal] = []
        backlog = watcher.backlog
        if backlog > BEHIND_MAX:
            return
        for past in self._come.pop(watcher, ()):
            if isinstance(past, Refusal):
                refusals.append(past)
            else:
                frames.append(past)
                backlog += len(past)
            self._waiting[watcher] -= 1
            if not self._waiting[watcher]:
                del self._waiting[watcher]
        for name in tuple(self._watching.get(watcher, ())):
            topic = self._topics[name]
            seen = topic.watchers[watcher]
            if seen == topic.seq:
                continue
            if backlog > BEHIND_MAX and frames:
                watcher.send_frames(b"".join(frames))
                frames.clear()
                backlog = watcher.backlog
            if backlog > BEHIND_MAX:
                break
            topic.watchers[watcher] = topic.seq
            try:
                news = topic.news(seen, watcher.binary)
                refusal = self._send_snapshot(watcher, name, topic) if news is None else None
            except Exception as error:
                # A game that can't draw its board must not hold up other news.
                self._log.error("a watcher was not served", exc_info=error)
                continue
            if news is not None:
                frames.append(news)
                backlog += len(news)
            if refusal is not None:
                refusals.append(refusal)
        if frames:
            watcher.send_frames(b"".join(frames))
        for refusal in refusals:
            watcher.reject(*refusal)  # which may end the connection

    # Forgetting:

    def _forget_if_idle(self, topic: str, state: Topic) -> None:
        if state.retired and not state.watchers:
            del self._topics[topic]

    def _make_room(self) -> None:
        if len(self._topics) >= KEPT_TOPICS:
            idle = next((topic for topic, state in self._topics.items() if not state.watchers), None)
            if idle is not None:
                del self._topics[idle]
