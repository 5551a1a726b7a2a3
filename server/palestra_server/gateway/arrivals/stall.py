"""A thread that keeps counting incoming bytes while the event loop is stalled.

It wakes every 20 ms, and does no more than record that as long as the loop is in `select` or was there a moment ago.
When a callback keeps the loop away for longer, it asks the kernel how many bytes are waiting on each connection: every
5 ms, or less often with hundreds of connections, so as not to take the CPU from a loop that needs it. It counts bytes
rather than checking for readability: that tells which of several frames had arrived when, and half a frame sent in time
does not date the other half.
"""

from __future__ import annotations

import threading
from time import monotonic_ns
from typing import Final, NamedTuple

from palestra_server.gateway.arrivals.loop import StampingSelector
from palestra_server.gateway.arrivals.sockets import StampedSocket, unread

_TICK_S: Final = 0.020
_STALLED_TICK_S: Final = 0.005
_PER_INFLOW_S: Final = 0.000_050
_LONGEST_STALLED_TICK_S: Final = 0.040
_STALLED_NS: Final = 20_000_000  # once the loop has been away from `select` for this long, bytes are counted
# If the watcher itself pauses for longer than this, the whole process (or the machine) was stopped.
_STOPPED_NS: Final = 80_000_000
_SIGHTINGS: Final = 32


class Sighting(NamedTuple):
    """A count during a stall: `received` bytes since the connection began."""

    when: int
    received: int
    kernel_ns: int  # kernel timestamp (CLOCK_REALTIME) of the last of them; 0 if unknown


class Inflow:
    """What is known about a connection's incoming bytes.

    The loop's thread writes everything except `sightings`, which only the watcher writes. No lock is needed: each
    attribute is an int, None or a tuple that is replaced as a whole, so readers see an old or a new value, never a mix.
    """

    __slots__ = ("arrived", "consumed", "fd", "floor", "last", "next_floor", "seen", "sightings", "socket")

    def __init__(self, socket: StampedSocket) -> None:
        self.socket = socket
        self.fd = socket.fileno()
        # Whether it is read after the others (`Arrivals.put_last`).
        self.last = False
        # Bytes read since the connection began.
        self.consumed = 0
        # When the last read took place.
        self.seen = 0
        # When the last byte of the last read arrived, according to the kernel; 0 if unknown.
        self.arrived = 0
        # A time when the bytes of the last read had not arrived yet, if the selector's times can't tell.
        self.floor: int | None = None
        # The same for the next read.
        self.next_floor: int | None = None
        # Oldest first.
        self.sightings: tuple[Sighting, ...] = ()

    def sight(self) -> None:
        when, kept = monotonic_ns(), self.sightings
        consumed = self.consumed
        received = consumed + unread(self.fd)
        if kept and kept[-1].received == received:
            sighting = Sighting(when, received, kept[-1].kernel_ns)
            kept = kept[:-1]
        else:
            size, kernel_ns = self.socket.peek() if received > consumed else (0, 0)
            sighting = Sighting(when, received, kernel_ns if consumed + size == received else 0)
        if consumed == self.consumed:  # otherwise the loop read meanwhile, and bytes may have been counted twice
            self.sightings = (*kept[-_SIGHTINGS:], sighting)


class StallWatcher:
    """`watch`, `forget` and `stopped` must be called in the loop's thread."""

    def __init__(self, polls: StampingSelector) -> None:
        self._polls = polls
        # Replaced as a whole by the loop's thread, so that the watcher always iterates over a complete one. A
        # connection in it may just have ended: then the watcher counts a closed descriptor, or a new connection that
        # reuses its number, into an Inflow that nobody reads any more.
        self._inflows: tuple[Inflow, ...] = ()
        self._needed = threading.Event()
        self._ended = False
        self._beat = monotonic_ns()
        # The last period in which the watcher itself did not get to run: (from, to).
        self._gap = (0, 0)
        self._thread = threading.Thread(target=self._run, name="palestra-stall-watcher", daemon=True)
        self._thread.start()

    def watch(self, inflow: Inflow) -> None:
        if not self._inflows:
            self._beat = monotonic_ns()  # the thread wasn't stopped, it was idle
        self._inflows = (*self._inflows, inflow)
        self._needed.set()

    def forget(self, inflow: Inflow) -> None:
        self._inflows = tuple(other for other in self._inflows if other is not inflow)
        if not self._inflows:
            self._needed.clear()

    def stopped(self, since: int) -> int | None:
        """If the process was stopped after `since`, when it was last seen alive; otherwise None."""
        begun, ended = self._gap
        if ended > since:
            return begun
        beat = self._beat
        return beat if monotonic_ns() - beat > _STOPPED_NS else None

    def close(self) -> None:
        self._ended = True
        self._needed.set()
        self._thread.join()

    def _run(self) -> None:
        pause = threading.Event()  # never set: a sleep
        while not self._ended:
            if not self._needed.is_set():
                self._needed.wait()
                self._beat = monotonic_ns()
                continue
            now = monotonic_ns()
            if now - self._beat > _STOPPED_NS:
                self._gap = (self._beat, now)
            self._beat = now
            # `returned` first: in the other order, a loop just coming out of `select` would look stalled.
            returned = self._polls.returned
            stalled = self._polls.entered < returned and now - returned > _STALLED_NS
            if stalled:
                for inflow in self._inflows:
                    inflow.sight()
            many = min(len(self._inflows) * _PER_INFLOW_S, _LONGEST_STALLED_TICK_S)
            pause.wait(max(_STALLED_TICK_S, many) if stalled else _TICK_S)
