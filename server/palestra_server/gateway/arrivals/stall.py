"""A thread that looks at incoming bytes while the event loop is stalled.

What waits in the kernel is read in one piece, and stamped with the time of its last byte. So that one frame does not
date another that came before it in the same stall, the thread notes how much was there meanwhile, and its stamp. It
wakes every 20 ms, and does nothing as long as the loop is in `select` or was there a moment ago; else it looks every
5 ms, or less often with hundreds of connections, so as not to take the CPU from a loop that needs it.
"""

from __future__ import annotations

import threading
from time import monotonic_ns
from typing import Final, NamedTuple

from palestra_server.gateway.arrivals.loop import StampingSelector
from palestra_server.gateway.arrivals.sockets import PEEKED, StampedSocket, unread

_TICK_S: Final = 0.020
_STALLED_TICK_S: Final = 0.005
_PER_INFLOW_S: Final = 0.000_050
_LONGEST_STALLED_TICK_S: Final = 0.040
_STALLED_NS: Final = 20_000_000  # once the loop has been away from `select` for this long, bytes are looked at
_SIGHTINGS: Final = 32


class Sighting(NamedTuple):
    """During a stall, `received` bytes had come since the connection began; the kernel stamped the last `kernel_ns`."""

    received: int
    kernel_ns: int


class Inflow:
    """What is known about a connection's incoming bytes.

    The loop's thread writes everything except `sightings`, which only the watcher writes. No lock is needed: each
    attribute is an int, None or a tuple that is replaced as a whole, so readers see an old or a new value, never a mix.
    """

    __slots__ = ("consumed", "fd", "floor", "kernel_ns", "last", "next_floor", "seen", "sightings", "socket")

    def __init__(self, socket: StampedSocket) -> None:
        self.socket = socket
        self.fd = socket.fileno()
        # Whether it is read after the others (`Arrivals.put_last`).
        self.last = False
        # Bytes read since the connection began.
        self.consumed = 0
        # When the last read took place.
        self.seen = 0
        # The kernel's stamp (CLOCK_REALTIME) of the last byte read; 0 if unknown.
        self.kernel_ns = 0
        # A time when the bytes of the last read had not arrived yet, if the selector's times can't tell.
        self.floor: int | None = None
        # The same for the next read.
        self.next_floor: int | None = None
        # Oldest first.
        self.sightings: tuple[Sighting, ...] = ()

    def sight(self) -> None:
        consumed, kept = self.consumed, self.sightings
        received = consumed + unread(self.fd)
        if received == consumed or (kept and kept[-1].received == received):
            return
        size, kernel_ns = self.socket.peek()
        # Otherwise the loop read meanwhile, and bytes may have been counted twice; or there are more than were seen.
        if kernel_ns and size < PEEKED and consumed == self.consumed:
            self.sightings = (*kept[1 - _SIGHTINGS :], Sighting(consumed + size, kernel_ns))


class StallWatcher:
    """`watch` and `forget` must be called in the loop's thread."""

    def __init__(self, polls: StampingSelector) -> None:
        self._polls = polls
        # Replaced as a whole by the loop's thread, so that the watcher always iterates over a complete one. A
        # connection in it may just have ended: then the watcher looks at a closed descriptor, or at a new connection
        # that reuses its number, for an Inflow that nobody reads any more.
        self._inflows: tuple[Inflow, ...] = ()
        self._needed = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="palestra-stall-watcher", daemon=True)
        self._thread.start()

    def watch(self, inflow: Inflow) -> None:
        self._inflows = (*self._inflows, inflow)
        self._needed.set()

    def forget(self, inflow: Inflow) -> None:
        self._inflows = tuple(other for other in self._inflows if other is not inflow)
        if not self._inflows:
            self._needed.clear()

    def close(self) -> None:
        self._ended = True
        self._needed.set()
        self._thread.join()

    def _run(self) -> None:
        pause = threading.Event()  # never set: a sleep
        while not self._ended:
            if not self._needed.is_set():
                self._polls.beat(awake=False)
                self._needed.wait()
            self._polls.beat()
            # `returned` first: in the other order, a loop just coming out of `select` would look stalled.
            returned = self._polls.returned
            stalled = self._polls.entered < returned and monotonic_ns() - returned > _STALLED_NS
            if stalled:
                for inflow in self._inflows:
                    inflow.sight()
            many = min(len(self._inflows) * _PER_INFLOW_S, _LONGEST_STALLED_TICK_S)
            pause.wait(max(_STALLED_TICK_S, many) if stalled else _TICK_S)
