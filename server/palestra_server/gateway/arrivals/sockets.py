"""Sockets that know when the kernel received what is read from them.

Linux timestamps every incoming packet (SO_TIMESTAMPNS, socket(7)), and recvmsg() returns the timestamp of the last byte
of a TCP read. It is the only evidence of an arrival that no stall of this process, not even SIGSTOP, can affect. On
systems without such timestamps `kernel_ns` stays 0, and `stamps` relies on other evidence.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import socket
import struct
import sys
import termios
from collections.abc import Callable
from time import monotonic
from typing import Any, Final
from weakref import WeakValueDictionary

# Missing from the socket module. This is Linux's value on all but a few rare architectures; if setsockopt() or the
# ancillary data is not as expected, there are simply no timestamps.
_SO_TIMESTAMPNS: Final = 35
_TIMESPEC: Final = struct.Struct("@qq")
_ANCILLARY: Final = socket.CMSG_SPACE(_TIMESPEC.size)


OUT_OF_FILES: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
PEEKED: Final = 4096
_PAUSE_S: Final = 0.5
_BACKLOG: Final = 4096


class StampedSocket(socket.socket):
    """A connected TCP socket; `kernel_ns` is when the kernel received the last byte read (CLOCK_REALTIME), or 0."""

    kernel_ns = 0

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:  # noqa: ARG002
        """Like `socket.recv_into` (with the buffer's size for `nbytes`), and keeps the timestamp.

        A reset or lost connection reads as a closed one, so that its end is noticed immediately: asyncio reports
        exceptions one iteration of the loop later.
        """
        try:
            size, ancillary, _, _ = self.recvmsg_into((buffer,), _ANCILLARY, flags)
        except (ConnectionError, TimeoutError):
            return 0
        self.kernel_ns = _stamp(ancillary) if ancillary else 0
        return size

    def peek(self) -> tuple[int, int]:
        """(number of bytes waiting, at most PEEKED; timestamp of the last one, or 0). Consumes nothing; thread-safe."""
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
    def __init__(self, family: int, fileno: int | None = None) -> None:
        # Names the protocol because asyncio sets TCP_NODELAY only on sockets that say they are TCP.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno)
        # Called when a connection can't be accepted for lack of file descriptors.
        self.on_exhausted: Callable[[], None] = lambda: None
        self._again_at = 0.0
        # On the listener too: the kernel timestamps packets only while some socket asks for it, and starts late.
        _want_stamps(self)

    def again(self) -> StampedListener:
        """Another socket with the same queue of connections, which waits when this one is closed."""
        other = StampedListener(self.family, os.dup(self.fileno()))
        other.setblocking(False)
        return other

    def listen(self, backlog: int = 0) -> None:  # noqa: ARG002
        """Like `socket.listen`, but with a backlog for a whole class connecting at once: asyncio passes the number it
        accepts per iteration.
        """
        super().listen(_BACKLOG)

    def accept(self) -> tuple[StampedSocket, Any]:
        """Like `socket.accept`. Out of file descriptors it fails only once, so that asyncio pauses for a second, and
        then has nothing to offer for a while (asyncio would retry and log a thousand times before pausing).
        """
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
        _want_stamps(stamped)
        _accepted[stamped.fileno()] = stamped
        return stamped, address


def bind(host: str, port: int) -> list[StampedListener]:
    """Sockets for every address of `host`, not yet listening; 0.0.0.0 is IPv6 too, where there is any.

    With port 0, all get the number that the first was given. Raises OSError.
    """
    everywhere = host == "0.0.0.0"
    found = [
        (family, address)
        for name in (host, "::")[: 1 + everywhere]
        for family, _, _, _, address in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    ]
    bound: list[StampedListener] = []
    try:
        for family, address in dict.fromkeys(found):
            try:
                bound.append(_bound(family, address, port or (bound[0].getsockname()[1] if bound else 0)))
            except OSError as error:
                if not (everywhere and family == socket.AF_INET6) or (port and error.errno == errno.EADDRINUSE):
                    raise
    except OSError:
        for listener in bound:
            listener.close()
        raise
    return bound


def _bound(family: int, address: tuple[Any, ...], port: int) -> StampedListener:
    listener = StampedListener(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address[0], port, *address[2:]))
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


# asyncio exposes a connection's socket only through a wrapper that can't read; file descriptors identify it.
_accepted: WeakValueDictionary[int, StampedSocket] = WeakValueDictionary()


def stamped_socket(transport: asyncio.BaseTransport) -> StampedSocket:
    return _accepted[transport.get_extra_info("socket").fileno()]


def _want_stamps(sock: socket.socket) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)


def unread(fd: int) -> int:
    """Bytes waiting in the kernel for a socket to be read; 0 if `fd` is no longer a socket."""
    try:
        return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)
    except OSError:
        return 0
