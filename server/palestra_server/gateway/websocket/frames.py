"""The two things about WebSocket frames that happen for every message (RFC 6455, section 5.2).

Everything else (handshake, fragments, control frames, closing, every fault) is done by `websockets`' Sans-I/O
protocol object. Its generator-based parser and frame objects cost 2.5 times these few lines, which run once for every
move of every match.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

# The one in C, where the library was built with it.
from websockets.frames import apply_mask  # type: ignore[attr-defined]

PING: Final = b"\x89\x00"
"""An empty ping."""

_FIN_TEXT, _FIN_BINARY = 0x81, 0x82
_FIN_DATA = (_FIN_TEXT, _FIN_BINARY)
_MASKED = 0x80


class Head(NamedTuple):
    """Where a frame stands in a buffer, from its header alone."""

    plain: bool
    """A whole message in one data frame: no fragment, no control frame, no reserved bit, masked."""
    binary: bool
    body: int
    """Index of the first payload byte."""
    end: int
    """Index after the last payload byte; may lie beyond the buffer."""


def read_head(data: bytes, start: int) -> Head | None:
    """The frame that begins at `start`; None if its header is not all there yet."""
    size = len(data) - start
    if size < 2:
        return None
    first, second = data[start], data[start + 1]
    length = second & 0x7F
    body = start + 2
    if length == 126:
        body += 2
    elif length == 127:
        body += 8
    masked = second >= _MASKED
    if masked:
        body += 4
    if size < body - start:
        return None
    if length >= 126:
        length = int.from_bytes(data[start + 2 : start + (4 if length == 126 else 10)], "big")
    return Head(masked and first in _FIN_DATA, first == _FIN_BINARY, body, body + length)


def unmasked(data: bytes, head: Head) -> bytes:
    """The payload of a plain frame that is all there."""
    return apply_mask(data[head.body : head.end], data[head.body - 4 : head.body])


def data_frame(payload: bytes, binary: bool) -> bytes:
    """The frame, from the server, that carries `payload`."""
    first = _FIN_BINARY if binary else _FIN_TEXT
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65536:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload
