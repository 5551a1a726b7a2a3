"""How long to wait before connecting again: exponential, with full jitter."""

from __future__ import annotations

from collections.abc import Callable

BASE_S = 0.5
CAP_S = 5.0
"""Short of the bank of 10 s that a match forgives a lost connection."""
STEADY_S = 10.0
"""A connection that lived this long was a good one: the next pause is a short one again."""


class Backoff:
    """Pauses between attempts: the n-th is drawn evenly from 0 to min(CAP_S, BASE_S * 2^n) seconds.

    The randomness keeps a class of bots from coming back in step after the server restarted (Brooker, "Exponential
    Backoff And Jitter", AWS Architecture Blog, 2015). `random` gives floats in [0, 1).
    """

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self.attempt = 0

    def next_pause(self) -> float:
        """Seconds to wait now; counts the attempt."""
        ceiling = min(CAP_S, BASE_S * 2.0 ** min(self.attempt, 10))
        self.attempt += 1
        return self._random() * ceiling

    def connected(self, lasted_s: float) -> None:
        """A connection ended that the server had welcomed `lasted_s` seconds before. Only a lasting one forgets
        the attempts before it, so that a server that lets go of everybody at once is not flooded."""
        if lasted_s >= STEADY_S:
            self.attempt = 0
