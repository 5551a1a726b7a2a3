"""Which matches are being judged, so that several judges share the work."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Final

LEASE_S: Final = 120.0  # a judge that has not answered by then is thought dead: another one gets the match
LOANS_MAX: Final = 3  # a match that was lent this often without an answer can't be judged, it seems


class Leases:
    """Forgotten when the server ends: a match that is judged twice gets the same answer twice."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}
        self._loans = Counter[str]()

    def lend(self, match_id: str) -> None:
        self._until[match_id] = self._clock() + LEASE_S
        self._loans[match_id] += 1

    def answered(self, match_id: str) -> None:
        self._until.pop(match_id, None)
        self._loans.pop(match_id, None)

    def withheld(self) -> list[str]:
        """The matches that judges have now, and those that no judge could answer for."""
        now = self._clock()
        return [match for match, until in self._until.items() if until > now or self._loans[match] >= LOANS_MAX]
