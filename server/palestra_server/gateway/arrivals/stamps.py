"""When did these bytes arrive? In monotonic nanoseconds, and fair to bots while the server is stalled.

Arrivals are charged to a bot's clock, so they must never be dated too late (a stall of the server isn't the bot's time)
and hardly ever too early (a late bot is late, even if it answers during a stall). In order of preference:

1. The kernel's timestamp of the last byte read (`sockets`), converted from CLOCK_REALTIME. It is exact for the frame
   that ends there. It also dates earlier frames in the same read, unless the watcher's counts show that they were
   complete before: then the timestamp of the last byte counted dates them, which the watcher recorded. (Reading only up
   to the end of a frame would not help: Linux merges packets that wait together and keeps the newest timestamp. So if
   the whole process was stopped, and nobody could look in between, a frame may be dated by what followed it. A bot that
   sends both at once is dated exactly.)
2. Otherwise, and without kernel timestamps: the latest moment at which the frame is known to have been incomplete. That
   is known from:
   - `select`: either it waited, and returned when the bytes came (`loop`), or it returned immediately, and the socket
     was empty when it returned the time before;
   - the watcher's counts of bytes received during a stall (`stall`).
"""

from __future__ import annotations

from time import monotonic_ns, time_ns
from typing import Final, NamedTuple

from palestra_referee import Stamp
from palestra_server.gateway.arrivals.loop import StampingSelector
from palestra_server.gateway.arrivals.stall import Inflow, StallWatcher

STALL_NS: Final = 20_000_000  # bytes that waited for the server longer than this count as stalled
# A loop that isn't stalled spends less than this between two calls of select.
_BUSY_NS: Final = 5_000_000
# A select that takes longer than this has waited. The bar is higher right after a stall, where a select that merely
# lost the CPU for a moment would otherwise look as if it had waited, and the stall would be charged to a bot.
_WAITED_NS: Final = 50_000
_WAITED_AFTER_STALL_NS: Final = 20_000_000
# The system clock may be slewed by 0.5 ms per second; if it moved more than this between two reads, it was set.
_STEP_NS: Final = 5_000_000
_JITTER_NS: Final = 100_000
# After this long, nothing that came before the system clock was set is still unread.
_STEP_PAST_NS: Final = 60_000_000_000


class Arrival(NamedTuple):
    """When the last byte of a frame reached this machine (in ns, by `time.monotonic_ns`).

    at: the time charged to the bot: when the kernel had the frame, or the latest moment at which the frame is known to
        have been incomplete.
    seen: when the server got round to reading it.
    stamp: how `at` is known. "read": the loop was free, and the arrival was measured. "stall": the server was busy when
        the bytes came, and the time was recovered. "poll": only bounds are known (the whole process was stopped), and
        `at` is the lower one.
    """

    at: int
    seen: int
    stamp: Stamp


class Arrivals:
    """Dates the reads of all connections of a loop. For the loop's thread only."""

    def __init__(self, polls: StampingSelector | None, watcher: StallWatcher | None) -> None:
        """`polls` is None for loops not made by `new_event_loop`, which have no watcher either."""
        self._polls = polls
        self._watcher = watcher
        self._offset = time_ns() - monotonic_ns()
        # When the system clock was last noticed to have been set; 0 if that was long ago.
        self._stepped = 0

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
        inflow.arrived = 0
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
                self._stepped = seen
            self._offset = offset
            arrived = kernel_ns - offset
            if arrived <= seen and (not self._stepped or self._is_after_step(inflow)):
                inflow.arrived = arrived
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
        seen, arrived = inflow.seen, inflow.arrived
        if arrived and not behind and inflow.next_floor is None:
            # The kernel's timestamp is that of the frame's last byte: nothing came after it, not even unread.
            return Arrival(arrived, seen, "read" if seen - arrived < STALL_NS else "stall")
        complete, kernel_ns = seen, 0
        at, stamp = self._not_yet(inflow.floor, seen)
        for sighting in reversed(inflow.sightings):
            if sighting.received < inflow.consumed - behind:
                if sighting.when > at:
                    at, stamp = sighting.when, "stall"
                break
            complete, kernel_ns = sighting.when, sighting.kernel_ns
        if kernel_ns and not self._stepped and at <= kernel_ns - self._offset <= complete:
            # Covers everything there at the first count that includes the whole frame, so sending something else
            # together with a late action gains nothing.
            return Arrival(kernel_ns - self._offset, seen, "stall")
        if not arrived or complete < arrived:
            return Arrival(min(at, seen), seen, stamp)
        return Arrival(arrived, seen, "read" if seen - arrived < STALL_NS else "stall")

    def of_end(self, inflow: Inflow) -> int:
        """When the other side ended the connection, noticed just now: never too late, nor before the bytes that
        preceded it.
        """
        now = monotonic_ns()
        at, _ = self._not_yet(inflow.next_floor, now)
        return min(max(at, self.of_frame(inflow, 0).at), now)

    def _is_after_step(self, inflow: Inflow) -> bool:
        """Whether everything just read arrived after the system clock was set, and is stamped in the new time."""
        if inflow.seen - self._stepped > _STEP_PAST_NS:
            self._stepped = 0
            return True
        return self._not_yet(inflow.floor, inflow.seen)[0] >= self._stepped

    def _not_yet(self, floor: int | None, seen: int) -> tuple[int, Stamp]:
        """The latest moment at which, going by the selector, nothing of what was read at `seen` had arrived yet."""
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
