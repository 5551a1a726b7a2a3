"""Which matches are being judged, so that several judges share the work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

LEASE_S: Final = 120.0  # a judge that has not answered by then is thought dead: another one gets the match


class Leases:
    """Forgotten when the server ends: a match that is judged twice gets the same answer twice."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def lend(self, match_id: str) -> None:
        self._until[match_id] = self._clock() + LEASE_S

    def out(self) -> list[str]:
        """The matches that judges have now."""
        now = self._clock()
        self._until = {match: until for match, until in self._until.items() if until > now}
        return list(self._until)
