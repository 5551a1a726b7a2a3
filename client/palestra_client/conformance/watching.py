"""Topics: snapshots, events and sequence numbers."""

from __future__ import annotations

from palestra_client.conformance.peer import need
from palestra_client.conformance.suite import Place, rule


@rule("watching", "over /watch without hello: the lobby's snapshot comes first, and then who joins")
def lobby(place: Place) -> None:
    watcher = place.watch("lobby")
    first = watcher.expect("event", topic="lobby")
    need(first["event"]["type"] == "snapshot", "the first event is no snapshot")
    need({"players", "matches"} <= first["event"].keys(), "the snapshot lacks players or matches")
    guest = place.join()
    seen = first["seq"]
    while True:
        event = watcher.expect("event", topic="lobby")
        need(event["seq"] == seen + 1 or event["event"]["type"] == "snapshot", "a number is left out")
        seen = event["seq"]
        if event["event"]["type"] == "player_joined" and event["event"]["player"] == guest.name:
            return


@rule("watching", "a match: the snapshot holds all actions, and every played follows with its number")
def match(place: Place) -> None:
    first, second, start = place.match()
    first.act(first.expect("turn"), 3)
    turn = second.until("turn", ply=1)
    topic = f"match:{start['match']}"
    watcher = place.watch(topic)
    snapshot = watcher.expect("event", topic=topic)
    held = snapshot["event"]
    need(held["type"] == "snapshot" and held["actions"] == [3] and held["names"] == ["PUT 4"], "a wrong snapshot")
    need(held["players"] == [first.name, second.name] and held["ply"] == 1, "a wrong snapshot")
    second.act(turn, 0)
    played = watcher.expect("event", topic=topic, seq=snapshot["seq"] + 1)["event"]
    need(played["type"] == "played" and played["action"] == 0, f"{played} is not what was played")
    second.send(type="resign", match=start["match"])
    end = watcher.expect("event", topic=topic, seq=snapshot["seq"] + 2)["event"]
    need(end["type"] == "match_end" and end["reason"] == "resign", "the end is not told")


@rule("watching", "with `from`, only what came after it")
def from_a_number(place: Place) -> None:
    first, second, start = place.match()
    topic = f"match:{start['match']}"
    watcher = place.watch(topic)
    known = watcher.expect("event", topic=topic)["seq"]
    first.act(first.expect("turn"))
    watcher.expect("event", topic=topic, seq=known + 1)
    second.until("turn")
    event = place.watch(topic, **{"from": known}).expect("event", topic=topic, seq=known + 1)
    need(event["event"]["type"] == "played", "a snapshot came although nothing was missed")


@rule("watching", "an unknown topic is refused; unwatch has no answer")
def topics(place: Place) -> None:
    watcher = place.dial(path="/watch")
    for topic in ("weather", "match:m-of-nobody"):
        watcher.send(type="watch", topic=topic)
        watcher.refused("unknown_topic")
    watcher.send(type="unwatch", topic="lobby")
    watcher.send(type="watch", topic="lobby")
    watcher.expect("event", topic="lobby")


@rule("watching", "messages for playing are refused on /watch: read_only")
def read_only(place: Place) -> None:
    watcher = place.dial(path="/watch")
    watcher.send(type="resign", match="m-1")
    watcher.refused("read_only")


@rule("watching", "over /play, beside the matches")
def beside(place: Place) -> None:
    peer = place.join()
    peer.send(type="watch", topic="lobby")
    peer.expect("event", topic="lobby")
