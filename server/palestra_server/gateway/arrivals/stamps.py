"""When did these bytes arrive? Monotonic nanoseconds, fair to a bot while the server itself is stalled.

An arrival is charged to a bot's clock, so it must never be later than the truth (a stall of the server is not the
bot's time) and hardly earlier (a bot that is late is late, also if it answers during a stall). In this order:

1. The kernel's stamp of the last byte read (`sockets`), converted from CLOCK_REALTIME. Exact for the frame that ends
   there. It stands for the frames before it in the same read, too, unless a count of the watcher says that they were
   complete earlier: then the stamp of the last byte counted does, which the watcher takes along. (Reading up to the
   end of a frame would not help: where packets wait together, Linux joins them and keeps the stamp of the newest. So
   a frame that something follows may be dated as late as what followed, if nobody could look in between, since the
   whole process stood still; who sends both at once is dated exactly.)
2. Otherwise, and where the kernel gives no stamps: the latest moment at which the frame is known not to have been
   complete. What is known:
   - `select` waited, and returned when the bytes came (`loop`); or it returned at once, then the socket was empty
     when `select` returned the time before;
   - during a stall, the watcher's counts of the bytes received (`stall`).
"""

from __future__ import annotations

from time import monotonic_ns, time_ns
from typing import Final, NamedTuple

from palestra_referee import Stamp
from palestra_server.gateway.arrivals.loop import StampingSelector
from palestra_server.gateway.arrivals.stall import Inflow, StallWatcher

STALL_NS: Final = 20_000_000
"""Bytes that waited longer than this for the server are called stalled."""
# Between select's return and its next entry less than this goes by in a loop that is not stalled.
_BUSY_NS: Final = 5_000_000
# A select that takes longer than this has waited. Right after a stall the bar is higher: there a select that only
# lost the processor for a moment would otherwise pass for one that waited, and charge the stall to a bot.
_WAITED_NS: Final = 50_000
_WAITED_AFTER_STALL_NS: Final = 20_000_000
# The system's clock may be slewed by 0.5 ms a second; one that moved more between two reads was set.
_STEP_NS: Final = 5_000_000
_JITTER_NS: Final = 100_000
# Nothing that came before a step of the system's clock is still unread after this long.
_STEP_PAST_NS: Final = 60_000_000_000


class Arrival(NamedTuple):
    """When the last byte of a frame reached this machine (ns of `time.monotonic_ns`).

    at: what a bot is charged to: when the kernel had the frame, or the latest moment at which the frame is known not to
        have been complete yet.
    seen: when the server got round to reading it.
    stamp: how `at` is known. "read": the loop was free and the arrival was measured. "stall": the server was
        busy when the bytes came, and the time was recovered. "poll": only bounds are known (the whole process
        stood still), `at` is the lower one.
    """

    at: int
    seen: int
    stamp: Stamp


class Arrivals:
    """Dates the reads of all connections of one loop. Used in the loop's thread only."""

    def __init__(self, polls: StampingSelector | None, watcher: StallWatcher | None) -> None:
        """`polls` is None for a loop that was not made by `new_event_loop`; then there is no watcher either."""
        self._polls = polls
        self._watcher = watcher
        self._offset = time_ns() - monotonic_ns()
        # When the system's clock was last seen to have been set; 0 if that is long ago.
        self._stepped = 0

    def note_read(self, inflow: Inflow, size: int, full: bool, kernel_ns: int) -> None:
        """`size` bytes have just been read; `full`: perhaps not all there were; `kernel_ns`: see StampedSocket."""
        inflow.seen = seen = monotonic_ns()
        inflow.consumed += size
        inflow.arrived = 0
        inflow.floor = inflow.next_floor
        if kernel_ns:
            # The monotonic clock was read first: whatever comes between makes the offset larger and the arrival
            # earlier, never later. If something seems to have come between, it is worth another look.
            offset = time_ns() - seen
            if offset - self._offset > _JITTER_NS:
                offset = min(offset, -monotonic_ns() + time_ns())
            if not -_STEP_NS < offset - self._offset < _STEP_NS:
                self._stepped = seen
            self._offset = offset
            arrived = kernel_ns - offset
            if arrived <= seen and (not self._stepped or self._is_after_step(inflow)):
                inflow.arrived = arrived
        if full:
            # The rest will be readable at once although it may have been there all the time.
            if inflow.next_floor is None and self._polls is not None:
                inflow.next_floor = self._polls.previous
        else:
            inflow.next_floor = None

    def note_pause(self, inflow: Inflow) -> None:
        """From now on nobody looks whether this connection has anything to read."""
        if inflow.next_floor is None and self._polls is not None:
            inflow.next_floor = self._polls.returned

    def of_frame(self, inflow: Inflow, behind: int) -> Arrival:
        """The arrival of a frame of the last read; `behind` bytes of that read came after it."""
        seen, arrived = inflow.seen, inflow.arrived
        if arrived and not behind and inflow.next_floor is None:
            # The kernel's stamp is of its last byte, and of no later one: not even a byte left unread.
            return Arrival(arrived, seen, "read" if seen - arrived < STALL_NS else "stall")
        complete, kernel_ns = seen, 0
        if not arrived or behind or inflow.next_floor is not None:
            at, stamp = self._not_yet(inflow.floor, seen)
            for sighting in reversed(inflow.sightings):
                if sighting.received < inflow.consumed - behind:
                    if sighting.when > at:
                        at, stamp = sighting.when, "stall"
                    break
                complete, kernel_ns = sighting.when, sighting.kernel_ns
            if kernel_ns and not self._stepped and at <= kernel_ns - self._offset <= complete:
                # All that was there at the first count with the whole frame: who sends something with an action late
                # gains nothing by it.
                return Arrival(kernel_ns - self._offset, seen, "stall")
        if not arrived or complete < arrived:
            return Arrival(min(at, seen), seen, stamp)
        return Arrival(arrived, seen, "read" if seen - arrived < STALL_NS else "stall")

    def of_end(self, inflow: Inflow) -> int:
        """When the other side ended the connection, as was just noticed: not later than the truth, and not earlier
        than the bytes that came before."""
        now = monotonic_ns()
        at, _ = self._not_yet(inflow.next_floor, now)
        return min(max(at, self.of_frame(inflow, 0).at), now)

    def _is_after_step(self, inflow: Inflow) -> bool:
        """Whether all that was just read came after the system's clock was set, and is stamped by the new time."""
        if inflow.seen - self._stepped > _STEP_PAST_NS:
            self._stepped = 0
            return True
        return self._not_yet(inflow.floor, inflow.seen)[0] >= self._stepped

    def _not_yet(self, floor: int | None, seen: int) -> tuple[int, Stamp]:
        """The latest moment at which, by the selector's word, nothing of what was read at `seen` had arrived."""
        polls = self._polls
        if polls is None:
            return seen, "read"
        if floor is None:
            stalled = polls.entered - polls.previous > _BUSY_NS
            if polls.returned - polls.entered > (_WAITED_AFTER_STALL_NS if stalled else _WAITED_NS):
                stopped = self._watcher and self._watcher.stopped(polls.entered)
                return (max(polls.entered, stopped), "poll") if stopped else (polls.returned, "read")
        empty = polls.previous if floor is None else floor
        return empty, "read" if seen - empty < STALL_NS else "poll"
