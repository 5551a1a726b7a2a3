"""What a client may send, up to the limits; and what it is told when it sends anything else."""

import pytest
from pydantic import ValidationError

from palestra_protocol import limits
from palestra_protocol.codecs import JSON, MSGPACK
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.messages import Action, Challenge, Event, Hello, Info, Turn, Watch

ACTION = {"type": "action", "match": "m-1", "ply": 12, "action": 3}
CHALLENGE = {"type": "challenge", "game": "connect4", "opponent": "ben"}


def info(**fields):
    return {**ACTION, "info": fields}


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@pytest.mark.parametrize(
    ("message", "path", "sentence"),
    [
        ({**ACTION, "ply": "3"}, "action.ply", "action.ply must be a whole number, not the text '3'."),
        ({**ACTION, "ply": 3.0}, "action.ply", "action.ply must be a whole number, not the number 3.0."),
        ({**ACTION, "ply": True}, "action.ply", "action.ply must be a whole number, not true."),
        ({**ACTION, "ply": None}, "action.ply", "action.ply must be a whole number, not null."),
        ({**ACTION, "ply": -1}, "action.ply", "action.ply must be at least 0, not the number -1."),
        ({**ACTION, "ply": 10_001}, "action.ply", "action.ply must be at most 10000, not the number 10001."),
        ({**ACTION, "ply": 2**64 - 1}, "action.ply", "action.ply must be at most 10000, not a number beyond 10^18."),
        ({**ACTION, "action": 256}, "action.action", "action.action must be at most 255, not the number 256."),
        ({**ACTION, "action": [3]}, "action.action", "action.action must be a whole number, not a list."),
        ({**ACTION, "match": ""}, "action.match", "action.match must not be empty."),
        (
            {"type": "hello", "token": "", "version": "ü"},
            "hello.version",
            "hello.version may have printable ASCII characters only, not the text 'ü'.",
        ),
        ({**ACTION, "match": "m" * 65}, "action.match", "action.match may have at most 64 characters, not 65."),
        ({**ACTION, "match": {"id": 1}}, "action.match", "action.match must be text, not a map."),
        ({**ACTION, "plyy": 1}, "action.plyy", "action.plyy is not a known key: remove it."),
        ({"type": "action", "match": "m-1", "ply": 1}, "action.action", "action.action is missing."),
        ({**ACTION, "info": []}, "action.info", "action.info must be a map, not a list."),
        (info(score=3), "action.info.score", "action.info.score is not a known key: remove it."),
        (info(depth=1.5), "action.info.depth", "action.info.depth must be a whole number, not the number 1.5."),
        (
            info(nodes=2**53 + 1),
            "action.info.nodes",
            "action.info.nodes must be at most 9007199254740992, not the number 9007199254740993.",
        ),
        (info(value="1"), "action.info.value", "action.info.value must be a number, not the text '1'."),
        (info(value=True), "action.info.value", "action.info.value must be a number, not true."),
        (
            info(value=1.5e12),
            "action.info.value",
            "action.info.value must be at most 1000000000000, not the number 1500000000000.0.",
        ),
        (info(pv=3), "action.info.pv", "action.info.pv must be a list, not the number 3."),
        (info(pv=[1, 2, "3"]), "action.info.pv[2]", "action.info.pv[2] must be a whole number, not the text '3'."),
        (info(pv=[0] * 65), "action.info.pv", "action.info.pv may have at most 64 entries, not 65."),
        (info(text="x" * 201), "action.info.text", "action.info.text may have at most 200 characters, not 201."),
        ({**CHALLENGE, "seat": 2}, "challenge.seat", "challenge.seat must be 0, 1 or null, not the number 2."),
        ({**CHALLENGE, "seat": True}, "challenge.seat", "challenge.seat must be 0, 1 or null, not true."),
        ({**CHALLENGE, "seat": 1.0}, "challenge.seat", "challenge.seat must be 0, 1 or null, not the number 1.0."),
        ({**CHALLENGE, "rated": 1}, "challenge.rated", "challenge.rated must be true or false, not the number 1."),
        ({"type": "hello"}, "hello.token", "hello.token is missing."),
        ({"type": "hello", "token": None}, "hello.token", "hello.token must be text, not null."),
        (
            {"type": "watch", "topic": "lobby", "from_": 1},
            "watch.from_",
            "watch.from_ is not a known key: remove it.",
        ),
        (
            {"type": "move"},
            "type",
            "The type of a message must be one of hello, ready, action, resign, challenge, watch, unwatch, "
            "not the text 'move'.",
        ),
        (
            {"match": "m-1"},
            "type",
            "The message has no type; it must be one of hello, ready, action, resign, challenge, watch, unwatch.",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(codec, message, path, sentence):
    with pytest.raises(BadMessage) as caught:
        codec.decode_client(codec.encode(message))
    assert (caught.value.path, caught.value.message) == (path, sentence)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@pytest.mark.parametrize(
    "message",
    [
        {**ACTION, "ply": 0, "action": 0},
        {**ACTION, "ply": limits.PLY_MAX, "action": limits.ACTION_MAX},
        {**ACTION, "match": "é" * limits.ID_MAX, "info": None},
        info(),
        info(depth=None, nodes=None, value=None, pv=None, text=None),
        info(depth=0, nodes=2**53, value=-1e12, pv=[255] * 64, text="ß" * 200),
        info(value=99999999),
        {
            "type": "hello",
            "token": "t" * limits.TOKEN_MAX,
            "client": "c" * limits.TEXT_MAX,
            "name": "n" * limits.NAME_MAX,
        },
        {**CHALLENGE, "seat": 1, "rated": True},
        {"type": "watch", "topic": "lobby", "from": 2**53},
    ],
)
def test_the_edges_are_inside(codec, message):
    assert codec.decode_client(codec.encode(message)).type == message["type"]


def test_the_longest_sensible_action_fits_into_a_frame():
    longest = Info(depth=10_000, nodes=2**53, value=-1e12, pv=[255] * 64, text="\U0001f600" * 200)
    frame = JSON.encode(Action(match="\U0001f600" * 64, ply=10_000, action=255, info=longest))
    assert len(frame) <= limits.MAX_FRAME_BYTES
    assert JSON.decode_client(frame).info == longest


def test_what_may_be_left_out_has_the_defaults_of_the_page():
    assert JSON.decode_client(b'{"type":"hello","token":""}') == Hello(
        token="", client="", name=None, resume=None, challenges=True
    )
    assert JSON.decode_client(b'{"type":"challenge","game":"mancala","opponent":"ben"}') == Challenge(
        game="mancala", opponent="ben", seat=None, rated=False
    )
    assert JSON.decode_client(b'{"type":"watch","topic":"lobby"}') == Watch(topic="lobby", from_=None)


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
def test_from_is_from_on_the_wire_and_from_underscore_in_python(codec):
    frame = codec.encode(Watch(topic="match:m-1", from_=7))
    assert b"from_" not in frame
    assert b"from" in frame
    assert codec.decode_client(frame) == Watch(topic="match:m-1", from_=7)


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
def test_a_client_skips_what_a_later_server_adds(codec):
    later = {"type": "event", "topic": "lobby", "seq": 3, "event": {"type": "new", "x": [1]}, "weather": "fine"}
    assert codec.decode_server(codec.encode(later)) == Event(topic="lobby", seq=3, event={"type": "new", "x": [1]})
    nested = {
        "type": "turn",
        "match": "m-1",
        "ply": 1,
        "seat": 1,
        "state": {},
        "legal": [0],
        "last": {"ply": 0, "seat": 0, "action": 3, "name": "PUT 4", "charged_ms": 7, "mood": "good"},
        "remaining_ms": 2000,
    }
    assert codec.decode_server(codec.encode(nested)).last.name == "PUT 4"


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
def test_a_client_reads_null_and_absent_as_the_same(codec):
    short = {"type": "error", "code": "bad_message", "message": "No."}
    full = {**short, "match": None, "ply": None, "legal": None, "fatal": False}
    assert codec.decode_server(codec.encode(short)) == codec.decode_server(codec.encode(full))


def test_each_direction_takes_its_own_messages_only():
    with pytest.raises(BadMessage, match="not the text 'welcome'"):
        JSON.decode_client(b'{"type":"welcome"}')
    with pytest.raises(BadMessage, match="not the text 'ready'"):
        JSON.decode_server(b'{"type":"ready","match":"m-1"}')


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            {"type": "error", "code": "odd", "message": ""},
            "error.code must be one that version 1 defines, not the text 'odd'.",
        ),
        ({"type": "played", "match": "m", "ply": 0, "seat": 7}, "played.seat must be 0 or 1, not the number 7."),
    ],
)
def test_what_a_server_says_wrong_is_one_sentence_too(message, sentence):
    with pytest.raises(BadMessage) as caught:
        JSON.decode_server(JSON.encode(message))
    assert caught.value.message == sentence


def test_messages_cannot_be_changed():
    message = Hello(token="t")
    with pytest.raises(ValidationError):
        message.token = "other"


def test_a_server_message_is_checked_when_it_is_made():
    with pytest.raises(ValidationError):
        Turn(match="m-1", ply="0", seat=0, state={}, legal=(), remaining_ms=2000)


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@pytest.mark.parametrize(
    "message",
    [
        {"type": "x" * 3000},
        {**ACTION, "x" * 3000: 1},
        {**ACTION, "\x1b[2J\u202e\n": 1},
        {**ACTION, "ply": "\x1b]0;title\x07" * 200},
        {"type": "action\x00\r\n\x1b[31m"},
    ],
)
def test_nothing_long_or_unprintable_is_echoed(codec, message):
    with pytest.raises(BadMessage) as caught:
        codec.decode_client(codec.encode(message))
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 200
    assert caught.value.path.isprintable()
    assert len(caught.value.path) < 60
