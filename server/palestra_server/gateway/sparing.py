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
        """Write the line, or count it: the next that is written says how many `like_it` were not.

        `share`: whose doing it is, where those who are known have an allowance each. There must be few of them.
        """
        if (left_out := self._allowed(f"{event} {share}")) is not None:
            log.info(event, **left_out, **fields)

    def error(self, event: str, **fields: object) -> None:
        """The same for a fault."""
        if (left_out := self._allowed(event)) is not None:
            log.error(event, **left_out, **fields)

    def _allowed(self, kind: str) -> dict[str, int] | None:
        now = self._now()
        if self._allowance.wait(kind, now):
            self._left_out[kind] += 1
            return None
        self._allowance.use(kind, now)
        left_out = self._left_out.pop(kind, 0)
        return {"like_it": left_out} if left_out else {}
