"""Whether the server is still there, told by what comes from it. Sans-I/O; times are seconds of a monotonic clock.

The server pings, so a client need not. Nor should it: a ping that follows an action in the stream re-dates it if the
server's process is stopped meanwhile, because the kernel merges what waits and keeps the time of the last packet.
"""

from __future__ import annotations

from palestra_protocol import limits

GONE_S = limits.PING_S + limits.SILENCE_S
"""A server from which nothing came for this long, not even a ping, is gone."""
LATE_S = 1.0
"""Who looks later than this was held up, and what came meanwhile may be unread."""


class Silence:
    """Counts from `now` and from whatever is `heard`."""

    def __init__(self, now: float, gone_s: float = GONE_S) -> None:
        self._heard = self._due = now
        self._gone_s = gone_s

    def heard(self, now: float) -> None:
        """Bytes came."""
        self._heard = now

    def left(self, now: float) -> float:
        """When to ask again, in seconds from now; 0 if the server is gone."""
        left = max(0.0, self._heard + self._gone_s - now)
        if left == 0.0 and now - self._due > LATE_S:
            left = LATE_S
        self._due = now + left
        return left
