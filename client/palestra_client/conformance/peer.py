"""A connection to the server under test, driven message by message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from threading import Event
from typing import Any

import msgpack
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from palestra_protocol.codecs import codec_for
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.messages import ErrorCode

PATIENCE_S = 20.0  # how long to wait for an answer. Generous: the server may be busy, and speed isn't what is tested.


class Fault(Exception):
    """The server broke the rule; the text says how."""


class Peer:
    """One connection. Every incoming message is validated against the schemas of PROTOCOL.md."""

    def __init__(self, url: str, subprotocols: tuple[str, ...] = ("palestra.v1.json",)) -> None:
        offered = [Subprotocol(name) for name in subprotocols] or None
        self._open = ExitStack()
        self.socket = self._open.enter_context(
            connect(
                url,
                subprotocols=offered,
                compression=None,
                proxy=None,
                open_timeout=PATIENCE_S,
                create_connection=_Pinged,
            )
        )
        self.codec = codec_for(self.socket.subprotocol)
        self.name = ""
        self.session = ""

    def send(self, **message: Any) -> None:
        self.raw(json.dumps(message) if not self.codec.binary else msgpack.packb(message))

    def raw(self, frame: str | bytes) -> None:
        """Send a frame as is."""
        self.socket.send(frame)

    def receive(self) -> dict[str, Any]:
        try:
            frame = self.socket.recv(PATIENCE_S)
        except TimeoutError:
            raise Fault(f"nothing came within {PATIENCE_S:.0f} s") from None
        except ConnectionClosed as closed:
            raise Fault(f"the connection was closed ({_code(closed)})") from None
        need(isinstance(frame, bytes) == self.codec.binary, "a frame was of the wrong kind for its subprotocol")
        data = frame if isinstance(frame, bytes) else frame.encode()
        try:
            self.codec.decode_server(data)
        except BadMessage as fault:
            raise Fault(f"a message is not as described: {fault}") from None
        message: dict[str, Any] = msgpack.unpackb(data) if self.codec.binary else json.loads(data)
        return message

    def expect(self, kind: str, **fields: object) -> dict[str, Any]:
        """Return the next message, which must have this type and these values."""
        message = self.receive()
        need(message["type"] == kind, f"{message['type']} came in place of {kind}: {message}")
        for key, value in fields.items():
            need(message.get(key) == value, f"{kind}.{key} is {message.get(key)!r}, not {value!r}")
        return message

    def until(self, kind: str, **fields: object) -> dict[str, Any]:
        """Return the next message with this type and these values, skipping others."""
        while True:
            message = self.receive()
            if message["type"] == kind and all(message.get(key) == value for key, value in fields.items()):
                return message

    def refused(self, code: ErrorCode, **fields: object) -> dict[str, Any]:
        """Return the next message, which must be this error and contain a sentence."""
        error = self.expect("error", code=code, **fields)
        need(len(error["message"]) > 5, "an error has no sentence")
        return error

    def closed(self, code: int) -> None:
        """Wait for the server to close with this code, skipping messages that come before."""
        try:
            while True:
                self.socket.recv(PATIENCE_S)
        except TimeoutError:
            raise Fault(f"the connection was not closed within {PATIENCE_S:.0f} s") from None
        except ConnectionClosed as closed:
            need(_code(closed) == code, f"it was closed with {_code(closed)}, not {code}")

    def act(self, turn: Mapping[str, Any], action: int | None = None, **more: object) -> int:
        """Answer this turn, by default with its first legal action."""
        chosen = turn["legal"][0] if action is None else action
        self.send(type="action", match=turn["match"], ply=turn["ply"], action=chosen, **more)
        return int(chosen)

    def close(self) -> None:
        self._open.close()

    def pinged(self, within_s: float) -> bool:
        """Whether the server has pinged, or does so within this time."""
        assert isinstance(self.socket, _Pinged)
        return self.socket.pinged.wait(within_s)

    def vanish(self) -> None:
        """Drop the connection without a closing handshake, as a network failure would."""
        self.socket.socket.close()


class _Pinged(ClientConnection):
    def __init__(self, *args: Any, **more: Any) -> None:
        self.pinged = Event()
        super().__init__(*args, **more)

    def process_event(self, event: Any) -> None:
        if isinstance(event, Frame) and event.opcode is Opcode.PING:
            self.pinged.set()
        super().process_event(event)


def _code(closed: ConnectionClosed) -> int:
    return 1006 if closed.rcvd is None else closed.rcvd.code


def need(holds: bool, else_: str) -> None:
    if not holds:
        raise Fault(else_)
