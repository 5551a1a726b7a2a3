"""Topics: snapshot first, numbered events, resumption, and how much is kept; then over real connections."""

import asyncio
import itertools
import json
import socket
from concurrent.futures import Future

import msgpack
import pytest
from tests.support.gateway import WAIT_S, RawClient, hello, house, packed
from websockets.asyncio.client import connect

from palestra_server.gateway import Hub, Refusal, topics
from palestra_server.gateway import hub as hub_module


class Listener:
    """A watcher that keeps what it is sent."""

    def __init__(self, binary=True):
        self.binary = binary
        self.backlog = 0
        self.sent = b""
        self.refused = []

    def send_frames(self, frames):
        self.sent += frames

    def reject(self, code, message):
        self.refused.append((code, message))

    def heard(self):
        """[(seq, the event's n)] since the last call."""
        events = []
        while self.sent:
            size, start = self.sent[1], 2
            if size > 125:
                start = 4 if size == 126 else 10
                size = int.from_bytes(self.sent[2:start], "big")
            payload, self.sent = self.sent[start : start + size], self.sent[start + size :]
            event = msgpack.unpackb(payload) if self.binary else json.loads(payload)
            events.append((event["seq"], event["event"]["n"]))
        return events


class Reader(Listener):
    """A watcher that reads nothing."""

    def send_frames(self, frames):
        super().send_frames(frames)
        self.backlog += len(frames)


@pytest.fixture
def hub():
    made = Hub(wall_ms=lambda: 1000, clock=lambda: 0.0, later=lambda _pause, serve: serve(), players_wait=lambda: False)
    made.state = 0
    made.asked = []

    def snapshot(topic):
        made.asked.append(topic)
        return None if topic == "match:none" else {"type": "snapshot", "n": f"all {made.state}"}

    made.provide("lobby", snapshot)
    made.provide("match", snapshot, lambda _topic: made.state)
    return made


def tell(hub, n, topic="lobby"):
    hub.state = n
    hub.publish(topic, {"type": "x", "n": n})


def test_a_snapshot_then_every_event_in_order(hub):
    early, late = Listener(), Listener(binary=False)
    assert hub.watch(early, "lobby", None) is None
    tell(hub, 1)
    assert hub.watch(late, "lobby", None) is None
    tell(hub, 2)
    assert early.heard() == [(1000, "all 0"), (1001, 1), (1002, 2)]
    assert late.heard() == [(1001, "all 1"), (1002, 2)]


def test_a_topic_may_count_its_own_events(hub):
    listener = Listener()
    for n in (1, 2, 3):
        assert not hub.watched("match:a")
        tell(hub, n, "match:a")
    hub.watch(listener, "match:a", None)
    tell(hub, 4, "match:a")
    assert listener.heard() == [(3, "all 3"), (4, 4)]


def test_resuming_needs_no_snapshot_while_all_events_are_kept(hub):
    listener = Listener()
    hub.watch(listener, "lobby", None)
    hub.leave(listener)
    for n in range(1, 11):
        tell(hub, n)
    listener.heard()
    again = Listener()
    hub.asked.clear()
    assert hub.watch(again, "lobby", 1007) is None
    assert again.heard() == [(1008, 8), (1009, 9), (1010, 10)]
    assert hub.watch(again, "lobby", 1010) is None, "watching twice is like watching once, with a new from"
    assert again.heard() == []
    assert hub.asked == []
    tell(hub, 11)
    assert again.heard() == [(1011, 11)]


def test_a_crowd_that_comes_at_once_gets_one_snapshot_until_something_happens(hub):
    crowd = [Listener(binary) for binary in (True, False) * 20]
    for listener in crowd:
        hub.watch(listener, "lobby", None)
    assert hub.asked == ["lobby", "lobby"], "one for each codec"
    tell(hub, 1)
    late = Listener()
    hub.watch(late, "lobby", None)
    assert [listener.heard() for listener in (crowd[0], crowd[1], late)] == [
        [(1000, "all 0"), (1001, 1)],
        [(1000, "all 0"), (1001, 1)],
        [(1001, "all 1")],
    ]
    hub._clock = lambda: topics.SNAPSHOT_KEPT_S + 0.001
    hub.watch(Listener(), "lobby", None)
    assert len(hub.asked) == 4, "clocks run on, though nothing happens"


@pytest.mark.parametrize("seen", [0, 999, 1011, 2**53])
def test_what_cannot_be_resumed_begins_with_a_snapshot(hub, seen):
    hub.watch(Listener(), "lobby", None)
    for n in range(1, 11):
        tell(hub, n)
    again = Listener()
    hub.watch(again, "lobby", seen)
    assert again.heard() == [(1010, "all 10")]


def test_a_number_from_before_a_restart_is_not_continued():
    before, after = (
        Hub(wall_ms=lambda ms=ms: ms, later=lambda _pause, serve: serve(), players_wait=lambda: False)
        for ms in (1000, 60_000)
    )
    for hub in (before, after):
        hub.provide("lobby", lambda _topic: {"type": "snapshot", "n": "all"})
        hub.watch(Listener(), "lobby", None)
        for n in range(200):
            hub.publish("lobby", {"type": "x", "n": n})
    listener = Listener()
    after.watch(listener, "lobby", 1100)
    assert listener.heard() == [(60_200, "all")]


def test_only_so_many_events_are_kept(hub, monkeypatch):
    monkeypatch.setattr(topics, "KEPT_EVENTS", 3)
    hub.watch(Listener(), "lobby", None)
    for n in range(1, 11):
        tell(hub, n)
    kept, lost = Listener(), Listener()
    hub.watch(kept, "lobby", 1007)
    hub.watch(lost, "lobby", 1006)
    assert kept.heard() == [(1008, 8), (1009, 9), (1010, 10)]
    assert lost.heard() == [(1010, "all 10")]


def test_an_event_is_encoded_once_for_each_codec(hub, monkeypatch):
    encoded, real = [], topics._encoded

    def counting(codec, message):
        encoded.append(codec.subprotocol)
        return real(codec, message)

    monkeypatch.setattr(topics, "_encoded", counting)
    for binary in (True, False) * 20:
        hub.watch(Listener(binary), "lobby", 1000)
    encoded.clear()
    tell(hub, 1)
    assert sorted(encoded) == ["palestra.v1.json", "palestra.v1.msgpack"]


@pytest.mark.parametrize("size", [0, 200, 70_000])
@pytest.mark.parametrize("first", [True, False])
def test_an_event_is_the_same_in_both_codecs_whichever_is_needed_first(first, size):
    event = topics.Event("lobby", 7, {"type": "x", "text": "ñ" * size, "n": [1, None, -2.5, {"a": True}]})
    frames = {binary: event.frame(binary) for binary in (first, not first)}
    assert topics._decoded(frames[True], True) == topics._decoded(frames[False], False)
    assert topics._decoded(frames[True], True)["event"]["n"] == [1, None, -2.5, {"a": True}]
    assert event._news is None


def test_topics_that_do_not_exist(hub):
    for topic in ("match:none", "nonsense", "", "tournament:1", "match", "match:", "lobby:x", "lobby:", ":", "lobby "):
        refusal = hub.watch(Listener(), topic, None)
        assert refusal.code == "unknown_topic"
        assert refusal.message.endswith(".")
        assert not hub.watched(topic)


def test_unwatching(hub):
    listener = Listener()
    hub.unwatch(listener, "lobby")
    hub.watch(listener, "lobby", None)
    hub.unwatch(listener, "match:a")
    hub.unwatch(listener, "lobby")
    hub.unwatch(listener, "lobby")
    tell(hub, 1)
    assert listener.heard() == [(1000, "all 0")]
    assert hub.watched("lobby"), "who left may come back"


def test_a_retired_topic_is_forgotten_with_its_last_watcher(hub):
    one, two = Listener(), Listener()
    hub.watch(one, "match:a", None)
    hub.watch(two, "match:a", None)
    hub.retire("match:a")
    hub.retire("match:never watched")
    hub.leave(one)
    assert hub.watched("match:a")
    hub.leave(two)
    assert not hub.watched("match:a")
    idle = Listener()
    hub.watch(idle, "match:b", None)
    hub.unwatch(idle, "match:b")
    hub.retire("match:b")
    assert not hub.watched("match:b")


def test_idle_topics_make_room_those_watched_stay(hub, monkeypatch):
    monkeypatch.setattr(hub_module, "KEPT_TOPICS", 3)
    stays, passing = Listener(), Listener()
    hub.watch(stays, "lobby", None)
    for name in "abcdef":
        hub.watch(passing, f"match:{name}", None)
        hub.unwatch(passing, f"match:{name}")
    assert [topic for topic in ("lobby", *(f"match:{name}" for name in "abcdef")) if hub.watched(topic)] == [
        "lobby",
        "match:e",
        "match:f",
    ]


def test_one_watcher_has_so_many_topics(hub):
    listener = Listener()
    for number in range(hub_module.TOPICS_PER_WATCHER):
        assert hub.watch(listener, f"match:{number}", None) is None
    fault = hub.watch(listener, "lobby", None)
    assert fault.code == "try_later"
    assert hub.watch(listener, "match:0", None) is None
    hub.unwatch(listener, "match:0")
    assert hub.watch(listener, "lobby", None) is None


async def test_watching_over_both_doors_in_both_codecs():
    async with (
        house() as home,
        connect(home.url + "/watch", subprotocols=["palestra.v1.json"]) as spectator,
        connect(home.url + "/play") as player,
    ):
        home.hub.provide("lobby", lambda _topic: {"type": "snapshot", "players": []}, lambda _topic: 7)

        async def seen():
            return json.loads(await asyncio.wait_for(spectator.recv(), WAIT_S))

        async def heard():
            return msgpack.unpackb(await asyncio.wait_for(player.recv(), WAIT_S))

        await spectator.send(json.dumps({"type": "watch", "topic": "lobby"}))
        assert await seen() == {
            "type": "event",
            "topic": "lobby",
            "seq": 7,
            "event": {"type": "snapshot", "players": []},
        }
        await player.send(msgpack.packb(hello("eva")))
        assert (await heard())["type"] == "welcome"
        await player.send(msgpack.packb({"type": "watch", "topic": "lobby", "from": 3}))
        assert (await heard())["event"]["type"] == "snapshot"
        home.hub.publish("lobby", {"type": "player_joined", "player": "eva"})
        assert await seen() == await heard()
        await player.send(msgpack.packb({"type": "unwatch", "topic": "lobby"}))
        await player.send(msgpack.packb({"type": "watch", "topic": "match:none"}))
        assert (await heard())["code"] == "unknown_topic"
        home.hub.publish("lobby", {"type": "player_left", "player": "eva"})
        assert (await seen())["seq"] == 9
        await player.send(msgpack.packb({"type": "watch", "topic": "lobby", "from": 8}))
        assert (await heard())["event"]["type"] == "player_left"
        assert home.gateway.counts.watchers == 1


async def test_spectators_only_look_on():
    async with house() as home, connect(home.url + "/watch", subprotocols=["palestra.v1.json"]) as spectator:
        for message in (hello("eva"), {"type": "ready", "match": "m"}, {"type": "resign", "match": "m"}):
            await spectator.send(json.dumps(message))
            error = json.loads(await asyncio.wait_for(spectator.recv(), WAIT_S))
            assert (error["code"], error["fatal"]) == ("read_only", False)
        assert home.runtime.told.empty()


async def test_a_spectator_who_leaves_is_sent_nothing_more():
    async with house() as home:
        home.hub.provide("lobby", lambda _topic: {"type": "snapshot"})
        async with connect(home.url + "/watch") as spectator:
            await spectator.send(msgpack.packb({"type": "watch", "topic": "lobby"}))
            await asyncio.wait_for(spectator.recv(), WAIT_S)
        sent = home.gateway.counts.frames_out
        home.hub.publish("lobby", {"type": "x"})
        assert home.gateway.counts.frames_out == sent
        assert home.gateway.counts.watchers == 0


# Many watchers, and slow ones.


@pytest.fixture
def sliced(hub):
    """The hub, whose slices wait in `.slices` until they are run; whoever reads its clock takes 10 microseconds."""
    hub.slices = []
    hub._players_wait = lambda: True
    hub._later = lambda _pause, serve: hub.slices.append(serve)
    readings = itertools.count()
    hub._clock = lambda: next(readings) * 1e-5
    return hub


def test_a_thousand_watchers_are_served_a_few_at_a_time(sliced):
    crowd, few = [Listener() for _ in range(1000)], [Listener() for _ in range(3)]
    for topic, listeners in (("lobby", crowd), ("match:a", few)):
        for listener in listeners:
            sliced.watch(listener, topic, None)
            listener.heard()
    tell(sliced, 1)
    tell(sliced, 2, "match:a")
    assert not any(listener.sent for listener in (*crowd, *few)), "publishing sends nothing"
    slices, in_a_slice = 0, round(hub_module.LOOK_S / 1e-5)
    while sliced.slices:
        (serve,) = sliced.slices
        sliced.slices.clear()
        before = sum(bool(listener.sent) for listener in (*crowd, *few))
        serve()
        slices += 1
        assert sum(bool(listener.sent) for listener in (*crowd, *few)) - before <= in_a_slice
        if slices == 1:
            assert all(listener.sent for listener in few), "a small topic does not wait for a large one"
            tell(sliced, 3)
    assert slices >= 1003 // in_a_slice
    heard = [listener.heard() for listener in crowd]
    assert all(events == [(1001, 1), (1002, 3)] for events in heard), "what came meanwhile is there, too"


def test_a_watcher_that_comes_or_leaves_during_a_round_keeps_nobody_from_being_served(sliced):
    crowd = [Listener() for _ in range(100)]
    for listener in crowd:
        sliced.watch(listener, "lobby", None)
        listener.heard()
    tell(sliced, 1)
    sliced.slices.pop()()
    unserved = [listener for listener in crowd if not listener.sent]
    assert 2 < len(unserved) < 100
    leave, comes = unserved[:2], Listener()
    for listener in leave:
        sliced.leave(listener)
    sliced.watch(comes, "lobby", 1000)
    sliced.finish()
    assert not any(listener.sent for listener in leave)
    assert all(listener.heard() == [(1001, 1)] for listener in (*crowd, comes) if listener not in leave)


async def test_what_a_player_sent_goes_before_the_next_slice():
    loop, order = asyncio.get_running_loop(), []
    player, server = socket.socketpair()
    served = asyncio.Event()
    with player, server:

        def read():
            server.recv(1)
            order.append("player")

        def serve():
            order.append("slice")
            served.set()

        loop.add_reader(server, read)
        Hub()._later(0.0, serve)
        player.send(b"x")
        await asyncio.wait_for(served.wait(), WAIT_S)
        loop.remove_reader(server)
    assert order == ["player", "slice"]


def test_what_comes_faster_than_it_can_be_brought_is_brought_together(sliced):
    listener = Listener()
    sliced.watch(listener, "lobby", None)
    listener.heard()
    writes = []
    listener.send_frames = lambda frames: writes.append(frames)
    for n in range(100):
        tell(sliced, n)
    sliced.finish()
    assert len(writes) == 1
    listener.sent = writes[0]
    assert [n for _, n in listener.heard()] == list(range(100))


def test_what_happened_in_several_topics_is_brought_to_a_watcher_at_once(sliced):
    both, one = Listener(), Listener()
    for listener, topics_ in ((both, ("lobby", "match:a")), (one, ("lobby",))):
        for topic in topics_:
            sliced.watch(listener, topic, None)
        listener.heard()
        listener.writes = []
        listener.send_frames = listener.writes.append
    tell(sliced, 1)
    tell(sliced, 2, "match:a")
    tell(sliced, 3)
    assert len(sliced.slices) == 1, "one round for all"
    sliced.finish()
    assert [len(listener.writes) for listener in (both, one)] == [1, 1]
    (both.sent,) = both.writes
    assert sorted(both.heard()) == [(1, 2), (1001, 1), (1002, 3)]


@pytest.mark.parametrize("late", [False, True], ids=["at the first look", "after five"])
def test_a_slice_ends_when_a_player_has_sent_something_and_not_before(sliced, late):
    crowd = [Listener() for _ in range(1000)]
    for listener in crowd:
        sliced.watch(listener, "lobby", None)
        listener.heard()
    looks = itertools.count(1)
    sliced._players_wait = lambda: next(looks) > 5 * late
    tell(sliced, 1)
    sliced.slices.pop()()
    looked = next(looks) - 1
    in_a_look = round(hub_module.LOOK_S / 1e-5)
    assert looked == 1 + 5 * late
    assert (looked - 1) * in_a_look < sum(bool(listener.sent) for listener in crowd) <= looked * in_a_look


@pytest.mark.parametrize(("watchers", "pause_s"), [(1, 0.05), (50, 0.05), (200, 0.2), (400, 0.25)])
def test_for_a_crowd_events_are_gathered_for_longer_but_not_for_long(sliced, watchers, pause_s):
    for number in range(watchers):
        sliced.watch(Listener(), f"match:{number % 50}", None)
    pauses = []
    sliced._later = lambda pause, serve: (pauses.append(pause), sliced.slices.append(serve))
    sliced._players_wait = lambda: False
    tell(sliced, 1, "match:0")
    tell(sliced, 2, "match:1")
    assert pauses == [pytest.approx(pause_s)], "one round for both"
    sliced.slices.pop()()
    assert pauses == [pytest.approx(pause_s)], "and then nothing, until there is news"
    tell(sliced, 3, "match:0")
    assert pauses == [pytest.approx(pause_s)] * 2


def test_what_comes_during_a_round_is_gathered_for_the_next(sliced):
    crowd = [Listener() for _ in range(100)]
    for listener in crowd:
        sliced.watch(listener, "lobby", None)
        listener.heard()
    pauses = []
    sliced._later = lambda pause, serve: (pauses.append(pause), sliced.slices.append(serve))
    tell(sliced, 1)
    sliced.slices.pop()()
    tell(sliced, 2)
    while sliced.slices:
        sliced.slices.pop()()
    assert [pause for pause in pauses if pause] == [pytest.approx(0.1)] * 2
    assert [listener.heard() for listener in crowd] == [[(1001, 1), (1002, 2)]] * 100


def test_all_events_of_a_round_are_encoded_before_the_first_is_sent(sliced):
    order = []
    for number, binary in enumerate((True, False, True, True)):
        listener = Listener(binary)
        sliced.watch(listener, f"match:{number % 3}", None)
        listener.send_frames = lambda _frames: order.append("sent")

    def event(n):
        order.append(n)
        return {"type": "x", "n": n}

    for n in range(3):
        sliced.publish(f"match:{n}", lambda n=n: event(n))
    sliced.finish()
    assert sorted(order[:3]) == [0, 1, 2]
    assert order[3:] == ["sent"] * 4


def test_nothing_is_encoded_that_nobody_needs(hub, monkeypatch):
    encoded, real = [], topics._encoded
    monkeypatch.setattr(topics, "_encoded", lambda codec, message: (encoded.append(codec), real(codec, message))[1])
    left, comes = Listener(), Listener(binary=False)
    hub.watch(left, "lobby", None)
    hub.leave(left)
    for n in range(5):
        tell(hub, n)
    hub.watch(comes, "lobby", None)
    encoded.clear()
    tell(hub, 5)
    assert encoded == [topics.JSON], "the one event that came since, in the one codec that is spoken"


def test_a_slice_ends_in_any_case(sliced):
    crowd = [Listener() for _ in range(1000)]
    for listener in crowd:
        sliced.watch(listener, "lobby", None)
        listener.heard()
    sliced._players_wait = lambda: False
    tell(sliced, 1)
    sliced.slices.pop()()
    assert 0 < sum(bool(listener.sent) for listener in crowd) <= round(hub_module.SLICE_S / 1e-5)
    assert len(sliced.slices) == 1


def test_an_event_is_made_when_it_is_first_needed_and_once(hub):
    made = []

    def event():
        made.append(1)
        return {"type": "x", "n": 5}

    hub.watch(Listener(), "lobby", None)
    hub.leave(next(iter(hub._watching)))
    hub.publish("lobby", event)
    assert made == [], "nobody is there"
    two = Listener(), Listener(binary=False)
    for listener in two:
        hub.watch(listener, "lobby", 1000)
        assert listener.heard() == [(1001, 5)]
    assert made == [1]


@pytest.mark.usefixtures("defects_expected")
def test_an_event_that_cannot_be_made_is_a_gap_and_others_go_on(hub, logged):
    one, other = Listener(), Listener()
    hub.watch(one, "match:a", None)
    hub.watch(other, "lobby", None)
    one.heard(), other.heard()
    hub.publish("match:a", lambda: 1 // 0)
    tell(hub, 1)
    tell(hub, 2, "match:a")
    assert other.heard() == [(1001, 1)]
    assert [entry["event"] for entry in logged] == ["a watcher was not served"]
    assert one.heard() == [(2, 2)], "who sees a gap watches again"


@pytest.mark.usefixtures("defects_expected")
def test_an_event_that_cannot_be_made_takes_no_other_topic_with_it(sliced):
    sliced.provide("match", lambda _topic: {"type": "snapshot", "n": "all"}, lambda _topic: 0)
    watcher = Listener()
    topics_watched = [f"match:{letter}" for letter in "abcdefgh"]
    for topic in topics_watched:
        sliced.watch(watcher, topic, None)
    watcher.heard()
    for n, topic in enumerate(topics_watched):
        sliced.publish(topic, {"type": "x", "n": n} if n != 4 else lambda: 1 // 0)
    sliced.finish()
    assert sorted(watcher.heard()) == [(1, n) for n in range(8) if n != 4]


@pytest.mark.usefixtures("defects_expected")
async def test_a_snapshot_of_the_past_that_cannot_be_made_is_refused(hub):
    made = asyncio.get_running_loop().create_future()
    hub.provide("match", lambda _topic: None, None, lambda _topic, _binary: made)
    watcher = Listener()
    assert hub.watch(watcher, "match:old", None) is None
    made.set_exception(ZeroDivisionError())
    await asyncio.sleep(0)
    assert [code for code, _ in watcher.refused] == ["unknown_topic"]
    assert not hub.is_watching(watcher)


async def test_a_refusal_is_told_to_who_is_far_behind_in_something_else(sliced):
    loop = asyncio.get_running_loop()
    made = {f"match:{name}": loop.create_future() for name in ("none", "away", "large")}
    sliced.provide("lobby", lambda _topic: {"type": "snapshot", "n": "all"})
    sliced.provide("match", lambda _topic: None, None, lambda topic, _binary: made[topic])
    watcher = Reader()
    for topic in ("lobby", *made):
        assert sliced.watch(watcher, topic, None) is None
    sliced.publish("lobby", {"type": "x", "n": 1})
    made["match:none"].set_result(None)
    made["match:away"].set_result(Refusal("try_later", "The database is away."))
    made["match:large"].set_result(b"x" * (topics.BEHIND_MAX + 1))
    await asyncio.sleep(0)
    sliced.finish()
    assert [code for code, _ in watcher.refused] == ["unknown_topic", "try_later"]


def test_a_slow_watcher_is_passed_over_and_gets_what_it_lacks_when_it_has_read(hub):
    slow, quick = Listener(), Listener()
    for listener in (slow, quick):
        hub.watch(listener, "lobby", None)
        listener.heard()
    slow.backlog = topics.BEHIND_MAX + 1
    for n in (1, 2):
        tell(hub, n)
    assert (slow.heard(), quick.heard()) == ([], [(1001, 1), (1002, 2)])
    assert hub.watch(slow, "match:a", None).code == "try_later", "it is to read first"
    slow.backlog = 0
    hub.catch_up(slow)
    assert slow.heard() == [(1001, 1), (1002, 2)]
    hub.catch_up(slow)
    assert slow.heard() == []


@pytest.mark.parametrize("size", [0, 1000], ids=["too many", "too large"])
def test_a_slow_watcher_gets_the_newest_state_and_never_holds_more_than_its_share(hub, size):
    slow = Listener()
    hub.watch(slow, "lobby", None)
    slow.heard()
    slow.backlog = topics.BEHIND_MAX + 1
    count = topics.KEPT_EVENTS + 1 if not size else 100
    for n in range(count):
        hub.state = n
        hub.publish("lobby", {"type": "x", "n": n, "much": "x" * size})
    slow.backlog = 0
    hub.catch_up(slow)
    assert len(slow.sent) < topics.BEHIND_MAX
    assert slow.heard() == [(1000 + count, f"all {count - 1}")]
    tell(hub, "next")
    assert slow.heard() == [(1001 + count, "next")]


def test_a_slow_watcher_of_a_finished_topic_gets_its_record(hub):
    asked = []
    there = Future()
    there.set_result(topics.snapshot_frame("match:a", 1, {"type": "snapshot", "n": "the record"}, True))
    there.add_done_callback = lambda call: call(there)
    hub.provide("match", lambda _topic: {"type": "snapshot", "n": 0} if not asked else None, None, lambda *_: there)
    slow = Listener()
    hub.watch(slow, "match:a", None)
    slow.heard()
    asked.append("over")
    slow.backlog = topics.BEHIND_MAX + 1
    for n in range(topics.KEPT_EVENTS + 1):
        hub.publish("match:a", {"type": "x", "n": n})
    hub.retire("match:a")
    slow.backlog = 0
    hub.catch_up(slow)
    assert slow.heard() == [(1, "the record")]


async def test_a_crowd_that_asks_for_the_past_is_brought_it_in_slices(sliced):
    made = asyncio.get_running_loop().create_future()
    sliced.provide("match", lambda _topic: None, None, lambda _topic, _binary: made)
    crowd = [Listener() for _ in range(100)]
    for listener in crowd:
        assert sliced.watch(listener, "match:old", None) is None
    sliced.leave(crowd[0])
    crowd[1].backlog = topics.BEHIND_MAX + 1
    made.set_result(topics.snapshot_frame("match:old", 9, {"type": "snapshot", "n": "all"}, True))
    await asyncio.sleep(0)
    slices = 0
    while sliced.slices:
        before = sum(bool(listener.sent) for listener in crowd)
        sliced.slices.pop()()
        slices += 1
        assert sum(bool(listener.sent) for listener in crowd) - before <= round(hub_module.LOOK_S / 1e-5) + 1
    assert slices > 4
    assert [listener.heard() for listener in crowd] == [[], [], *[[(9, "all")]] * 98]
    assert sliced.is_watching(crowd[1]), "it waits for what it asked for"
    crowd[1].backlog = 0
    sliced.catch_up(crowd[1])
    assert crowd[1].heard() == [(9, "all")]
    assert not any(sliced.is_watching(listener) for listener in crowd)


def test_a_watcher_that_left_or_stopped_watching_in_between_gets_nothing(sliced):
    gone, bored, stays = Listener(), Listener(), Listener()
    for listener in (gone, bored, stays):
        sliced.watch(listener, "lobby", None)
        listener.heard()
    tell(sliced, 1)
    sliced.leave(gone)
    sliced.unwatch(bored, "lobby")
    sliced.finish()
    assert (gone.sent, bored.sent, stays.heard()) == (b"", b"", [(1001, 1)])


async def test_a_watcher_that_does_not_read_costs_nobody_anything_and_is_up_to_date_afterwards():
    """Over a real socket: far more is published than it reads; then it reads."""
    async with house() as home:
        home.hub.provide("lobby", lambda _topic: {"type": "snapshot", "n": home.n})
        home.n = 0
        slow = await RawClient.open(home.port, path="/watch")
        slow.socket.sendall(packed(type="watch", topic="lobby"))
        assert (await asyncio.to_thread(slow.receive))["event"] == {"type": "snapshot", "n": 0}

        def publish():
            home.n += 1
            home.hub.publish("lobby", {"type": "x", "n": home.n, "much": "x" * 8000})
            home.hub.finish()

        (watcher,) = home.hub._topics["lobby"].watchers
        while watcher.backlog <= topics.BEHIND_MAX:
            publish()  # the kernel keeps some megabytes, too
        held = home.gateway.counts.bytes_out
        for _ in range(1000):
            publish()
        assert home.gateway.counts.bytes_out == held
        assert home.gateway.counts.watchers == 1
        last, kinds = 0, set()
        while last < home.n:
            event = (await asyncio.to_thread(slow.receive))["event"]
            assert event["n"] > last
            last = event["n"]
            kinds.add(event["type"])
        assert kinds == {"x", "snapshot"}
        slow.close()
