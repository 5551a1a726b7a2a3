"""Whether the server is still there, judged by what it sends. Sans-I/O; times are seconds of a monotonic clock.

The server pings, so a client need not. Nor should it: a ping that follows an action in the stream re-dates it if the
server's process is stopped meanwhile, because the kernel merges what is waiting and keeps the time of the last packet.

So the client pings only when the server's pings are late (a proxy may swallow them) and nothing it sent is waiting for
an answer.
"""

from __future__ import annotations

from palestra_protocol import limits

GONE_S = limits.PING_S + limits.SILENCE_S  # A server that has sent nothing for this long, not even a ping, is gone
SOON_S = limits.PING_S + 3.0  # The same where another machine would know: a match there waits 10 s for its players
LATE_S = 1.0  # A check that comes later than this was held up, and what arrived since may be unread
_ASK = 2 / 3  # the fraction of that time after which to ping


class Silence:
    """Counts from `now` and from the last `heard`. `gone_s` is how long the server may send nothing."""

    def __init__(self, now: float, gone_s: float = GONE_S) -> None:
        self._heard = self._due = now
        self._usual_s = self.gone_s = gone_s
        self._may_ask = True

    def heard(self, now: float) -> None:
        self._heard = now
        self._may_ask = True

    def said(self) -> None:
        """A message was sent, which the server may not have read."""
        self._may_ask = False

    def pings_come_every(self, ping_s: float, others: bool = False) -> None:
        """The interval from `welcome`; `gone_s` was for a server that pings at the usual one. `others`: there are other
        addresses, where looking in vain costs little.
        """
        usual_s = min(self._usual_s, SOON_S) if others else self._usual_s
        self.gone_s = usual_s + max(0.0, ping_s - limits.PING_S)

    def asks(self, now: float) -> bool:
        """Whether to ping now: once per silence."""
        asks = self._may_ask and now >= self._heard + _ASK * self.gone_s
        if asks:
            self._may_ask = False
        return asks

    def left(self, now: float) -> float:
        """When to check again, in seconds from now; 0 if the server is gone."""
        left = max(0.0, self._heard + self.gone_s - now)
        if left == 0.0 and now - self._due > LATE_S:
            left = LATE_S
        ask = self._heard + _ASK * self.gone_s - now
        if ask > 0.0:
            left = min(left, ask)
        self._due = now + left
        return left
