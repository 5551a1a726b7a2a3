"""Bytes to messages, sans-I/O: decodes frames; what a payload means is for `channel`."""

from __future__ import annotations

from collections.abc import Iterator

from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from palestra_protocol import limits
from palestra_server.gateway.websocket import frames


class MessageStream:
    """Reads for `protocol`, the library's object, once its handshake is done.

    Plain messages are taken as they are, pongs are dropped, all else is for the library's parser: after `feed` it may
    want something sent (a pong, a close frame), or have ended the connection (`library_used`).
    """

    def __init__(self, protocol: ServerProtocol) -> None:
        self._protocol = protocol
        # Frames of every kind that have come so far.
        self.frames = 0
        # Whether the last `feed` handed the library anything.
        self.library_used = False
        self._tail = b""
        self._fragments: bytearray | None = None
        self._fragments_binary = False

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool, int]]:
        """The messages that `data` completes, as (payload, binary, behind): `behind` bytes of `data` come after it.

        Ends with the first frame that ends the connection; who ends it upon a message takes no more.
        """
        self.library_used = False
        if self._tail:
            data = self._tail + data
        start, size = 0, len(data)
        while start < size and (head := frames.read_head(data, start)):
            kind, body, end = head
            if end - body > limits.MAX_FRAME_BYTES:
                self.library_used = True
                self._protocol.receive_data(data[start:])  # which will refuse it
                self._protocol.events_received()
                return
            if end > size:
                break
            self.frames += 1
            if kind == frames.PONG:
                pass  # it came, which is all that the ping wanted
            elif kind and self._fragments is None:
                yield frames.unmasked(data, body, end), kind == frames.BINARY, size - end
            else:
                for payload, binary in self._parse(data[start:end]):
                    yield payload, binary, size - end
                if self._protocol.state is not State.OPEN:
                    return
            start = end
        self._tail = data[start:]

    def _parse(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """Let the library deal with a whole frame; the message that it completes, if any."""
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
