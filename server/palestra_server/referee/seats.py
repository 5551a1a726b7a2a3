"""Connections that come and go, `ready`, and restarts of the server."""

from __future__ import annotations

from palestra_games import Seat
from palestra_server.referee.clock import MS, Clock
from palestra_server.referee.effects import Journal, SendStart, SetAlarm, Step
from palestra_server.referee.endings import finish_late, finish_not_ready
from palestra_server.referee.events import Attached, BecameReady, Detached, Restarted
from palestra_server.referee.match import Match
from palestra_server.referee.moves import ask


def attach(match: Match, event: Attached) -> Step:
    """A connection for a seat of which nothing is awaited now: before the match begins, or out of its turn."""
    start = SendStart(event.seat)
    if match.attached[event.seat]:
        return match, (start,)
    return match._replace(attached=_put(match.attached, event.seat, True)), (Journal(event), start)


def detach(match: Match, event: Detached) -> Step:
    """The loss of such a connection costs nothing."""
    if not match.attached[event.seat]:
        return match, ()
    return match._replace(attached=_put(match.attached, event.seat, False)), (Journal(event),)


def become_ready(match: Match, event: BecameReady) -> Step:
    """Once both are ready, the match is played, from the beginning or from where a restart of the server stopped it.

    A seat that was ready and lost its connection need not say it again.
    """
    if match.ready[event.seat]:
        return match, ()
    if event.at > match.ready_by:
        return finish_not_ready(match, event)
    match = match._replace(ready=_put(match.ready, event.seat, True))
    if not all(match.ready):
        return match, (Journal(event),)
    clock = match.clock
    if match.attached[clock.seat]:
        match = match._replace(phase="playing")
        return match, (Journal(event), SetAlarm(None), ask(match, clock.budget))
    match = match._replace(phase="playing", clock=clock.leave(event.at))
    return match, (Journal(event), SetAlarm(match.alarm))


def attach_playing(match: Match, event: Attached) -> Step:
    """A connection in the place of a lost one, or of one that still stands: then no clock changes."""
    clock = match.clock
    if event.seat != clock.seat:
        return attach(match, event)
    start = SendStart(event.seat)
    if not clock.away:
        return match, (start, ask(match, clock.remaining(event.at)))
    deadline = clock.deadline
    if deadline is not None and event.at > deadline:
        return finish_late(match, event, event.at, (start,))
    clock = clock.come_back(event.at)
    match = match._replace(attached=_put(match.attached, event.seat, True), clock=clock)
    return match, (Journal(event), SetAlarm(None), start, ask(match, clock.remaining(event.at)))


def detach_playing(match: Match, event: Detached) -> Step:
    """In its own turn, the seat pays for its absence: with its bank first, then with what the move has left."""
    clock = match.clock
    if event.seat != clock.seat or not match.attached[event.seat]:
        return detach(match, event)
    deadline = clock.deadline
    if deadline is not None and event.at > deadline:
        # All that arrived was handed in before, and the budget is spent: the bank must not pay for it.
        return finish_late(match, event, event.at)
    match = match._replace(attached=_put(match.attached, event.seat, False), clock=clock.leave(event.at))
    return match, (Journal(event), SetAlarm(match.alarm))


def restart(match: Match, event: Restarted) -> Step:
    """Both seats have to come back and get ready within `ready_ms`; then the ply in play is asked for anew.

    The absence is the server's, so neither the move nor the banks pay for what was before.
    """
    match = match._replace(
        phase="starting",
        attached=(False, False),
        ready=(False, False),
        ready_by=event.at + match.config.ready_ms * MS,
        clock=Clock.fresh(match.config, match.clock.seat),
    )
    return match, (Journal(event), SetAlarm(match.alarm))


def _put(pair: tuple[bool, bool], seat: Seat, value: bool) -> tuple[bool, bool]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)
