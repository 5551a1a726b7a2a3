"""Bytes to messages, sans-I/O: cuts and makes frames (RFC 6455, section 5.2); payloads are decoded in `channel`.

Whole data frames are cut here, since the library does not tell how many bytes followed a frame in the same read, which
is needed to date its arrival. Everything else (handshake, fragments, control frames, closing, every fault) is done by
`websockets`' Sans-I/O protocol object.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

# The C implementation, where the library was built with it.
from websockets.frames import Frame, Opcode, apply_mask  # type: ignore[attr-defined]
from websockets.protocol import State
from websockets.server import ServerProtocol

from palestra_protocol import limits

PING: Final = b"\x89\x00"

TEXT: Final = 0x81
BINARY: Final = 0x82
PONG: Final = 0x8A
# The kinds of frames: a whole message in one masked data frame, text or binary; a pong; and what is left to the
# library: fragments, other control frames and faults.
OTHER: Final = 0
_OURS: Final = (TEXT, BINARY, PONG)
_MASKED: Final = 0x80
_CONTROL_MAX: Final = 125


def read_head(data: bytes, start: int) -> tuple[int, int, int] | None:
    """The frame that begins at `start`, from its header alone; None if the header is incomplete.

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
    return apply_mask(data[body:end], data[body - 4 : body])


def data_frame(payload: bytes, binary: bool) -> bytes:
    first = BINARY if binary else TEXT
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65536:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload


class MessageStream:
    """Reads for `protocol`, the library's object, once its handshake is done.

    Plain messages are taken as they are, pongs are dropped, and all else goes to the library's parser: after `feed` it
    may want something sent (a pong, a close frame), or have ended the connection (`library_used`).
    """

    def __init__(self, protocol: ServerProtocol) -> None:
        self._protocol = protocol
        # Frames of every kind received so far.
        self.frames = 0
        # Whether the last `feed` passed anything to the library.
        self.library_used = False
        self._tail = b""
        self._fragments: bytearray | None = None
        self._fragments_binary = False

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool, int]]:
        """The messages completed by `data`, as (payload, binary, behind): `behind` bytes of `data` come after it.

        Stops at the first frame that ends the connection; a caller that ends it upon a message stops iterating.
        """
        self.library_used = False
        if self._tail:
            data = self._tail + data
        start, size = 0, len(data)
        while start < size and (head := read_head(data, start)):
            kind, body, end = head
            if end - body > limits.MAX_FRAME_BYTES:
                self.library_used = True
                self._protocol.receive_data(data[start:])  # which will refuse it
                self._protocol.events_received()
                return
            if end > size:
                break
            self.frames += 1
            if kind == PONG:
                pass  # its arrival is all the ping was for
            elif kind and self._fragments is None:
                yield unmasked(data, body, end), kind == BINARY, size - end
            else:
                for payload, binary in self._parse(data[start:end]):
                    yield payload, binary, size - end
                if self._protocol.state is not State.OPEN:
                    return
            start = end
        self._tail = data[start:]

    def _parse(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """Let the library handle a whole frame; returns the message that it completes, if any."""
        self.library_used = True
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if not isinstance(event, Frame):
                continue
            if event.opcode in (Opcode.TEXT, Opcode.BINARY):
                self._fragments = bytearray(event.data)
                self._fragments_binary = event.opcode is Opcode.BINARY
            elif event.opcode is Opcode.CONT and self._fragments is not None:
                # The library has checked their total length.
                self._fragments += event.data
            else:
                continue
            if event.fin:
                payload = bytes(self._fragments)
                self._fragments = None
                yield payload, self._fragments_binary
