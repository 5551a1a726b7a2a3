"""Rate-limited logging, for lines that a stranger can cause at will: a few of each kind, then only a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import monotonic_ns
from typing import Final

import structlog

from palestra_server.gateway.allowance import Allowance

LINES: Final = 30
"""Lines of one kind in a burst; then one every LINE_S."""
LINE_S: Final = 10.0

log = structlog.get_logger()


class SparingLog:
    """`now` reads the monotonic clock in ns."""

    def __init__(self, now: Callable[[], int] = monotonic_ns) -> None:
        self._now = now
        self._allowance = Allowance(LINES, int(LINE_S * 1e9))
        self._left_out: Counter[str] = Counter()

    def info(self, event: str, share: str = "", /, **fields: object) -> None:
        """Write the line, or count it: the next one written says in `like_it` how many were left out.

        `share`: who caused it, for those who have an allowance of their own. There must be few of them.
        """
        now, kind = self._now(), f"{event} {share}"
        if self._allowance.wait(kind, now):
            self._left_out[kind] += 1
            return
        self._allowance.use(kind, now)
        if left_out := self._left_out.pop(kind, 0):
            fields["like_it"] = left_out
        log.info(event, **fields)
