"""Rate limits: a burst at once, then one use per interval."""

from __future__ import annotations

NAMES_MAX = 4096
"""Buckets kept in memory; beyond that the least recently used is forgotten."""


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
        """Take a token."""
        if not self._interval:
            return
        # Reinserted at the end: the dict is in order of last use.
        self._full_at[name] = max(now, self._full_at.pop(name, now)) + self._interval
        if len(self._full_at) > NAMES_MAX:
            del self._full_at[next(iter(self._full_at))]

    def give_back(self, name: str) -> None:
        """Refund a token, when the use turned out legitimate (a match was played to its end, say)."""
        if name in self._full_at:
            self._full_at[name] -= self._interval
