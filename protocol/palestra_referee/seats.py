"""Connections coming and going, `ready`, and restarts of the server."""

from __future__ import annotations

from typing import TypeVar

from palestra_games import Seat
from palestra_referee.clock import MS
from palestra_referee.effects import Append, SendStart, SetAlarm, Step
from palestra_referee.endings import finish_late, finish_not_ready
from palestra_referee.events import AlarmDue, Attached, BecameReady, Detached, Restarted
from palestra_referee.match import Match
from palestra_referee.moves import ask

T = TypeVar("T")


def attach(match: Match, event: Attached) -> Step:
    """A seat connects while nothing is expected of it: before the match begins, or out of turn."""
    start = SendStart(event.seat)
    here = _connected(match, event)
    return (match, (start,)) if here == match else (here, (Append(event), start))


def detach(match: Match, event: Detached) -> Step:
    """A seat loses its connection while nothing is expected of it, which costs nothing."""
    return (_disconnected(match, event.seat), (Append(event),)) if match.attached[event.seat] else (match, ())


def become_ready(match: Match, event: BecameReady) -> Step:
    """The match is in play once both are ready. A seat stays ready if it loses its connection."""
    if match.ready[event.seat]:
        return match, ()
    if event.at > match.ready_by:
        return finish_not_ready(match, event)
    match = match._replace(ready=_put(match.ready, event.seat, True))
    if not all(match.ready):
        return match, (Append(event),)
    clock = match.clock
    match = match._replace(phase="playing")
    if match.attached[clock.seat]:
        return match, (Append(event), SetAlarm(None), ask(match, clock.budget))
    match = match._replace(clock=clock.leave(event.at))
    return match, (Append(event), SetAlarm(match.alarm))


def become_ready_playing(match: Match, event: BecameReady) -> Step:
    """A seat that started over after a restart of the server has warmed up."""
    if match.ready[event.seat]:
        return match, ()
    if match.waits and event.seat == match.clock.seat:
        return go_on(match, event)
    return match._replace(ready=_put(match.ready, event.seat, True)), (Append(event),)


def go_on(match: Match, event: BecameReady | AlarmDue) -> Step:
    """Stops waiting for the mover: it is ready, or has had enough time."""
    clock = match.clock
    match = match._replace(ready=_put(match.ready, clock.seat, True))
    return match, (Append(event), SetAlarm(None), ask(match, clock.remaining(event.at)))


def attach_playing(match: Match, event: Attached) -> Step:
    """A connection that replaces a lost one, or one that is still open, in which case no clock changes."""
    clock = match.clock
    if event.seat != clock.seat or match.waits:
        return attach(match, event)
    start = SendStart(event.seat)
    if not clock.away:
        return match, (start, ask(match, clock.remaining(event.at)))
    deadline = clock.deadline
    if deadline is not None and event.at > deadline:
        return finish_late(match, event, event.at, (start,))
    match = _connected(match._replace(clock=clock.come_back(event.at)), event)
    if match.waits:
        return match, (Append(event), SetAlarm(match.alarm), start)
    return match, (Append(event), SetAlarm(None), start, ask(match, match.clock.remaining(event.at)))


def detach_playing(match: Match, event: Detached) -> Step:
    """During its own turn a seat pays for being away: from its bank first, then from the rest of its budget."""
    clock = match.clock
    if event.seat != clock.seat or not match.attached[event.seat]:
        return detach(match, event)
    deadline = clock.deadline
    match = _disconnected(match, event.seat)
    if deadline is not None and event.at > deadline:
        # Everything received was fed before, and the budget is spent: the bank must not pay for that.
        return finish_late(match, event, event.at)
    match = match._replace(clock=clock.leave(event.at))
    return match, (Append(event), SetAlarm(match.alarm))


def restart(match: Match, event: Restarted) -> Step:
    """Nobody is connected, and new processes get time to warm up. The server was away, so nobody pays for it."""
    clock = match.clock
    if match.phase == "playing":
        bank = match.config.away_ms * MS
        clock = clock._replace(banks=(bank, bank), spent=0, since=event.at, away=True)
    match = match._replace(
        attached=(False, False),
        ready_by=event.at + match.config.ready_ms * MS,
        clock=clock,
        owed=(True, True),
        restarts=match.restarts + 1,
    )
    return match, (Append(event), SetAlarm(match.alarm))


def _disconnected(match: Match, seat: Seat) -> Match:
    drops = (match.drops[0] + (seat == 0), match.drops[1] + (seat == 1))
    return match._replace(attached=_put(match.attached, seat, False), drops=drops)


def _connected(match: Match, event: Attached) -> Match:
    """The match with this seat connected. The first process to connect after a restart has to get ready again if it is
    new. Only the first: otherwise a bot could gain thinking time by coming back as a new process in every turn.
    """
    seat = event.seat
    clock = match.clock
    if match.config.away == "clock" and clock.banks[seat]:
        # That bank was only for the server's absence.
        clock = clock.with_bank(seat, 0)
    anew = match.owed[seat] and event.fresh and event.at <= match.ready_by
    return match._replace(
        attached=_put(match.attached, seat, True),
        ready=_put(match.ready, seat, match.ready[seat] and not anew),
        owed=_put(match.owed, seat, False),
        versions=match.versions if match.attached[seat] else _put(match.versions, seat, event.version),
        clock=clock,
    )


def _put(pair: tuple[T, T], seat: Seat, value: T) -> tuple[T, T]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)
