"""How long a tournament may take, before anything of it is played."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from math import ceil
from typing import Final, NamedTuple

from palestra_tournament import Entrant, Spec, Tournament, matches_of_a_meeting

PLIES: Final = 40  # of a match: a game on 6x7 that two good bots play to the end has 36 to 42
STEP: Final = timedelta(minutes=1)


class Outlook(NamedTuple):
    """How many matches there will be, and how long they take if every bot takes all of its time for each of `plies`
    plies; `until` (UTC in ms) leaves out the daily breaks. `rounds` is None where there are none.
    """

    matches: int
    plies: int
    hours: float
    until: int
    rounds: int | None


def outlook(spec: Spec, entrants: Sequence[Entrant], now_ms: int) -> Outlook | None:
    """None if nobody can know, as on a ladder without a last round, or if these are too few to play."""
    players = sum(not entrant.reference for entrant in entrants)
    if players < (1 if spec.format.needs_references else 2):
        return None
    t = Tournament(spec, tuple(entrants), tuple(entrant.name for entrant in entrants), 0)
    planned, meeting = spec.format.planned(t), matches_of_a_meeting(t)
    if planned.fixtures is None:
        return None
    # Everybody has one meeting in a round.
    each = planned.fixtures * 2 / players if planned.rounds is None else planned.rounds * meeting
    length = timedelta(milliseconds=each / min(spec.per_bot, meeting) * PLIES * spec.clock.move_ms)
    begins = datetime.fromtimestamp(now_ms / 1000).astimezone()
    if spec.start is not None and spec.start.astimezone() > begins:
        begins = spec.start.astimezone()
    until = _after(begins, length, spec.breaks)
    return Outlook(planned.fixtures, PLIES, length / timedelta(hours=1), int(until.timestamp() * 1000), planned.rounds)


def _after(begins: datetime, length: timedelta, breaks: Sequence[tuple[time, time]]) -> datetime:
    """When so much time has passed outside of the breaks; a year is enough for anybody."""
    if not breaks:
        return begins + length
    free = STEP * sum(not _in_break(breaks, datetime.min + STEP * minute) for minute in range(24 * 60))
    days = 365 if not free else min(365, max(0, ceil(length / free) - 1))
    now, end = begins + timedelta(days=days), begins + timedelta(days=365)
    length -= days * free
    while length > timedelta() and now < end:
        now += STEP
        if not _in_break(breaks, now):
            length -= STEP
    return now


def _in_break(breaks: Sequence[tuple[time, time]], now: datetime) -> bool:
    return any(within(daily, now.time()) for daily in breaks)


def within(daily: tuple[time, time], now: time) -> bool:
    """Whether `now` is in this break, which may cross midnight."""
    first, last = daily
    return first <= now < last if first < last else now >= first or now < last
