"""Topics: snapshot first, numbered events, resumption, and how much is kept; then over real connections."""

import asyncio
import json

import msgpack
import pytest
from tests.gateway.kit import WAIT_S, hello, house
from websockets.asyncio.client import connect

from palestra_server.gateway import Hub
from palestra_server.gateway import hub as hub_module


class Listener:
    """A watcher that keeps what it is sent."""

    def __init__(self, binary=True):
        self.binary = binary
        self.frames = []

    def send_frame(self, frame):
        self.frames.append(frame)

    def heard(self):
        """[(seq, the event's n)] since the last call."""
        messages, self.frames = self.frames, []
        events = [msgpack.unpackb(frame[2:]) if self.binary else json.loads(frame[2:]) for frame in messages]
        return [(event["seq"], event["event"]["n"]) for event in events]


@pytest.fixture
def hub():
    made = Hub(wall_ms=lambda: 1000)
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


@pytest.mark.parametrize("seen", [0, 999, 1011, 2**53])
def test_what_cannot_be_resumed_begins_with_a_snapshot(hub, seen):
    hub.watch(Listener(), "lobby", None)
    for n in range(1, 11):
        tell(hub, n)
    again = Listener()
    hub.watch(again, "lobby", seen)
    assert again.heard() == [(1010, "all 10")]


def test_a_number_from_before_a_restart_is_not_continued():
    before, after = Hub(wall_ms=lambda: 1000), Hub(wall_ms=lambda: 60_000)
    for hub in (before, after):
        hub.provide("lobby", lambda _topic: {"type": "snapshot", "n": "all"})
        hub.watch(Listener(), "lobby", None)
        for n in range(200):
            hub.publish("lobby", {"type": "x", "n": n})
    listener = Listener()
    after.watch(listener, "lobby", 1100)
    assert listener.heard() == [(60_200, "all")]


def test_only_so_many_events_are_kept(hub, monkeypatch):
    monkeypatch.setattr(hub_module, "KEPT_EVENTS", 3)
    hub.watch(Listener(), "lobby", None)
    for n in range(1, 11):
        tell(hub, n)
    kept, lost = Listener(), Listener()
    hub.watch(kept, "lobby", 1007)
    hub.watch(lost, "lobby", 1006)
    assert kept.heard() == [(1008, 8), (1009, 9), (1010, 10)]
    assert lost.heard() == [(1010, "all 10")]


def test_an_event_is_encoded_once_for_each_codec(hub, monkeypatch):
    encoded = []

    def counting(codec, message):
        encoded.append(codec.subprotocol)
        return codec.encode(message)

    monkeypatch.setattr(hub_module, "_encoded", counting)
    for binary in (True, False) * 20:
        hub.watch(Listener(binary), "lobby", 1000)
    encoded.clear()
    tell(hub, 1)
    assert sorted(encoded) == ["palestra.v1.json", "palestra.v1.msgpack"]


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
