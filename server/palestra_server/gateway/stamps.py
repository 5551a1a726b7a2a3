"""When did these bytes arrive? Monotonic nanoseconds, fair to a bot while the server itself is stalled."""

from __future__ import annotations

from typing import Literal, NamedTuple

Stamp = Literal["read", "stall", "poll"]


class Arrival(NamedTuple):
    """When the last byte of a frame reached this machine (ns of `time.monotonic_ns`).

    at: the latest moment at which the frame is known not to have been complete yet: what a bot is charged to.
    seen: when the server got round to reading it.
    stamp: how `at` is known. "read": the loop was free and the arrival was measured. "stall": the server was
        busy when the bytes came, and the time was recovered. "poll": only bounds are known (the whole process
        stood still), `at` is the lower one.
    """

    at: int
    seen: int
    stamp: Stamp
