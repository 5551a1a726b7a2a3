"""Frames as nobody should send them, drawn from a seed: against codecs and referee, and as bytes of a WebSocket.

Only typed rejections may come of them: a BadMessage with a sentence, a Reject with a code of the protocol, a close
frame. Anything else is an AssertionError, or whatever the server would have raised.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any, get_args

import msgpack
from tests.support.shell import Shell, config
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from palestra_protocol import limits
from palestra_protocol.codecs import JSON, MSGPACK, Codec
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.messages import Action, ClientMessage, ErrorCode, Hello, Ready, Resign
from palestra_referee import MS, Match, Reject, Resigned
from palestra_server.gateway.websocket.handshake import new_protocol
from palestra_server.gateway.websocket.stream import MessageStream

GAMES = ("connect4", "connect4-8x8", "desconecta4", "mancala")
CODES = frozenset(get_args(ErrorCode))
ODD = (
    *(None, True, False, -1, 0, 1, 1.0, 2.5, float("nan"), float("inf"), 2**31, 2**53 + 1, 2**63, 2**200),
    *("", "x", "x" * 300, "\u202e", "\x00", "3", [], {}, [0] * 70, {"a": {"b": [1]}}, b"bytes", [[[[[]]]]]),
)
STEPS_MAX = 150
"""Frames of one match at the most; most matches are over before."""


def fuzz_referee(seed: int, frames: int) -> Counter[str]:
    """Plays matches with broken, odd and good frames; what became of them. AssertionError for what must not be."""
    chance, seen = random.Random(seed), Counter[str]()
    while sum(seen.values()) < frames:
        _one_match(chance, seen)
    return seen


def _one_match(chance: random.Random, seen: Counter[str]) -> None:
    shell = Shell(config(game=chance.choice(GAMES), away=chance.choice(("bank", "clock"))))
    if chance.random() < 0.95:
        shell.begin()
    for _ in range(STEPS_MAX):
        codec = chance.choice((MSGPACK, JSON))
        seat = chance.randrange(2)
        message = decoded(codec, draw_frame(chance, codec, shell.match))
        if message is None:
            seen["bad_message"] += 1
            continue
        _pass_time(chance, shell)
        seen[_hand_in(shell, seat if chance.random() < 0.1 else shell.match.state.to_move, message)] += 1
        if shell.match.phase == "finished" and chance.random() < 0.5:
            break
    if shell.match.phase == "finished":
        shell.durable()


def decoded(codec: Codec, data: bytes) -> ClientMessage | None:
    """The message of a frame; None if it is refused, with a sentence."""
    try:
        return codec.decode_client(data)
    except BadMessage as bad:
        _check_sentence(bad.message)
        return None


def _check_sentence(text: str) -> None:
    """AssertionError unless a person can be shown it on a terminal."""
    assert text.endswith("."), text
    assert text.isprintable(), text
    assert len(text) < 300, text


def _pass_time(chance: random.Random, shell: Shell) -> None:
    shell.now += chance.choices((0, MS, 40 * MS, 700 * MS), (4, 4, 4, 1))[0]
    while shell.alarm is not None and shell.alarm <= shell.now:
        shell.alarm_due()
    if chance.random() < 0.005:
        shell.restart()


def _hand_in(shell: Shell, seat: int, message: ClientMessage) -> str:
    """One message from the one at this seat; what it did."""
    match = shell.match
    if isinstance(message, Hello):
        if shell.connected[seat]:
            shell.detach(seat)
        shell.attach(seat, fresh=message.resume is None)
        return "joined"
    if not isinstance(message, Ready | Action | Resign) or message.match != match.config.match:
        return "not for the match"
    if isinstance(message, Ready):
        shell.ready(seat)
        return "ready"
    if isinstance(message, Resign):
        shell.feed(Resigned(seat, shell.now))
        return "resigned"
    effects = shell.act(message.action, seat=seat, ply=message.ply)
    rejected = [effect for effect in effects if isinstance(effect, Reject)]
    for effect in rejected:
        assert effect.code in CODES, effect
        _check_sentence(effect.message)
    if rejected:
        return rejected[0].code
    return "accepted" if shell.match.ply > match.ply else "no effect"


def draw_frame(chance: random.Random, codec: Codec, match: Match) -> bytes:
    """A frame of a client: good, with an odd value somewhere, or with damaged bytes."""
    message = _draw_message(chance, match)
    if chance.random() < 0.25:
        _spoil(chance, message)
    data = _encode(codec, message)
    return _damage(chance, data) if chance.random() < 0.2 else data


def _draw_message(chance: random.Random, match: Match) -> dict[str, Any]:
    name = match.config.match if chance.random() < 0.97 else "another"
    kind = chance.choices(
        ("action", "ready", "hello", "resign", "challenge", "watch", "unwatch"), (60, 4, 2, 0.3, 1, 1, 1)
    )[0]
    message: dict[str, Any] = {"type": kind}
    if kind in ("action", "ready", "resign"):
        message["match"] = name
    if kind == "action":
        message["ply"] = match.ply + chance.choices((0, -1, 1, 100), (40, 2, 1, 1))[0]
        message["action"] = chance.choice(match.legal or (0,)) if chance.random() < 0.97 else chance.randrange(80)
        if chance.random() < 0.3:
            message["info"] = {"depth": chance.randrange(90), "pv": [1, 2], "value": chance.random()}
    elif kind == "hello":
        message |= {"token": "t", "client": "fuzz", "resume": chance.choice((None, "session"))}
    elif kind == "challenge":
        message |= {"game": match.config.game, "opponent": "bob", "seat": chance.choice((None, 0, 1))}
    elif kind in ("watch", "unwatch"):
        message["topic"] = "lobby"
    return message


def _spoil(chance: random.Random, message: dict[str, Any]) -> None:
    """Gives one key an odd value, takes it away, or puts in another."""
    info = message.get("info")
    inner = info if isinstance(info, dict) and chance.random() < 0.5 else message
    key = chance.choice([*inner, "extra"])
    if chance.random() < 0.2:
        inner.pop(key, None)
    else:
        inner[key] = chance.choice(ODD)


def _encode(codec: Codec, message: dict[str, Any]) -> bytes:
    """As it stands, also what our own encoder would refuse or mend."""
    if not codec.binary:
        return json.dumps(message, default=repr).encode()
    try:
        packed: bytes = msgpack.packb(message)
    except OverflowError:
        return b"\xc1"
    return packed


def _damage(chance: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut off, doubled, put in front, or none of the first left."""
    spoilt = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(spoilt) + 1)
        match chance.randrange(5):
            case 0 | 1 if at < len(spoilt):
                spoilt[at] = chance.randrange(256)
            case 2:
                del spoilt[at:]
            case 3:
                spoilt[at:at] = chance.randbytes(chance.randint(1, 5))
            case _:
                spoilt += spoilt[at:]
    return bytes(spoilt)


# --- the bytes of a connection ----------------------------------------------------------------------------------------


def fuzz_stream(seed: int, frames: int) -> Counter[str]:
    """Sends frames to `MessageStream` in random cuts; what it made of them, which must be what the library itself
    makes of the same frames but pongs, in one piece. AssertionError otherwise."""
    chance, seen = random.Random(seed), Counter[str]()
    while seen["frames"] < frames:
        pieces = _draw_wires(chance, chance.randint(1, 30))
        data = b"".join(pieces)
        messages, code = by_stream(_cut(chance, data))
        # A pong within a fragmented message, which we drop, would count toward the message's size there.
        expected = by_library(b"".join(piece for piece in pieces if not _is_pong(piece)))
        assert (messages, code) == expected, f"seed {seed}: {data.hex()}"
        seen["frames"] += len(pieces)
        seen["messages"] += len(messages)
        seen[f"closed by {code}" if code else "left open"] += 1
    return seen


def by_stream(cuts: list[bytes]) -> tuple[list[tuple[bytes, bool]], int | None]:
    """The messages, and the code with which the connection was closed, as our own stream reads."""
    protocol = _opened()
    stream, messages = MessageStream(protocol), []
    for cut in cuts:
        if protocol.state is not State.OPEN:
            break
        messages += [(payload, binary) for payload, binary, _ in stream.feed(cut)]
    return messages, _code(protocol)


def by_library(data: bytes) -> tuple[list[tuple[bytes, bool]], int | None]:
    """The same as `websockets` reads."""
    protocol = _opened()
    protocol.receive_data(data)
    messages, parts, binary = [], bytearray(), False
    for event in protocol.events_received():
        assert isinstance(event, Frame)
        if event.opcode in (Opcode.TEXT, Opcode.BINARY):
            parts, binary = bytearray(), event.opcode is Opcode.BINARY
        elif event.opcode is not Opcode.CONT:
            continue
        parts += event.data
        if event.fin:
            messages.append((bytes(parts), binary))
    return messages, _code(protocol)


def _opened() -> ServerProtocol:
    """A connection whose handshake is done."""
    protocol = new_protocol()
    protocol.receive_data(
        b"GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    (request,) = protocol.events_received()
    assert isinstance(request, Request)
    protocol.send_response(protocol.accept(request))
    assert protocol.state is State.OPEN
    return protocol


def _code(protocol: ServerProtocol) -> int | None:
    return protocol.close_sent.code if protocol.close_sent else None


def _draw_wires(chance: random.Random, count: int) -> list[bytes]:
    """Frames as they travel: messages, whole or in fragments, control frames, and at times what breaks the rules."""
    sent, inside = [], False
    for _ in range(count):
        size = chance.choice((0, 1, 20, 20, 60, 125, 126, 200, 1000, limits.MAX_FRAME_BYTES))
        kind, fin = chance.random(), chance.random() < 0.7
        masked, first = True, 0
        if kind < 0.8:
            opcode = Opcode.CONT if inside else chance.choice((Opcode.TEXT, Opcode.BINARY))
            first, inside = fin << 7 | opcode, not fin
        elif kind < 0.97:
            first, size = 0x80 | chance.choice((Opcode.PING, Opcode.PONG)), min(size, 125)
        elif kind < 0.975:
            first, size = 0x80 | Opcode.CLOSE, chance.choice((0, 2, 20))
        else:
            first, masked = chance.choice((0x80, 0x82, 0x88, 0x89, chance.randrange(256))), chance.random() < 0.8
            size = chance.choice((1, 126, limits.MAX_FRAME_BYTES + 1, 66_000))
        sent.append(_wire(chance, first, chance.randbytes(size), masked=masked))
    return sent


def _wire(chance: random.Random, first: int, payload: bytes, *, masked: bool = True) -> bytes:
    """A frame with this first byte, be it allowed or not; the library writes only good ones."""
    size, bit = len(payload), masked << 7
    if size < 126:
        head = bytes((first, bit | size))
    elif size < 1 << 16:
        head = bytes((first, bit | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((first, bit | 127)) + size.to_bytes(8, "big")
    if not masked:
        return head + payload
    mask = chance.randbytes(4)
    long_mask = (mask * (size // 4 + 1))[:size]
    return head + mask + (int.from_bytes(payload) ^ int.from_bytes(long_mask)).to_bytes(size)


def _is_pong(frame: bytes) -> bool:
    return frame[0] == 0x80 | Opcode.PONG and 0x80 <= frame[1] <= 0x80 | 125


def _cut(chance: random.Random, data: bytes) -> list[bytes]:
    """The same bytes in pieces of 1 byte to 4 KiB."""
    cuts, at = [], 0
    most = chance.choice((1, 3, 50, 400, 4096))
    while at < len(data):
        size = chance.randint(1, most)
        cuts.append(data[at : at + size])
        at += size
    return cuts
