"""Transport, hello, malformed frames and challenges."""

from __future__ import annotations

import json

from palestra_client.conformance.peer import need
from palestra_client.conformance.suite import Place, rule
from palestra_protocol import limits
from palestra_protocol.messages import ErrorCode


@rule("transport", "the subprotocol that is asked for is picked; MessagePack if both are, or none")
def subprotocols(place: Place) -> None:
    packed, text = "palestra.v1.msgpack", "palestra.v1.json"
    for offered, picked in (((text,), text), ((packed,), packed), ((text, packed), packed)):
        peer = place.dial(*offered)
        need(peer.socket.subprotocol == picked, f"{peer.socket.subprotocol} was picked of {offered}")
        peer.send(type="hello", token="", name="conformance", client="check/1")
        peer.expect("welcome")


@rule("transport", "compression is not offered")
def no_compression(place: Place) -> None:
    response = place.dial().socket.response
    need(response is not None and "Sec-WebSocket-Extensions" not in response.headers, "an extension was accepted")


@rule("transport", "the order of keys means nothing, a field with a default may be left out")
def order_and_defaults(place: Place) -> None:
    peer = place.dial()
    peer.raw('{"name": "conformance", "token": "", "type": "hello"}')
    peer.expect("welcome")


@rule("hello", "welcome tells the session, the name and the limits")
def welcome(place: Place) -> None:
    peer = place.dial()
    peer.send(type="hello", token="", name="conformance-guest", client="check/1")
    said = peer.expect("welcome", matches=[])
    need(said["limits"]["frame_bytes"] == 4096, "limits.frame_bytes is not 4096")
    need(said["player"].startswith("conformance-guest"), f"the guest is called {said['player']}")
    page = said.get("page")
    need(page is None or page.startswith(("http://", "https://")), f"welcome.page is {page}, which no browser can open")


@rule("transport", "the server pings, as often as limits.ping_s says")
def pings(place: Place) -> None:
    peer = place.dial()
    peer.send(type="hello", token="", name="conformance", client="check/1")
    ping_s = peer.expect("welcome")["limits"]["ping_s"]
    need(ping_s > 0, f"limits.ping_s is {ping_s}")
    need(peer.pinged(ping_s + limits.SILENCE_S), f"no ping came in {ping_s + limits.SILENCE_S:.0f} s")


@rule("hello", "a guest whose name is taken gets another one")
def taken_name(place: Place) -> None:
    first = place.join()
    second = place.join(name=first.name)
    need(second.name != first.name, "two guests have one name")


@rule("hello", "the first frame must be hello: else no_hello, closed with 4003")
def no_hello(place: Place) -> None:
    peer = place.dial()
    peer.send(type="ready", match="m-1")
    peer.refused("no_hello", fatal=True)
    peer.closed(4003)


@rule("hello", "hello within 5 seconds: else closed with 4003")
def late_hello(place: Place) -> None:
    place.dial().closed(4003)


@rule("hello", "a second hello is already_hello, and the connection stays")
def second_hello(place: Place) -> None:
    peer = place.join()
    peer.send(type="hello", token="")
    peer.refused("already_hello", fatal=False)


@rule("hello", "a token that is nobody's is bad_token, closed with 4004")
def bad_token(place: Place) -> None:
    peer = place.dial()
    peer.send(type="hello", token="nobody-has-this-token")
    peer.refused("bad_token", fatal=True)
    peer.closed(4004)


@rule("hello", "a guest's name that is blank or too long is bad_name, closed with 4004")
def bad_name(place: Place) -> None:
    for name in ("   ", "x" * 33):
        peer = place.dial()
        peer.send(type="hello", token="", name=name)
        peer.refused("bad_name", fatal=True)
        peer.closed(4004)


@rule("hello", "hello on another connection closes the first one: replaced, 4009")
def replaced(place: Place) -> None:
    first = place.join()
    second = place.join(name=None, resume=first.session)
    need(second.name == first.name, "the session is another player's")
    first.refused("replaced", fatal=True)
    first.closed(4009)


@rule("conduct", "a frame that is not a message is bad_message, and the connection stays")
def no_message(place: Place) -> None:
    peer = place.join()
    frames: tuple[str | bytes, ...] = (
        "",
        "no json",
        "[]",
        "{}",
        '{"type": "dance"}',
        '{"type": "ready"}',
        '{"type": "ready", "match": 3}',
        '{"type": "ready", "match": "m", "mood": "good"}',
        '{"type": "ready", "match": "m", "match": "n"}',
        '{"type": "action", "match": "m", "ply": "3", "action": 0}',
        '{"type": "action", "match": "m", "ply": 3.0, "action": 0}',
        '{"type": "action", "match": "m", "ply": true, "action": 0}',
        '{"type": "action", "match": "m", "ply": 0, "action": 256}',
        '{"type": "action", "match": "m", "ply": 0, "action": 0, "info": {"value": NaN}}',
        b"binary on a text connection",
    )
    for frame in frames:
        peer.raw(frame)
        peer.refused("bad_message", fatal=False)
    peer.send(type="resign", match="m-nothing")
    peer.refused("unknown_match")


@rule("conduct", "bad_message names the place of the fault")
def place_of_the_fault(place: Place) -> None:
    peer = place.join()
    peer.raw('{"type": "action", "match": "m", "ply": "3", "action": 0}')
    said = peer.refused("bad_message")["message"]
    need("action.ply" in said, f"it says '{said}'")


@rule("conduct", "a frame of more than 4096 bytes ends the connection with 1009")
def too_long(place: Place) -> None:
    peer = place.join()
    peer.raw(json.dumps({"type": "ready", "match": "m" * 5000}))
    peer.closed(1009)


@rule("conduct", "more than 50 rejected frames end the connection with 1008")
def too_many(place: Place) -> None:
    peer = place.join()
    for _ in range(51):
        peer.raw("junk")
    peer.closed(1008)


@rule("challenge", "unknown games, players and oneself are refused by name")
def refused_challenges(place: Place) -> None:
    peer, other = place.join(), place.join(challenges=False)
    cases: tuple[tuple[str, str, ErrorCode], ...] = (
        (other.name, "no-such-game", "unknown_game"),
        ("nobody-of-this-name", "connect4", "unknown_player"),
        (peer.name, "connect4", "self_challenge"),
        (other.name, "connect4", "challenges_off"),
    )
    for opponent, game, code in cases:
        peer.send(type="challenge", game=game, opponent=opponent)
        peer.refused(code)


@rule("challenge", "challenging a player in a match is player_busy")
def busy(place: Place) -> None:
    _, second, _ = place.match()
    third = place.join()
    third.send(type="challenge", game="connect4", opponent=second.name)
    third.refused("player_busy")


@rule("challenge", "an opening that the game does not allow is illegal_action")
def bad_opening(place: Place) -> None:
    peer, other = place.join(), place.join()
    peer.send(type="challenge", game="connect4", opponent=other.name, opening=[9])
    peer.refused("illegal_action")
