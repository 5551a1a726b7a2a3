"""Log lines that a stranger can bring about at will: some of each kind, then only how many there were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import monotonic_ns
from typing import Final

import structlog

from palestra_server.gateway.allowance import Allowance

LINES: Final = 30
"""Of one kind at once; then one every LINE_S."""
LINE_S: Final = 10.0

log = structlog.get_logger()


class SparingLog:
    """`now` reads the monotonic clock in ns."""

    def __init__(self, now: Callable[[], int] = monotonic_ns) -> None:
        self._now = now
        self._allowance = Allowance(LINES, int(LINE_S * 1e9))
        self._left_out: Counter[str] = Counter()

    def info(self, event: str, share: str = "", /, **fields: object) -> None:
        """Write the line, or count it: the next that is written says how many `like_it` were not.

        `share`: whose doing it is, where those who are known have an allowance each. There must be few of them.
        """
        now, kind = self._now(), f"{event} {share}"
        if self._allowance.wait(kind, now):
            self._left_out[kind] += 1
            return
        self._allowance.use(kind, now)
        if left_out := self._left_out.pop(kind, 0):
            fields["like_it"] = left_out
        log.info(event, **fields)
