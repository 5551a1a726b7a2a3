"""File descriptors: each connection takes one; what to do when they run out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
from time import monotonic

import structlog

from palestra_server.gateway.places import Rooms

_RESERVE = 16
"""Descriptors kept back, so that the journal and the page can still open a file."""
_RETAKE_S = 0.5
_SAID_EVERY_S = 60.0

log = structlog.get_logger()


def allowed_files(wanted: int) -> int:
    """Raise the limit of open files towards `wanted` (the default is often 1024). Returns how many we get."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
    return min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


class Exhaustion:
    """Called when accept() fails for lack of a descriptor. For the loop's thread only."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._loop = asyncio.get_running_loop()
        self._reserve: list[int] = []
        self._said_at = float("-inf")
        self._closed = False
        self._take()

    def __call__(self) -> None:
        self._release()
        self._rooms.thin_out()
        self._loop.call_later(_RETAKE_S, self._take)
        if monotonic() - self._said_at > _SAID_EVERY_S:
            self._said_at = monotonic()
            limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            log.error("no more connections: too many files are open; allow more with 'ulimit -n'", limit=limit)

    def close(self) -> None:
        """Release the reserved descriptors."""
        self._closed = True
        self._release()

    def _release(self) -> None:
        while self._reserve:
            os.close(self._reserve.pop())

    def _take(self) -> None:
        with contextlib.suppress(OSError):
            while not self._closed and len(self._reserve) < _RESERVE:
                self._reserve.append(os.open(os.devnull, os.O_RDONLY))
