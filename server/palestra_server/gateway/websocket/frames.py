"""The two WebSocket operations on the path of every message: cutting and making frames (RFC 6455, section 5.2).

Everything else (handshake, fragments, control frames, closing, every fault) is done by `websockets`' Sans-I/O
protocol object. Its generator-based parser and frame objects cost 2.5 times these few lines, which run once for every
move of every match.
"""

from __future__ import annotations

import struct
from typing import Final

# The one in C, where the library was built with it.
from websockets.frames import apply_mask  # type: ignore[attr-defined]

PING: Final = b"\x89\x00"
"""An empty ping."""

TEXT: Final = 0x81
BINARY: Final = 0x82
PONG: Final = 0x8A
OTHER: Final = 0
"""The kinds of frames: a whole message in one masked data frame, as text or binary; a pong; and what is left to the
library: fragments, other control frames and faults."""
_OURS: Final = (TEXT, BINARY, PONG)
_MASKED: Final = 0x80
_CONTROL_MAX: Final = 125


def read_head(data: bytes, start: int) -> tuple[int, int, int] | None:
    """The frame that begins at `start`, from its header alone; None if that is not all there yet.

    (kind, body, end): the indices of the first payload byte and of the one after the last, which may lie beyond `data`.
    """
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
    kind = first if masked and first in _OURS and (first != PONG or length <= _CONTROL_MAX) else OTHER
    return kind, body, body + length


def unmasked(data: bytes, body: int, end: int) -> bytes:
    """The payload of a masked frame that is all there."""
    return apply_mask(data[body:end], data[body - 4 : body])


def data_frame(payload: bytes, binary: bool) -> bytes:
    """The frame, from the server, that carries `payload`."""
    first = BINARY if binary else TEXT
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65536:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload
