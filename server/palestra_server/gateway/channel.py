"""What players and watchers share: decoding frames into messages, errors, the limit of rejected frames, watching."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import structlog

from palestra_protocol import limits
from palestra_protocol.codecs import JSON, MSGPACK
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.limits import CloseCode
from palestra_protocol.messages import ClientMessage, ErrorCode, Message, Unwatch, Watch
from palestra_server.gateway.arrivals import Arrival
from palestra_server.gateway.settings import Counts
from palestra_server.gateway.topics import Watchable
from palestra_server.gateway.websocket import Connection, data_frame

log = structlog.get_logger()

_WRONG_KIND: Final = {
    True: f"This connection takes binary frames ({MSGPACK.subprotocol}): send those, "
    f"or connect again and ask for the subprotocol {JSON.subprotocol}.",
    False: f"This connection takes text frames ({JSON.subprotocol}): send those, "
    f"or connect again and ask for the subprotocol {MSGPACK.subprotocol}.",
}


class ChannelHandler:
    """Implements `websocket.ConnectionHandler`. `clock` reads monotonic seconds; `binary` selects the codec."""

    def __init__(self, connection: Connection, hub: Watchable, counts: Counts, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._codec = connection.codec
        self.binary = connection.codec.binary
        # The connection's own method, since another layer of Python is noticeable with a crowd of watchers.
        self.send_frames = connection.send
        self._hub = hub
        self._counts = counts
        self._clock = clock
        self._rejected: deque[float] = deque(maxlen=limits.REJECTED_MAX)
        self.left_at = 0

    # For the connection:

    def message(self, payload: bytes, binary: bool, arrival: Arrival) -> None:
        try:
            if binary is not self._codec.binary:
                self.reject("bad_message", _WRONG_KIND[self._codec.binary])
                return
            try:
                message = self._codec.decode_client(payload)
            except BadMessage as fault:
                self.reject("bad_message", fault.message)
                return
            self.take(message, arrival)
        except Exception:
            # A bug in the server must not affect other connections, nor this one's next message.
            log.exception("a message was not handled", peer=self._connection.peer)

    def ended(self, left_at: int) -> None:
        self.left_at = self.left_at or left_at
        self._hub.leave(self)
        try:
            self.gone()
        except Exception:
            log.exception("the end of a connection was not handled", peer=self._connection.peer)

    def drained(self) -> None:
        self._hub.catch_up(self)

    def crowded_out(self) -> None:
        self.dismiss("try_later", "The server is full: try again later.", CloseCode.TRY_LATER)

    # For subclasses:

    @property
    def idle(self) -> bool:
        raise NotImplementedError

    def take(self, message: ClientMessage, arrival: Arrival) -> None:
        raise NotImplementedError

    def gone(self) -> None:
        """The connection is over; `send` does nothing from now on."""
        raise NotImplementedError

    def take_watch(self, message: Watch | Unwatch) -> None:
        if isinstance(message, Unwatch):
            self._hub.unwatch(self, message.topic)
        elif (refusal := self._hub.watch(self, message.topic, message.from_)) is not None:
            self.reject(*refusal)

    # Sending:

    @property
    def connected(self) -> bool:
        """False once the connection has ended or is being closed."""
        return self._connection.open

    @property
    def address(self) -> str:
        return self._connection.address

    @property
    def last_read(self) -> int:
        """When the last bytes read from the other side arrived (ns of `time.monotonic_ns`)."""
        return self._connection.last_read

    def send(self, message: Message | Mapping[str, object]) -> None:
        codec, connection = self._codec, self._connection
        connection.send(data_frame(codec.encode(message), codec.binary))
        connection.allow()

    @property
    def backlog(self) -> int:
        """Bytes sent that are still waiting for the socket."""
        return self._connection.backlog

    def flush(self) -> None:
        self._connection.flush()

    def reject(
        self,
        code: ErrorCode,
        message: str,
        *,
        match: str | None = None,
        ply: int | None = None,
        legal: Sequence[int] | None = None,
    ) -> None:
        """Answer a frame with an error; too many of these close the connection."""
        if not self._connection.open:
            return
        error: dict[str, object] = {"type": "error", "code": code, "message": message, "fatal": False}
        error |= {"match": match, "ply": ply, "legal": legal}
        self._connection.send(data_frame(self._codec.encode(error), self._codec.binary))
        self._counts.rejected += 1
        now = self._clock()
        earliest = self._rejected[0] if len(self._rejected) == limits.REJECTED_MAX else None
        self._rejected.append(now)
        if earliest is not None and now - earliest <= limits.REJECTED_WINDOW_S:
            self._counts.dropped_flooding += 1
            self._connection.note("flooding peer dropped")
            self.close(
                CloseCode.TOO_MANY_REJECTED,
                f"More than {limits.REJECTED_MAX} frames were rejected within {limits.REJECTED_WINDOW_S:.0f} s.",
            )

    def dismiss(self, code: ErrorCode, message: str, close: CloseCode) -> None:
        error = {"type": "error", "code": code, "message": message, "fatal": True}
        self._connection.send(data_frame(self._codec.encode(error), self._codec.binary))
        self.close(close, message)

    def close(self, code: int, reason: str = "") -> None:
        self._connection.close(code, reason)

    def drain(self) -> None:
        self._connection.drain()
