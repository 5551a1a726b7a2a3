"""The WebSocket beneath a session: connects, passes frames in and out, and reconnects when it breaks."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import broadcast
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus, WebSocketException
from websockets.protocol import State
from websockets.typing import Subprotocol

from palestra_client.address import is_near
from palestra_client.backoff import Backoff
from palestra_client.closing import ABNORMAL
from palestra_client.effects import Effect, Reconnect, Send, Show, Stop
from palestra_client.notices import Unreachable
from palestra_client.session import Session
from palestra_client.silence import GONE_S, Silence
from palestra_protocol.codecs import MSGPACK

MAX_FRAME_FROM_SERVER = 1 << 18
OPEN_S = 10.0
CLOSE_S = 1.0

# What `connect` raises; ImportError for a proxy that needs a missing package.
CONNECT_ERRORS = (OSError, WebSocketException, ImportError)
_NOBODY_BEHIND = 502  # A proxy's status code when nothing is listening behind it
_PASSING_STATUS = {408, 425, 429, 500, 502, 503, 504}


@dataclass(eq=False)
class Connection:
    """Keeps one session connected until it stops.

    `perform` gets the session's effects, except Send, Reconnect and Stop, which are handled here. `clock` returns
    monotonic seconds, `sleep` is for the pauses between attempts. `websockets` answers pings; when one is sent,
    `silence` says.
    """

    session: Session
    _: KW_ONLY
    perform: Callable[[Effect], None]
    clock: Callable[[], float]
    backoff: Backoff
    sleep: Callable[[float], Awaitable[None]]
    gone_s: float = GONE_S

    def __post_init__(self) -> None:
        self._websocket: _Heard | None = None
        self._stop: Stop | None = None

    async def run(self) -> Stop:
        """Run until there is nothing left to connect for. Closes with 1000 when cancelled."""
        while True:
            url = self.session.url
            verdict = await self._connect_once()
            if isinstance(verdict, Stop):
                return verdict
            pause = self.backoff.next_pause(absent=verdict.absent, sent=verdict.sent)
            self.perform(Show(Unreachable(url, verdict.why, pause, self.backoff.attempt)))
            await self.sleep(pause)

    def do(self, effects: Iterable[Effect]) -> None:
        """Perform the session's effects, in order."""
        for effect in effects:
            match effect:
                case Send(frame):
                    if self._websocket is not None:
                        # Writes immediately, so that frames keep their order relative to other effects; does nothing
                        # on a closed connection.
                        broadcast((self._websocket,), frame)
                        self._websocket.silence.said()
                case Stop():
                    self._stop = effect
                case _:
                    self.perform(effect)

    async def _connect_once(self) -> Reconnect | Stop:
        try:
            websocket = await connect(
                self.session.url,
                create_connection=_Heard,
                subprotocols=[Subprotocol(MSGPACK.subprotocol)],
                compression=None,
                proxy=None if is_near(self.session.url) else True,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
                ping_interval=None,
                max_size=MAX_FRAME_FROM_SERVER,
            )
        except CONNECT_ERRORS as error:
            verdict = why_not_connected(self.session.url, error, was_there=self.session.was_welcome)
            self.session.unreached()
            return verdict
        assert isinstance(websocket, _Heard)
        began = self.clock()
        websocket.begin(Silence(began, self.gone_s), self.clock)
        watch = asyncio.create_task(self._leave_when_silent(websocket))
        try:
            await self._converse(websocket)
        finally:
            watch.cancel()
            self._websocket = None
            await websocket.close()
        if self._stop is not None:
            return self._stop
        if self.session.is_welcome:
            self.backoff.connected(self.clock() - began)
        if watch.done() and not watch.cancelled():
            self.session.unreached()
            return Reconnect(f"nothing came from the server for {websocket.silence.gone_s:.0f} s, not even a ping")
        return self.session.closed(websocket.close_code or ABNORMAL)

    async def _leave_when_silent(self, websocket: _Heard) -> None:
        silence = websocket.silence
        while (left := silence.left(self.clock())) > 0.0:
            if silence.asks(self.clock()):
                websocket.ask()
            await asyncio.sleep(left)
        websocket.reset()

    async def _converse(self, websocket: _Heard) -> None:
        self._websocket = websocket
        self.do(self.session.opened())
        try:
            while self._stop is None:
                frame = await websocket.recv(decode=False)
                self.do(self.session.received(frame, self.clock()))
                if self.session.ping_s is not None:
                    websocket.silence.pings_come_every(self.session.ping_s, self.session.has_others)
        except ConnectionClosed:
            pass  # the close code is read later


class _Heard(ClientConnection):
    """Updates its `silence`, which ends whenever anything arrives, pings included."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.silence = Silence(0.0)
        self._now: Callable[[], float] = float

    def begin(self, silence: Silence, clock: Callable[[], float]) -> None:
        self.silence, self._now = silence, clock

    def data_received(self, data: bytes) -> None:
        self.silence.heard(self._now())
        super().data_received(data)

    def ask(self) -> None:
        """Ping, without waiting for the answer."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_ping(b"")
            self.send_data()

    def reset(self) -> None:
        """Break off without a close frame or a FIN: behind an action, they would re-date it as a ping does."""
        with contextlib.suppress(OSError):  # it is closed already
            ours = self.transport.get_extra_info("socket")
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack(_LINGER, 1, 0))
        self.transport.abort()


_LINGER = "hh" if os.name == "nt" else "ii"  # on and for how long: `struct linger` of winsock2.h, and of socket(7)


def why_not_connected(url: str, error: Exception, *, was_there: bool) -> Reconnect | Stop:
    """Decide what to do after a failed connection attempt. Always retry if the server `was_there` before."""
    verdict = _verdict(url, error)
    if was_there and isinstance(verdict, Stop):
        return Reconnect("the server does not answer as it should")
    return verdict


def no_connection(url: str, error: Exception) -> str:
    """A failed attempt in one sentence, for programs that do not retry."""
    verdict = _verdict(url, error)
    return verdict.sentence if isinstance(verdict, Stop) else f"{url}: {verdict.why}."


def _verdict(url: str, error: Exception) -> Reconnect | Stop:
    match error:
        case ConnectionRefusedError():
            return Reconnect(_REFUSED, absent=True)
        case socket.gaierror():
            return Reconnect(f"no machine called '{urlsplit(url).hostname}' can be found")
        case ssl.SSLCertVerificationError():
            return _stop(f"The certificate of {url} is not trusted here ({error.verify_message}).")
        case ssl.SSLError():
            return _stop(f"{url} does not speak TLS: write ws:// in place of wss:// or https://.")
        case ConnectionResetError() if url.startswith("wss:"):
            return Reconnect("the server hung up before TLS began (if it has none, write ws:// in place of wss://)")
        case TimeoutError():
            return Reconnect(f"no answer within {OPEN_S:.0f} s{_BLOCKED}")
        case OSError(errno=None) if f"[Errno {errno.ECONNREFUSED}]" in str(error):
            return Reconnect(_REFUSED, absent=True)  # asyncio combines the errors of a name's several addresses
        case OSError():
            why = str(error) if error.errno is None else os.strerror(error.errno)
            return Reconnect((why.lower() or type(error).__name__) + (_BLOCKED if error.errno in _UNREACHED else ""))
        case InvalidStatus() if error.response.status_code in _PASSING_STATUS:
            status = error.response.status_code
            return Reconnect(f"the server is not ready (HTTP {status})", absent=status == _NOBODY_BEHIND)
        case InvalidStatus():
            status = error.response.status_code
            return _stop(f"What answers at {url} is not a Palestra server (HTTP {status}); {_CHECK}")
        case InvalidMessage() if isinstance(error.__cause__, EOFError):
            return Reconnect("the server hung up")
        case _:
            return _stop(f"What answers at {url} is not a Palestra server ({error}); {_CHECK}")


# What a firewall between the bot and the server looks like.
_UNREACHED = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT, errno.EACCES, errno.EPERM)
_BLOCKED = " (if a firewall is in between, give --server the address of the page, which serves bots, too)"
_REFUSED = "nothing listens there (is the server started, and the port right?)"
_CHECK = (
    "check the machine and the port: 8765 unless the host says otherwise; the address of the web page works as well."
)


def _stop(sentence: str) -> Stop:
    return Stop(sentence, failed=True)
