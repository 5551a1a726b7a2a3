"""Breaks, during which nothing begins in a tournament unless the teacher overrules them."""

from __future__ import annotations

from datetime import datetime, time

import structlog

from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.remarks import Remark, pause_of
from palestra_tournament import Paused, Resumed

log = structlog.get_logger()


class Breaks:
    def __init__(self) -> None:
        self._overruled: set[str] = set()

    def overrule(self, name: str) -> None:
        """The teacher resumed this tournament: ignore the current break, if there is one."""
        self._overruled.add(name)

    def look(self, live: LiveTournament, now_ms: int) -> None:
        assert live.now is not None
        clock = datetime.fromtimestamp(now_ms / 1000).time()
        current = next((each for each in live.spec.breaks if _within(each, clock)), None)
        if current is None:
            self._overruled.discard(live.name)
            pause = pause_of(live.now.why_paused)
            if pause is not None and pause.code == "break":
                live.feed(Resumed(now_ms))
        elif live.state == "running" and live.name not in self._overruled:
            first, last = current
            why = Remark("break", begin=f"{first:%H:%M}", end=f"{last:%H:%M}")
            log.info("break", tournament=live.name, why=why.sentence)
            live.feed(Paused(why.sentence, now_ms))


def _within(daily: tuple[time, time], now: time) -> bool:
    """Whether `now` is in this break, which may cross midnight."""
    first, last = daily
    return first <= now < last if first < last else now >= first or now < last
