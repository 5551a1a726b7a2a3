"""When did these bytes arrive? In monotonic nanoseconds, and fair to bots while the server is stalled.

Arrivals are charged to a bot's clock, so they must never be dated too late (a stall of the server isn't the bot's time)
and hardly ever too early (a late bot is late, even if it answers during a stall).

The kernel stamps what is read together (`sockets`) with the time of its last packet. That is exact for a frame with
nothing behind it. An earlier one, or one whose sender has hung up meanwhile, is dated by the stamp that the watcher saw
when it was complete (`stall`), or else by the same. (Reading only up to the end of a frame would not help: Linux merges
packets that wait together, even the empty one that ends a connection, and keeps the newest stamp.)

In doubt, it was the last moment at which nothing had come: when `select` returned the time before, and would have
reported it. That is so without the kernel's stamps, unless `select` waited and returned when the bytes came; and if
the system clock, by which the kernel stamps, was set in between.
"""

from __future__ import annotations

from time import monotonic_ns, time_ns
from typing import Final, NamedTuple

from palestra_referee import Stamp
from palestra_server.gateway.arrivals.loop import StampingSelector
from palestra_server.gateway.arrivals.stall import Inflow

STALL_NS: Final = 20_000_000  # bytes that waited for the server longer than this count as stalled
# A select that takes longer than this has waited, and did not merely lose the CPU.
_WAITED_NS: Final = 20_000_000
# The system clock may be slewed by 0.5 ms per second; if it moved more than this between two reads, it was set.
_STEP_NS: Final = 5_000_000
_JITTER_NS: Final = 100_000


class Arrival(NamedTuple):
    """When the last byte of a frame reached this machine (in ns, by `time.monotonic_ns`).

    at: the time charged to the bot: when the kernel had the frame, or the latest moment at which it is known not to
        have been there.
    seen: when the server got round to reading it.
    stamp: how `at` is known. "read": the server was free, and read it at once. "stall": the server was busy when the
        bytes came, and the kernel knew the time. "poll": only bounds are known, and `at` is the lower one.
    """

    at: int
    seen: int
    stamp: Stamp


class Arrivals:
    """Dates the reads of all connections of a loop. For the loop's thread only."""

    def __init__(self, polls: StampingSelector | None) -> None:
        """`polls` is None for loops not made by `new_event_loop`."""
        self._polls = polls
        # From the monotonic clock to the system's.
        self._offset = time_ns() - monotonic_ns()
        # When the system clock was last noticed to have been set; 0 if never.
        self._set = 0

    def put_last(self, inflow: Inflow) -> None:
        """Read this connection after those of players, until `put_first`."""
        inflow.last = True
        if self._polls is not None:
            self._polls.put_last(inflow.fd)

    def put_first(self, inflow: Inflow) -> None:
        """Read it along with those of players. Must also be called before it is closed."""
        inflow.last = False
        if self._polls is not None:
            self._polls.put_first(inflow.fd)

    def note_read(self, inflow: Inflow, size: int, full: bool, kernel_ns: int) -> None:
        """`size` bytes were just read; `full`: there may be more of them; for `kernel_ns` see StampedSocket."""
        inflow.seen = seen = monotonic_ns()
        inflow.consumed += size
        inflow.kernel_ns = kernel_ns
        inflow.floor = inflow.next_floor
        if inflow.last and inflow.floor is None and self._polls is not None:
            inflow.floor = self._polls.last_floor
        if kernel_ns:
            # The monotonic clock was read first: an interruption in between makes the offset larger and the arrival
            # earlier, never later. If there seems to have been one, measure again.
            offset = time_ns() - seen
            if offset - self._offset > _JITTER_NS:
                offset = min(offset, -monotonic_ns() + time_ns())
            if not -_STEP_NS < offset - self._offset < _STEP_NS:
                self._set = seen
            self._offset = offset
        if full:
            # The rest will be readable immediately, although it may have been there all along.
            if inflow.next_floor is None and self._polls is not None:
                inflow.next_floor = self._polls.last_floor if inflow.last else self._polls.previous
        else:
            inflow.next_floor = None

    def note_pause(self, inflow: Inflow) -> None:
        if inflow.next_floor is None and self._polls is not None:
            inflow.next_floor = self._polls.last_floor if inflow.last else self._polls.returned

    def of_frame(self, inflow: Inflow, behind: int) -> Arrival:
        """The arrival of a frame in the last read; `behind` bytes of that read came after it."""
        seen, kernel_ns, complete = inflow.seen, inflow.kernel_ns, inflow.consumed - behind
        if inflow.sightings and inflow.sightings[-1].received >= complete:
            kernel_ns = min(kernel_ns, next(stamp for received, stamp in inflow.sightings if received >= complete))
        if kernel_ns and (not self._set or self._empty(inflow.floor) >= self._set):
            at = min(kernel_ns - self._offset, seen)
            return Arrival(at, seen, "read" if seen - at < STALL_NS else "stall")
        at = min(self._not_yet(inflow.floor, seen), seen)
        return Arrival(at, seen, "read" if seen - at < STALL_NS else "poll")

    def of_end(self, inflow: Inflow) -> int:
        """When the other side ended the connection, noticed just now: never too late, nor before the bytes that
        preceded it.
        """
        now = monotonic_ns()
        return min(max(self._not_yet(inflow.next_floor, now), self.of_frame(inflow, 0).at), now)

    def _empty(self, floor: int | None) -> int:
        """A time when nothing of what was found had arrived yet."""
        if floor is not None or self._polls is None:
            return floor or 0
        return self._polls.previous

    def _not_yet(self, floor: int | None, seen: int) -> int:
        """The latest such time, going by the selector, for what was found at `seen`."""
        polls = self._polls
        if polls is None:
            return seen
        if floor is None and polls.returned - polls.entered > _WAITED_NS:
            # It returned when the bytes came; unless the process was stopped in there, and they came meanwhile.
            stopped = polls.stopped(polls.entered)
            return max(stopped, polls.entered) if stopped else polls.returned
        return self._empty(floor)
