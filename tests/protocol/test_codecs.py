"""Whatever the bytes, decoding gives a message or BadMessage; and what was encoded comes back."""

import copy
import json
import sys
import tracemalloc
from collections.abc import Callable
from types import MappingProxyType

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.strategies import client_messages, near_misses, odd, server_messages

from palestra_protocol import limits
from palestra_protocol.codecs import GAP, JSON, MSGPACK, SUBPROTOCOLS, Codec, Encoded, codec_for
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.messages import Message, Played, Ready

ACTION = {"type": "action", "match": "m-1", "ply": 12, "action": 3}
PACKED = msgpack.packb(ACTION)


def outcome(codec: Codec, data: bytes) -> Message | BadMessage:
    """What the server makes of a frame. Whatever is raised that is no BadMessage fails the test."""
    results = [attempt(decode, data) for decode in (codec.decode_client, codec.decode_server)]
    for result in results:
        if isinstance(result, BadMessage):
            assert result.message.endswith(".")
            assert result.message.isprintable()
            assert len(result.message) < 300
            assert result.path.isprintable()
        else:
            assert isinstance(result, Message)
    return results[0]


def attempt(decode: Callable[[bytes], Message], data: bytes) -> Message | BadMessage:
    try:
        return decode(data)
    except BadMessage as bad:
        return bad


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@given(message=client_messages)
def test_what_a_client_says_comes_back(codec, message):
    assert codec.decode_client(codec.encode(message)) == message


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@given(message=server_messages)
@pytest.mark.slow
def test_what_the_server_says_comes_back(codec, message):
    assert codec.decode_server(codec.encode(message)) == message


@given(message=client_messages)
def test_a_message_and_its_fields_make_the_same_frame(message):
    for codec in (MSGPACK, JSON):
        assert codec.encode(message) == codec.encode(dict(message.fields()))
    assert msgpack.unpackb(MSGPACK.encode(message)) == json.loads(JSON.encode(message))


@given(data=st.binary(max_size=80))
@example(b"")
@example(b"\xc1")
@example(b"\x81\xa4type\xc4\x06action")
def test_any_bytes_are_a_message_or_a_bad_message(data):
    for codec in (MSGPACK, JSON):
        outcome(codec, data)


@given(data=st.data())
@pytest.mark.slow
def test_a_broken_frame_is_a_message_or_a_bad_message(data):
    message = data.draw(client_messages | server_messages)
    for codec in (MSGPACK, JSON):
        frame = bytearray(codec.encode(message))
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(frame) - 1))
            frame[at] = data.draw(st.integers(0, 255))
        cut = data.draw(st.integers(0, len(frame)))
        outcome(codec, bytes(frame))
        outcome(codec, bytes(frame[:cut]))


@given(
    value=odd | near_misses() | st.dictionaries(odd.filter(lambda v: not isinstance(v, list | dict)), odd, max_size=3)
)
def test_any_value_is_a_message_or_a_bad_message(value):
    outcome(JSON, json.dumps(value, skipkeys=True).encode())
    try:
        packed = msgpack.packb(value)
    except OverflowError:
        return
    outcome(MSGPACK, packed)


@given(
    text=st.text(st.characters(codec=None, categories=None), max_size=20), key=st.sampled_from(["type", "match", "x"])
)
@example("\ud800", "type")
@example("\udfff", "match")
def test_half_a_surrogate_pair_never_gets_in(text, key):
    frame = json.dumps({**ACTION, key: text}).encode()
    result = outcome(JSON, frame)
    if any("\ud800" <= c <= "\udfff" for c in text):
        assert isinstance(result, BadMessage)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not one complete MessagePack map"),
        (b"\xc1", "not one complete MessagePack map"),
        (PACKED[:-1], "not one complete MessagePack map"),
        (PACKED + b"\x00", "one message per frame"),
        (PACKED + PACKED, "one message per frame"),
        (b"\x91" * 3000, "too deeply"),
        (b"\x81\xa1a" * 1300, "too deeply"),
        (b"\xdd\xff\xff\xff\xff", "too many entries"),
        (b"\xdf\xff\xff\xff\xff", "too many entries"),
        (msgpack.packb({**ACTION, "info": {"pv": [0] * 66}}), "too many entries"),
        (b"\xdb\xff\xff\xff\xff", "not one complete MessagePack map"),
        (b"\xc6\xff\xff\xff\xff", "not one complete MessagePack map"),
        (msgpack.packb({**ACTION, "match": msgpack.Timestamp(1)}), "extension type"),
        (msgpack.packb({**ACTION, "match": msgpack.ExtType(5, b"xyz")}), "extension type"),
        (msgpack.packb({**ACTION, "match": msgpack.ExtType(5, b"")}), "extension type"),
        (b"\x82\xa4type\xa5ready\xa5match\xc7\x00\xff", "not one complete MessagePack map"),
        (msgpack.packb({**ACTION, "match": b"m-1"}), "must be text, not bytes"),
        (msgpack.packb({**ACTION, b"extra": 1}), "is not a known key"),
        (msgpack.packb({b"type": b"action"}), "has no type"),
        (msgpack.packb({1: 2}), "not one complete MessagePack map"),
        (b"\x81\x90\x01", "not one complete MessagePack map"),
        (b"\x82\xa4type\xa5ready\xa4type\xa5ready", "'type' appears twice"),
        (b"\x82\xa4type\xa5ready\xa5match\xa2\xff\xfe", "not UTF-8"),
        (msgpack.packb({**ACTION, "info": {"value": float("nan")}}), "finite number"),
        (msgpack.packb({**ACTION, "info": {"value": float("-inf")}}), "finite number"),
        (msgpack.packb([ACTION]), "must be a map, not a list"),
        (msgpack.packb("action"), "must be a map, not the text 'action'"),
        (msgpack.packb(None), "must be a map, not null"),
        (b" " * (limits.MAX_FRAME_BYTES + 1), "at most 4096 bytes, not 4097"),
    ],
)
def test_a_bad_msgpack_frame(data, says):
    with pytest.raises(BadMessage) as caught:
        MSGPACK.decode_client(data)
    assert says in caught.value.message


def with_match(text: str) -> bytes:
    return f'{{"type":"ready","match":{text}}}'.encode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is not JSON"),
        (b"hello", "is not JSON"),
        (b"{'type': 'ready'}", "is not JSON"),
        (b'{"type":"ready"} {}', "is not JSON"),
        (b'\xef\xbb\xbf{"type":"ready"}', "is not JSON"),
        ('{"type":"ready"}'.encode("utf-16"), "not UTF-8"),
        (b'{"type":"\xff"}', "not UTF-8"),
        (with_match("NaN"), "NaN"),
        (with_match("-Infinity"), "-Infinity"),
        (b'{"type":"action","match":"m","ply":1e999,"action":1}', "action.ply must be a whole number"),
        (b'{"type":"action","match":"m","ply":1,"action":1,"info":{"value":1e999}}', "finite number"),
        (
            b'{"type":"action","match":"m","ply":1,"action":1,"info":{"value":1' + b"0" * 400 + b"}}",
            "a number beyond 10^18",
        ),
        (b'{"type":"action","match":"m","ply":-' + b"9" * 3000 + b',"action":1}', "a number beyond 10^18"),
        # Newer Pythons nest deeper than a frame can.
        (b"[" * 4000, "too deeply" if sys.version_info < (3, 13) else "is not JSON"),
        (b'{"a":' * 600 + b"1" + b"}" * 600, "has no type"),
        (b'{"type":"ready","type":"ready"}', "'type' appears twice"),
        (with_match('{"a":1,"a":2}'), "'a' appears twice"),
        (with_match(r'"\ud800"'), "surrogate"),
        (with_match(r'"\uDC00\ud800"'), "surrogate"),
        (b"[]", "must be a map, not a list"),
        (b"null", "must be a map, not null"),
        (b'"' + b"x" * limits.MAX_FRAME_BYTES + b'"', "at most 4096 bytes, not 4098"),
    ],
)
def test_a_bad_json_frame(data, says):
    with pytest.raises(BadMessage) as caught:
        JSON.decode_client(data)
    assert says in caught.value.message


def test_a_number_with_too_many_digits_from_a_server_is_refused_too():
    with pytest.raises(BadMessage, match="too many digits"):
        JSON.decode_server(b'{"type":"error","ply":' + b"9" * 5000 + b"}")


def test_a_whole_surrogate_pair_is_one_character():
    assert JSON.decode_client(with_match(r'"\ud83d\ude00"')) == Ready(match="\U0001f600")


def test_a_small_frame_cannot_ask_for_much_memory():
    nested = b"\xdc\x0f\xff" * 1000
    tracemalloc.start()
    with pytest.raises(BadMessage):
        MSGPACK.decode_client(nested)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_a_server_frame_may_be_longer_than_a_clients():
    played = Played(match="m", ply=1, seat=0, action=1, name="x", charged_ms=1.5, state={"cells": [0] * 10_000})
    for codec in (MSGPACK, JSON):
        assert codec.decode_server(codec.encode(played)) == played


def test_bytes_like_frames_are_taken_as_they_come():
    for codec in (MSGPACK, JSON):
        frame = codec.encode(ACTION)
        assert codec.decode_client(bytearray(frame)) == codec.decode_client(memoryview(frame))


def test_encoding_takes_any_mapping_and_changes_nothing():
    message = {"type": "turn", "state": MappingProxyType({"cells": (0, 1)}), "last": Ready(match="m")}
    before = copy.copy(message)
    for codec in (MSGPACK, JSON):
        frame = codec.encode(MappingProxyType(message))
        plain = msgpack.unpackb(frame) if codec.binary else json.loads(frame)
        assert plain == {"type": "turn", "state": {"cells": [0, 1]}, "last": {"type": "ready", "match": "m"}}
    assert message == before


def test_json_never_writes_nan():
    assert JSON.encode({"type": "played", "charged_ms": float("nan")}) == b'{"type":"played","charged_ms":null}'


def test_the_subprotocol_picks_the_codec():
    assert SUBPROTOCOLS == ("palestra.v1.msgpack", "palestra.v1.json")
    assert codec_for(None) is MSGPACK
    assert [codec_for(name) for name in SUBPROTOCOLS] == [MSGPACK, JSON]
    assert (MSGPACK.binary, JSON.binary) == (True, False)
    with pytest.raises(KeyError):
        codec_for("palestra.v2.json")


class Shout(Encoded):
    """A value that is encoded already."""

    def __init__(self, *words):
        super().__init__()
        self.words = words
        self.asked = []

    def encode(self, codec):
        self.asked.append(codec)
        return codec.encode({"words": self.words})


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
def test_what_is_encoded_already_is_put_in_its_place(codec):
    ready, outer = Shout("a", "ñ"), Shout(Shout("b"), 1, Shout())
    plain = {"words": ["a", "ñ"]}, {"words": [{"words": ["b"]}, 1, {"words": []}]}
    for _ in range(2):
        frame = codec.encode({"type": "x", "first": ready, "in": [1, {"deep": outer}, ready], "last": None})
        assert frame == codec.encode(
            {"type": "x", "first": plain[0], "in": [1, {"deep": plain[1]}, plain[0]], "last": None}
        )
    assert ready.asked == [codec], "once"


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@pytest.mark.parametrize("fault", [object(), "\ud800", Ellipsis])
def test_a_message_that_cannot_be_written_leaves_nothing_behind(codec, fault):
    with pytest.raises((TypeError, ValueError)):
        codec.encode({"type": "x", "first": Shout("a"), "then": fault})
    assert codec.encode({"type": "x", "n": 1}) == codec.encode({"type": "x", "n": 1})
    assert codec.encode({"words": [Shout("b")]}) == codec.encode({"words": [{"words": ["b"]}]})


@pytest.mark.parametrize("codec", [MSGPACK, JSON])
@pytest.mark.parametrize("count", [0, 1, 15, 16, 65_536])
def test_pieces_and_lists_make_the_frame(codec, count):
    before, after = codec.cut({"a": 1, "values": GAP, "z": {"last": "ñ"}})
    joined = codec.join([codec.encode({"v": 1})] * count)
    assert before + joined + after == codec.encode({"a": 1, "values": [{"v": 1}] * count, "z": {"last": "ñ"}})
