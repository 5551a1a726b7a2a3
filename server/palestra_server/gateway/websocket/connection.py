"""One WebSocket connection: bytes in, whole messages with their arrival out, and an orderly end.

Everything happens inside the loop's callbacks: when bytes come, their messages are handled before the loop continues,
without a task, queue or future in between. What is sent meanwhile leaves in one write at the end.

A connection may use 4 KiB of each iteration of the loop. One that sends more than `_BURST` frames at once, and then
more than `_FRAMES_PER_S` (not counting one reply to each message it was sent), is throttled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic, monotonic_ns
from typing import Final, Protocol, TypeAlias, cast

from websockets.http11 import Request
from websockets.protocol import State

from palestra_protocol.codecs import MSGPACK, Codec, codec_for
from palestra_server.gateway.allowance import SparingLog
from palestra_server.gateway.arrivals import Arrival, Arrivals, Inflow, StallWatcher, stamped_socket, unread
from palestra_server.gateway.hosts import client_address, page_url
from palestra_server.gateway.places import Room, Rooms
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.websocket import handshake
from palestra_server.gateway.websocket.stream import PING, MessageStream

READ_BYTES: Final = 4096
_HANDSHAKE_BYTES: Final = 16_384
_HEADERS_END: Final = b"\r\n\r\n"
_BURST: Final = 400
_FRAMES_PER_S: Final = 200
_THROTTLED_S: Final = 0.1
_DRAINED_READS: Final = 4
PILED_UP: Final = 64 * 1024  # when more than this was waiting for the socket, the handler is told once it is gone
_REASON_BYTES: Final = 123  # what a close frame can hold besides its code


class ConnectionHandler(Protocol):
    """Receives a connection's messages, from the end of its handshake."""

    def message(self, payload: bytes, binary: bool, arrival: Arrival) -> None:
        """A whole message. May send and close; must not raise."""

    @property
    def idle(self) -> bool:
        """Whether nobody would miss this connection."""

    def drained(self) -> None:
        """The backlog, once above `PILED_UP`, is gone. May send and close; must not raise."""

    def crowded_out(self) -> None:
        """The connection is about to be closed to make room: say so."""

    def ended(self, left_at: int) -> None:
        """The connection has ended or is being closed. Called once, as the last callback. Must not raise.

        `left_at` (ns of `time.monotonic_ns`): see `PlayerConnection.left_at`.
        """


# Makes the handler of a connection whose handshake is done, for a path that `handshake.answer` let pass.
HandlerFactory: TypeAlias = Callable[["Connection", str], ConnectionHandler]


@dataclass
class Shared:
    handlers: HandlerFactory
    settings: GatewaySettings
    counts: Counts
    rooms: Rooms
    arrivals: Arrivals
    watcher: StallWatcher | None
    log: SparingLog
    connections: set[Connection]
    deserted: asyncio.Event  # set while there is no connection
    buffer: memoryview  # READ_BYTES that every connection reads into; the bytes are copied out before another can read
    closed: bool = False  # new connections are refused


class Connection(asyncio.BufferedProtocol):
    """The asyncio protocol. `codec` is that of the subprotocol; `address` is the client's, as reported by our own
    reverse proxy if there is one; `page` is the page's address for this client, once it has sent its request.
    `on_page`: the connection came through the page's own port.
    """

    codec: Codec = MSGPACK
    address: str = "?"
    page: str | None = None
    _transport: asyncio.Transport

    def __init__(self, shared: Shared, on_page: bool = False) -> None:
        self._shared = shared
        self._on_page = on_page
        self._loop = asyncio.get_running_loop()
        self._protocol = handshake.new_protocol()
        self._stream = MessageStream(self._protocol)
        self._handler: ConnectionHandler | None = None
        self._room: Room | None = None
        self._open = False
        # The last bytes read of the request, during the handshake.
        self._tail = b""
        # Frames allowed before throttling.
        self._allowance: float = _BURST
        # What is sent while bytes are being handled; None at other times.
        self._outbox: list[bytes] | None = None
        self._outbox_bytes = 0
        self._congested = False
        self._refilled_at = monotonic()
        self._paused = False
        self._pinged_ns = 0
        self._patience = 1.0

    # For the handler:

    @property
    def open(self) -> bool:
        return self._open

    @property
    def last_read(self) -> int:
        """When the last bytes read arrived."""
        return self._shared.arrivals.of_frame(self._inflow, 0).at

    def send(self, frame: bytes) -> None:
        """Send a frame as made by `stream.data_frame`; does nothing if the connection is not open."""
        if self._open:
            counts = self._shared.counts
            counts.frames_out += 1
            counts.bytes_out += len(frame)
            if self._outbox is None:
                self._transport.write(frame)
                if self._congested:
                    self._drop_if_slow()
            else:
                self._outbox.append(frame)
                self._outbox_bytes += len(frame)

    def allow(self) -> None:
        """Expect one more frame, in reply to what was just sent: it does not count towards throttling."""
        if self._allowance < _BURST:
            self._allowance += 1

    def flush(self) -> None:
        """Hand what was sent so far to the socket now, rather than after the current read."""
        if self._outbox:
            data = b"".join(self._outbox)
            self._outbox.clear()
            self._outbox_bytes = 0
            self._transport.write(data)
            if self._congested:
                self._drop_if_slow()

    @property
    def backlog(self) -> int:
        """Bytes sent that are still waiting for the socket."""
        return self._transport.get_write_buffer_size() + self._outbox_bytes

    def close(self, code: int, reason: str = "") -> None:
        """Send a close frame and end. What the other side still sends is discarded until it closes. During the
        handshake, the connection is cut.
        """
        if self._open:
            short = reason.encode()[:_REASON_BYTES].decode(errors="ignore")
            self._protocol.fail(code, short)
            self._after_protocol()
        elif self._protocol.state is State.CONNECTING:
            self.abort()

    def abort(self) -> None:
        """Cut the connection without a close frame."""
        self._transport.abort()

    def note(self, event: str, **fields: object) -> None:
        self._shared.log.info(event, peer=self.peer, **fields)

    def favour(self) -> None:
        """This is a player: from now on it is read before spectators, strangers and page requests."""
        self._shared.arrivals.put_first(self._inflow)

    def settle(self, room: Room | None) -> bool:
        """Move to `room`; returns False, with nothing changed, if it is full.

        None is for connections that are limited by other means.
        """
        if room is not None and not room.enter(self, self.address):
            self._shared.counts.dropped_crowded += 1
            return False
        if self._room is not None:
            self._room.leave(self)
        self._room = room
        return True

    # For the room:

    @property
    def idle(self) -> bool:
        return self._handler is None or self._handler.idle

    def give_way(self) -> None:
        self._room = None
        self._shared.counts.dropped_crowded += 1
        if self._handler is not None:
            self._handler.crowded_out()
            self._transport.close()  # without waiting for the other side's close frame
        else:
            self._transport.abort()

    def has_unread(self) -> bool:
        return self._open and unread(self._inflow.fd) > 0

    def drain(self) -> None:
        """Handle now what has already arrived (16 KiB of it at most: no move needs more)."""
        reads = _DRAINED_READS if self._outbox is None else 0
        while self._open and reads:
            reads -= 1
            try:
                size = self._socket.recv_into(self._shared.buffer)
            except OSError:
                return  # nothing there (BlockingIOError), or the transport is about to notice what is wrong
            if size == 0:
                self.eof_received()  # which the transport will find again
                return
            self.buffer_updated(size)

    # For asyncio:

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        shared = self._shared
        self._transport = cast(asyncio.Transport, transport)
        self.address = (transport.get_extra_info("peername") or ("?",))[0]
        self._transport.set_write_buffer_limits(high=PILED_UP)
        self._socket = stamped_socket(transport)
        self._inflow = Inflow(self._socket)
        shared.arrivals.put_last(self._inflow)
        shared.connections.add(self)
        shared.deserted.clear()
        shared.counts.connections += 1
        shared.counts.accepted += 1
        self._timer = self._loop.call_later(shared.settings.hello_s, self._transport.abort)
        if shared.closed or not self.settle(shared.rooms.strangers):
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        shared = self._shared
        self._timer.cancel()
        if self._room is not None:
            self._room.leave(self)
        shared.connections.discard(self)
        shared.counts.connections -= 1
        if shared.watcher:
            shared.watcher.forget(self._inflow)
        shared.arrivals.put_first(self._inflow)
        self._end(shared.arrivals.of_end(self._inflow))
        if not shared.connections:
            shared.deserted.set()

    def eof_received(self) -> None:
        left_at = self._shared.arrivals.of_end(self._inflow)
        self._protocol.receive_eof()
        self._after_protocol(left_at)

    def pause_writing(self) -> None:
        self._congested = True

    def resume_writing(self) -> None:
        self._congested = False
        if self._handler is not None:
            self._handler.drained()

    def _drop_if_slow(self) -> None:
        if self._open and self.backlog > self._shared.settings.write_buffer:
            # The other side does not read. Its handler hears of it from connection_lost, a moment later, not in the
            # middle of whatever it is sending.
            self._shared.counts.dropped_slow += 1
            self.note("slow reader dropped")
            self._open = False
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        return self._shared.buffer

    def buffer_updated(self, nbytes: int) -> None:
        shared = self._shared
        shared.arrivals.note_read(self._inflow, nbytes, nbytes == READ_BYTES, self._socket.kernel_ns)
        shared.counts.bytes_in += nbytes
        self._take(bytes(shared.buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        """uvicorn hands over a connection with the bytes of its request; all else is read by `buffer_updated`."""
        self._shared.arrivals.note_read(self._inflow, 0, False, 0)
        self._take(data)

    def _take(self, data: bytes) -> None:
        self._outbox = []
        try:
            if self._open:
                self._read(data)
            elif self._protocol.state is State.CONNECTING:
                self._shake_hands(data)
            else:
                self._protocol.receive_data(data)
        finally:
            self.flush()
            self._outbox = None
        if self._allowance < 0:
            self._throttle()

    # Messages:

    def _read(self, data: bytes) -> None:
        shared, stream = self._shared, self._stream
        before = stream.frames
        for payload, binary, behind in stream.feed(data):
            if self._handler is None:
                break
            shared.counts.frames_in += 1
            self._handler.message(payload, binary, shared.arrivals.of_frame(self._inflow, behind))
        self._allowance -= stream.frames - before
        if stream.library_used:
            self._after_protocol()

    def _shake_hands(self, data: bytes) -> None:
        """Feed the library the request, but no byte after it."""
        window = self._tail + data
        found = window.find(_HEADERS_END)
        cut = len(data) if found < 0 else found + len(_HEADERS_END) - len(self._tail)
        self._tail = window[-len(_HEADERS_END) + 1 :]
        self._protocol.receive_data(data[:cut])
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                forwarded = event.headers.get_all("X-Forwarded-For")
                self.address = client_address(self.address, ",".join(forwarded), self._shared.settings.proxies)
                self.page = self._page(handshake.host_of(event))
                response = handshake.answer(self._protocol, event, self._shared.settings, self.page)
                if self._shared.settings.run is not None:
                    response.headers[handshake.RUN] = self._shared.settings.run
                self._protocol.send_response(response)
                self._after_protocol()
                if self._protocol.state is State.OPEN:
                    self._opened(handshake.path_of(event))
                    self._read(data[cut:])
                return
        if self._inflow.consumed > _HANDSHAKE_BYTES and not self._protocol.eof_sent:
            text = f"The request is longer than {_HANDSHAKE_BYTES} bytes.\n"
            self._protocol.send_response(self._protocol.reject(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text))
        self._after_protocol()

    def _page(self, host: str) -> str | None:
        settings = self._shared.settings
        if self._on_page and settings.site is None:
            return f"http://{host}" if host else None
        return page_url(host, settings.site, settings.page_port)

    def _opened(self, path: str) -> None:
        self._open = True
        self.codec = codec_for(self._protocol.subprotocol)
        self._timer.cancel()
        if path == handshake.WATCH:
            self._patience = self._shared.settings.spectators_patience
        self._timer = self._loop.call_later(self._patience * self._shared.settings.ping_s, self._keep_alive)
        if path == handshake.PLAY and self._shared.watcher:
            self._shared.watcher.watch(self._inflow)  # nobody needs to know when watchers sent something
        self._handler = self._shared.handlers(self, path)
        if not self._open:
            self._end(monotonic_ns())  # there was no room for it

    # Endings:

    def _after_protocol(self, left_at: int = 0) -> None:
        """Send what the library wants sent, and notice when it has ended the connection.

        `left_at`: when the other side left, if it did so by ending the stream.
        """
        protocol = self._protocol
        for data in protocol.data_to_send():
            if data and self._outbox is not None:
                self._outbox.append(data)
            elif data:
                self._transport.write(data)
            else:
                self.flush()
                self._finish_sending()
        if self._open and protocol.state is not State.OPEN:
            if protocol.close_sent is not None and protocol.parser_exc is not None:
                self.note("faulty frame", code=int(protocol.close_sent.code), reason=protocol.close_sent.reason)
            if protocol.close_rcvd is not None:
                left_at = self._shared.arrivals.of_frame(self._inflow, 0).at
            self._end(left_at or monotonic_ns())

    def _finish_sending(self) -> None:
        """Half-close, and wait a limited time for the other side to do the same."""
        try:
            self._transport.write_eof()
        except OSError:
            self._transport.abort()  # it is gone already
        self._timer.cancel()
        self._timer = self._loop.call_later(self._shared.settings.close_s, self._transport.abort)

    def _end(self, left_at: int) -> None:
        self._open = False
        handler, self._handler = self._handler, None
        if handler is not None:
            handler.ended(left_at)

    @property
    def peer(self) -> str:
        _, port, *_ = self._transport.get_extra_info("peername") or ("?", 0)
        return f"{self.address}:{port}"

    # Timers:

    def _keep_alive(self) -> None:
        """Ping, and drop a client that stayed silent after a ping (a stall of ours is not its silence)."""
        settings = self._shared.settings
        ping_s, silence_s = self._patience * settings.ping_s, self._patience * settings.silence_s
        left = silence_s - (monotonic_ns() - self._inflow.seen) / 1e9
        if self._paused or self.has_unread():
            # It is alive; and its pong would come behind the bytes that wait, which are then harder to date.
            self._timer = self._loop.call_later(ping_s, self._keep_alive)
            return
        if left <= 0 and self._pinged_ns > self._inflow.seen:
            self._shared.counts.dropped_silent += 1
            self.note("silent peer dropped", silence_s=silence_s)
            self._transport.abort()
            return
        self._transport.write(PING)
        self._pinged_ns = monotonic_ns()
        pause = min(ping_s, left) if left > 0 else ping_s
        self._timer = self._loop.call_later(pause, self._keep_alive)

    def _throttle(self) -> None:
        now = monotonic()
        self._allowance = min(_BURST, self._allowance + (now - self._refilled_at) * _FRAMES_PER_S)
        self._refilled_at = now
        if self._allowance < 0 and self._open and not self._paused:
            self._paused = True
            self._shared.counts.throttled += 1
            self._shared.arrivals.note_pause(self._inflow)
            self._transport.pause_reading()
            self._loop.call_later(max(_THROTTLED_S, -self._allowance / _FRAMES_PER_S), self._resume)

    def _resume(self) -> None:
        self._paused = False
        if not self._transport.is_closing():
            self._transport.resume_reading()
