"""Bytes to messages: the part of a connection that cuts frames, before anything is known of what they mean."""

from __future__ import annotations

from websockets.frames import Frame, Opcode

from palestra_protocol import limits
from palestra_server.gateway import frames, handshake


class MessageStream:
    """The base of `Connection`. Whoever extends it says what to do with a message, and what after the library
    has dealt with a frame."""

    def __init__(self, allowance: float) -> None:
        self._protocol = handshake.new_protocol()
        self._open = False
        """Whether messages can be sent and received."""
        self._allowance = allowance
        """So many more frames may come before it is too many at once."""
        self._tail = b""
        """Bytes that are not a whole frame yet; during the handshake, the last bytes read."""
        self._fragments: bytearray | None = None
        self._fragments_binary = False

    def _deliver(self, payload: bytes, binary: bool, behind: int) -> None:
        """A whole message; `behind` bytes of the last read came after it."""
        raise NotImplementedError

    def _after_protocol(self) -> None:
        """The library has dealt with something: it may want to send, or have ended the connection."""
        raise NotImplementedError

    def _split(self, data: bytes) -> None:
        """Cut `data` into frames; plain messages are taken as they are, all else is for the library's parser."""
        if self._tail:
            data = self._tail + data
        start, size = 0, len(data)
        while start < size and (head := frames.read_head(data, start)):
            length = head.end - head.body
            if length > limits.MAX_FRAME_BYTES:
                self._parse(data[start:], 0)  # which will refuse it
                return
            if head.end > size:
                break
            self._allowance -= 1
            if head.plain and self._fragments is None:
                self._deliver(frames.unmasked(data, head), head.binary, size - head.end)
            else:
                self._parse(data[start : head.end], size - head.end)
            start = head.end
            if not self._open:
                return
        self._tail = data[start:]

    def _parse(self, data: bytes, behind: int) -> None:
        """Let the library deal with a whole frame; `behind` bytes of the last read came after it."""
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if isinstance(event, Frame):
                self._take_fragment(event, behind)
        self._after_protocol()

    def _take_fragment(self, frame: Frame, behind: int) -> None:
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self._fragments = bytearray(frame.data)
            self._fragments_binary = frame.opcode is Opcode.BINARY
        elif frame.opcode is Opcode.CONT and self._fragments is not None:
            # The library has seen to it that together they are not too long.
            self._fragments += frame.data
            if frame.fin:
                payload = bytes(self._fragments)
                self._fragments = None
                self._deliver(payload, self._fragments_binary, behind)
