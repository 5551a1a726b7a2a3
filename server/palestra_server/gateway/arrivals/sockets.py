"""Sockets that tell when the kernel received what is read from them.

Linux stamps every packet as it comes in (SO_TIMESTAMPNS, socket(7)) and hands the stamp of the last byte of a
TCP read to recvmsg(). This is the one witness of an arrival that no stall of this process, not even SIGSTOP, can
touch. Where a system has no such stamps, `kernel_ns` stays 0 and `arrivals` works from what else is known.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import socket
import struct
import sys
import termios
from collections.abc import Callable
from time import monotonic
from typing import Any, Final
from weakref import WeakValueDictionary

# Not in the socket module. The value of Linux on all but a few rare machines; where setsockopt() or the
# answer is not as expected, there are simply no stamps.
_SO_TIMESTAMPNS: Final = 35
_TIMESPEC: Final = struct.Struct("@qq")
_ANCILLARY: Final = socket.CMSG_SPACE(_TIMESPEC.size)


OUT_OF_FILES: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
PEEKED: Final = 4096
_PAUSE_S: Final = 0.5
_BACKLOG: Final = 1024


class StampedSocket(socket.socket):
    """A connected TCP socket; `kernel_ns` is the receive time (ns, CLOCK_REALTIME) of the last byte read, or 0."""

    kernel_ns = 0

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:  # noqa: ARG002
        """As `socket.recv_into` (nbytes is ignored: the buffer's size counts), and takes the stamp.

        A connection that was reset or lost ends as one that was closed, so that its end is noticed at once: asyncio
        tells of an exception only a turn of the loop later.
        """
        try:
            size, ancillary, _, _ = self.recvmsg_into((buffer,), _ANCILLARY, flags)
        except (ConnectionError, TimeoutError):
            return 0
        self.kernel_ns = _stamp(ancillary) if ancillary else 0
        return size

    def peek(self) -> tuple[int, int]:
        """(bytes that wait, PEEKED at most; the stamp of the last of them or 0), without taking them. In any thread."""
        try:
            data, ancillary, _, _ = self.recvmsg(PEEKED, _ANCILLARY, socket.MSG_PEEK)
        except OSError:
            return 0, 0
        return len(data), _stamp(ancillary) if ancillary else 0


def _stamp(ancillary: list[tuple[int, int, bytes]]) -> int:
    stamp = ancillary[0][2]
    if len(stamp) != _TIMESPEC.size:
        return 0
    seconds, nanoseconds = _TIMESPEC.unpack(stamp)
    return int(seconds * 1_000_000_000 + nanoseconds)


class StampedListener(socket.socket):
    """A listening TCP socket whose accepted sockets are `StampedSocket`s."""

    def __init__(self, family: int, kernel_stamps: bool = True) -> None:
        # The protocol is named, since asyncio switches Nagle's algorithm off (TCP_NODELAY) only where it sees TCP.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        # Called when a connection cannot be accepted, since the system gives no more file descriptors.
        self.on_exhausted: Callable[[], None] = lambda: None
        self._again_at = 0.0
        self._kernel_stamps = kernel_stamps and sys.platform == "linux"
        if self._kernel_stamps:
            # Here too: the kernel stamps packets at all only while some socket wants it, and begins with a delay.
            _want_stamps(self)

    def listen(self, backlog: int = 0) -> None:  # noqa: ARG002
        """As `socket.listen`, with room for a whole class that comes at once: what asyncio passes is how many it
        accepts in one turn."""
        super().listen(_BACKLOG)

    def accept(self) -> tuple[StampedSocket, Any]:
        """As `socket.accept`. Without file descriptors it fails once, upon which asyncio pauses for a second, and has
        nothing to offer until then (asyncio would try, and log, a thousand times before it pauses)."""
        if monotonic() < self._again_at:
            raise BlockingIOError
        try:
            plain, address = super().accept()
        except OSError as error:
            if error.errno in OUT_OF_FILES:
                self._again_at = monotonic() + _PAUSE_S
                self.on_exhausted()
            raise
        stamped = StampedSocket(plain.family, plain.type, plain.proto, fileno=plain.detach())
        if self._kernel_stamps:
            _want_stamps(stamped)
        _accepted[stamped.fileno()] = stamped
        return stamped, address


# asyncio shows a connection its socket only behind a wrapper that cannot read; file numbers are the process's.
_accepted: WeakValueDictionary[int, StampedSocket] = WeakValueDictionary()


def stamped_socket(transport: asyncio.BaseTransport) -> StampedSocket:
    """The socket under a transport that a `StampedListener` accepted."""
    return _accepted[transport.get_extra_info("socket").fileno()]


def _want_stamps(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)


def unread(fd: int) -> int:
    """Bytes that wait in the kernel for the reader of a socket; 0 if `fd` is no longer one."""
    try:
        return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)
    except OSError:
        return 0
