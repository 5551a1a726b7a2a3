"""How often something may be done: a burst at once, then once in every interval."""

from __future__ import annotations

NAMES_MAX = 4096
"""Names whose use is remembered; beyond, who used it longest ago begins anew."""


class Allowance:
    """A token bucket for each player or address, kept by name, so that connecting again does not fill it.

    One number a name says it all: the instant at which its bucket will be full again (the generic cell rate
    algorithm, ITU-T I.371). Instants and `interval` are in ns; with an interval of 0 there is no limit.
    """

    def __init__(self, burst: int, interval: int) -> None:
        self._interval = interval
        self._depth = burst * interval
        self._full_at: dict[str, int] = {}

    def wait(self, name: str, now: int) -> int:
        """How long until `name` may do it; 0 if it may now."""
        return max(0, self._full_at.get(name, now) + self._interval - self._depth - now)

    def use(self, name: str, now: int) -> None:
        """It is done."""
        if not self._interval:
            return
        # At the end again: the order is that of the last use.
        self._full_at[name] = max(now, self._full_at.pop(name, now)) + self._interval
        if len(self._full_at) > NAMES_MAX:
            del self._full_at[next(iter(self._full_at))]

    def give_back(self, name: str) -> None:
        """It was worth it (a match was played to its end, say): it does not count."""
        if name in self._full_at:
            self._full_at[name] -= self._interval
