"""Rate limits: a burst, then one use per interval; and a log that is rate-limited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import monotonic_ns
from typing import Final

import structlog

NAMES_MAX: Final = 4096  # buckets kept in memory; beyond that the least recently used is forgotten
LINES: Final = 30  # lines of one kind in a burst; then one every LINE_S
LINE_S: Final = 10.0

log = structlog.get_logger()


class Allowance:
    """A token bucket per player or address, kept by name so that reconnecting does not refill it.

    Each bucket is one number: the instant at which it will be full again (the generic cell rate algorithm,
    ITU-T I.371). Instants and `interval` are in ns; an interval of 0 means no limit.
    """

    def __init__(self, burst: int, interval: int) -> None:
        self._interval = interval
        self._depth = burst * interval
        self._full_at: dict[str, int] = {}

    def wait(self, name: str, now: int) -> int:
        """How long (ns) until `name` has a token to use; 0 if it has one now."""
        return max(0, self._full_at.get(name, now) + self._interval - self._depth - now)

    def use(self, name: str, now: int) -> None:
        """Take a token; an empty bucket gets no emptier, so whoever did not wait holds up nobody for longer."""
        if not self._interval:
            return
        # Reinserted at the end: the dict is ordered by last use.
        full_at = max(now, self._full_at.pop(name, now)) + self._interval
        self._full_at[name] = min(full_at, now + self._depth)
        if len(self._full_at) > NAMES_MAX:
            del self._full_at[next(iter(self._full_at))]

    def give_back(self, name: str) -> None:
        """Refund a token whose use turned out legitimate (a match that was played to its end, say)."""
        if name in self._full_at:
            self._full_at[name] -= self._interval


class SparingLog:
    """For lines that strangers can cause at will: a few of each kind, then only a count.

    `now` reads the monotonic clock in ns.
    """

    def __init__(self, now: Callable[[], int] = monotonic_ns) -> None:
        self._now = now
        self._allowance = Allowance(LINES, int(LINE_S * 1e9))
        self._left_out: Counter[str] = Counter()

    def info(self, event: str, share: str = "", /, **fields: object) -> None:
        """Write the line, or count it: the next line written says how many `like_it` were left out.

        `share`: who caused it, if known clients should have an allowance each. There must be few of them.
        """
        if (left_out := self._allowed(f"{event} {share}")) is not None:
            log.info(event, **left_out, **fields)

    def error(self, event: str, **fields: object) -> None:
        if (left_out := self._allowed(event)) is not None:
            log.error(event, **left_out, **fields)

    def _allowed(self, kind: str) -> dict[str, int] | None:
        now = self._now()
        if self._allowance.wait(kind, now):
            self._left_out[kind] += 1
            return None
        self._allowance.use(kind, now)
        left_out = self._left_out.pop(kind, 0)
        return {"like_it": left_out} if left_out else {}
