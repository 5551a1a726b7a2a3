"""How long to wait before connecting again, at random, so that a class of bots does not come back in step."""

from __future__ import annotations

from collections.abc import Callable

BASE_S = 0.5
CAP_S = 5.0
"""Short of the bank of 10 s that a match forgives a lost connection."""
STEADY_S = 10.0
"""A connection that lived this long was a good one: the next pause is a short one again."""
SHARE = 0.25
"""While nobody listens, a pause is no longer than this part of the time that was waited before."""


class Backoff:
    """Pauses between attempts, drawn evenly from 0 to a ceiling of CAP_S at most. `random` gives floats in [0, 1).

    Who was turned away waits up to BASE_S * 2^n, the n-th time (exponential, with full jitter: Brooker, "Exponential
    Backoff And Jitter", AWS Architecture Blog, 2015). While nobody listens, which costs the server nothing, the ceiling
    follows the time it is away: it is being restarted, and its matches wait.
    """

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._refusals = 0
        self._waited = 0.0
        self.attempt = 0

    def next_pause(self, *, absent: bool = False) -> float:
        """Seconds to wait now; counts the attempt. `absent`: nobody listens."""
        self.attempt += 1
        if absent:
            pause = self._random() * min(CAP_S, max(BASE_S, SHARE * self._waited))
            self._waited += pause
            return pause
        ceiling = min(CAP_S, BASE_S * 2.0 ** min(self._refusals, 10))
        self._refusals += 1
        return self._random() * ceiling

    def connected(self, lasted_s: float) -> None:
        """A connection ended that the server had welcomed `lasted_s` seconds before. Only a lasting one forgets
        the refusals before it, so that a server that lets go of everybody at once is not flooded."""
        self._waited = 0.0
        if lasted_s >= STEADY_S:
            self.forget()

    def forget(self) -> None:
        """All is well: the next pause is a short one."""
        self._waited = 0.0
        self.attempt = self._refusals = 0
