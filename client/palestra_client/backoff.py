"""How long to wait before reconnecting: random pauses, so that a class of bots doesn't come back in step."""

from __future__ import annotations

from collections.abc import Callable

BASE_S = 0.5
CAP_S = 5.0  # less than the 10 s that a match grants for lost connections
STEADY_S = 10.0  # after a connection that lasted this long, pauses start short again
SHARE = 0.25  # while nothing is listening, a pause is at most this share of the time waited so far


class Backoff:
    """Pauses between attempts, drawn evenly from 0 to a ceiling of CAP_S at most. `random` gives floats in [0, 1).

    After the n-th refusal in a row the ceiling is BASE_S * 2^n (exponential, with full jitter: Brooker, "Exponential
    Backoff And Jitter", AWS Architecture Blog, 2015). While nothing is listening, when an attempt costs the server
    nothing, it follows the time waited so far: the server is being restarted, and its matches wait. There is no pause
    before the address that a machine named, unless two in a row did.
    """

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._refusals = 0
        self._waited = 0.0
        self._sent = False
        self.attempt = 0

    def next_pause(self, *, absent: bool = False, sent: bool = False) -> float:
        """Seconds to wait now; counts the attempt. `absent`: nothing is listening; `sent`: an address was named."""
        self.attempt += 1
        again, self._sent = self._sent, sent
        if sent and not again:
            return 0.0
        if absent:
            pause = self._random() * min(CAP_S, max(BASE_S, SHARE * self._waited))
            self._waited += pause
            return pause
        ceiling = min(CAP_S, BASE_S * 2.0 ** min(self._refusals, 10))
        self._refusals += 1
        return self._random() * ceiling

    def connected(self, lasted_s: float) -> None:
        """A connection ended that the server had welcomed `lasted_s` seconds before. Only a lasting one clears the
        refusals before it, so that a server that drops everybody at once is not flooded.
        """
        self._waited, self._sent = 0.0, False
        if lasted_s >= STEADY_S:
            self.forget()

    def forget(self) -> None:
        """Start over with short pauses."""
        self._waited, self._sent = 0.0, False
        self.attempt = self._refusals = 0
