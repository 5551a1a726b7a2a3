"""The referee: `step(match, event) -> (match, effects)`, a pure function with no clock, sockets or randomness.

What each event does in each phase (blank: nothing):

| event       | starting                        | playing                                  | finished         |
|-------------|---------------------------------|------------------------------------------|------------------|
| Attached    | match_start                     | match_start; its turn: turn, time left   | match_start, end |
| Detached    | noted                           | noted; its turn: the bank or it pays     |                  |
| BecameReady | noted; both: playing, turn      | noted; was it waited for: turn           |                  |
| TurnWritten |                                 | the clock runs                           |                  |
| Acted       | reject                          | accept, reject, or the end               | reject           |
| Resigned    | the end; late: as AlarmDue      | the end; late: as AlarmDue               |                  |
| AlarmDue    | early: set it; else the end     | early: set it; waited for: turn; else    |                  |
|             |                                 | the end                                  |                  |
| Restarted   | all away, ready deadline anew   | all away, full clock and banks           |                  |
| Voided      | the end                         | the end                                  |                  |
| Durable     |                                 |                                          | announce, once   |

After a restart of the server, a player that comes back as a new process has to warm up again: its turn waits for
`ready`, at most `ready_ms` from the restart, and nothing is charged. A player that resumes its session is still ready.

"The end" journals the event and asks for Durable; the result is not announced before that. Whatever changes the match
has Append(event) as its first effect, and apart from Durable, an event without an Append leaves the match unchanged. So
a match is the fold of its journal: `replay(journalled events) == step(live match, Durable)`.

A verdict depends only on the stamps of events, never on when an alarm happened to go off: anything stamped after the
deadline is late, even if the alarm hasn't come yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from palestra_games import State, get_game
from palestra_referee.clock import MS, Clock
from palestra_referee.effects import Append, Finish, Reject, SendEnd, SendStart, SetAlarm, Step
from palestra_referee.endings import finish, finish_late, finish_not_ready, give_up, judge
from palestra_referee.events import (
    Acted,
    AlarmDue,
    Attached,
    BecameReady,
    Created,
    Detached,
    Durable,
    Event,
    LaterEvent,
    MatchConfig,
    Resigned,
    Restarted,
    TurnWritten,
    Voided,
)
from palestra_referee.match import Match
from palestra_referee.moves import act, is_repeated, turn_written, why_illegal
from palestra_referee.seats import (
    attach,
    attach_playing,
    become_ready,
    become_ready_playing,
    detach,
    detach_playing,
    go_on,
    restart,
)


def start(config: MatchConfig, at: int) -> Step:
    """A new match at `at`. Feed Attached next for each connected seat.

    Raises ValueError, with a one-sentence message, if the config can't be played, and `UnknownGame`.
    """
    state, legal = after_opening(config)
    bank = config.away_ms * MS if config.away == "bank" else 0
    budgets = config.seat_ms or (config.move_ms, config.move_ms)
    clock = Clock((budgets[0] * MS, budgets[1] * MS), config.grace_ms * MS, (bank, bank), state.to_move)
    nobody = (False, False)
    match = Match(config, "starting", state, legal, (), nobody, nobody, at + config.ready_ms * MS, clock)
    event = Created(config, at)
    outcome = judge(config, state, match.ply)
    if outcome is not None:
        return finish(match, event, outcome)
    return match, (Append(event), SetAlarm(match.alarm))


def replay(events: Iterable[Event]) -> Match:
    """The match that these journalled events lead to. They are on disk, so an outcome counts as announced.

    Raises ValueError if the first one is not Created.
    """
    match: Match | None = None
    for event in events:
        if match is not None:
            match, _ = step(match, event)
        elif isinstance(event, Created):
            match, _ = start(event.config, event.at)
        else:
            raise ValueError(f"The journal of a match begins with Created, not with {type(event).__name__}.")
    if match is None:
        raise ValueError("The journal of this match is empty.")
    return match._replace(announced=match.phase == "finished")


def step(match: Match, event: Event) -> Step:
    """The match after `event`, and what the shell has to do now, in order.

    Events that arise while the effects are performed (TurnWritten) are fed after the last effect. Raises ValueError for
    Created, which belongs to `start`.
    """
    if isinstance(event, Created):
        raise ValueError("A match is created once: use start() for a new one.")
    if match.phase == "playing":
        return _playing(match, event)
    if match.phase == "starting":
        return _starting(match, event)
    return _finished(match, event)


def _starting(match: Match, event: LaterEvent) -> Step:
    match event:
        case Attached():
            return attach(match, event)
        case Detached():
            return detach(match, event)
        case BecameReady():
            return become_ready(match, event)
        case Acted(seat):
            text = "The match has not begun: send ready, then wait for a turn message."
            return match, (Reject(seat, "not_your_turn", text, match.ply),)
        case AlarmDue(at):
            if at <= match.ready_by:
                return match, (SetAlarm(match.alarm),)
            return finish_not_ready(match, event)
        case Restarted():
            return restart(match, event)
        case Resigned(at=at) if at > match.ready_by:
            return finish_not_ready(match, event)
        case Resigned() | Voided():
            return give_up(match, event)
        case TurnWritten() | Durable():
            return match, ()
        case _:
            assert_never(event)


def _playing(match: Match, event: LaterEvent) -> Step:
    match event:
        case Acted():
            return act(match, event)
        case TurnWritten():
            return turn_written(match, event)
        case Attached():
            return attach_playing(match, event)
        case Detached():
            return detach_playing(match, event)
        case AlarmDue(at):
            alarm = match.alarm
            if alarm is None:
                return match, ()
            if at < alarm:
                return match, (SetAlarm(alarm),)
            return go_on(match, event) if match.waits else finish_late(match, event, at)
        case Restarted():
            return restart(match, event)
        case Resigned(at=at) if (deadline := match.clock.deadline) is not None and at > deadline:
            return finish_late(match, event, at)
        case Resigned() | Voided():
            return give_up(match, event)
        case BecameReady():
            return become_ready_playing(match, event)
        case Durable():
            return match, ()
        case _:
            assert_never(event)


def _finished(match: Match, event: LaterEvent) -> Step:
    match event:
        case Durable():
            if match.announced or match.outcome is None:
                return match, ()
            return match._replace(announced=True), (Finish(match.outcome),)
        case Attached(seat):
            return match, (SendStart(seat), SendEnd(seat)) if match.announced else (SendStart(seat),)
        case Acted(seat):
            if is_repeated(match, event):
                return match, ()
            text = "The match is over, so it takes no more actions: wait for match_end."
            return match, (Reject(seat, "not_your_turn", text, match.ply),)
        case Detached() | BecameReady() | TurnWritten() | Resigned() | AlarmDue() | Restarted() | Voided():
            return match, ()
        case _:
            assert_never(event)


def after_opening(config: MatchConfig) -> tuple[State, tuple[int, ...]]:
    """The position in which the match begins, and the actions that are legal there. Raises like `start`."""
    if config.move_ms <= 0 or config.ready_ms <= 0 or config.grace_ms < 0 or config.away_ms < 0:
        raise ValueError("move_ms and ready_ms must be above 0, grace_ms and away_ms at least 0.")
    if config.seat_ms is not None and min(config.seat_ms) <= 0:
        raise ValueError("The time for a move must be above 0 for both seats.")
    if config.ply_limit < max(1, len(config.opening)):
        count = len(config.opening)
        raise ValueError(f"A limit of {config.ply_limit} plies is too low for a match with {count} opening actions.")
    state = get_game(config.game).initial_state()
    for ply, action in enumerate(config.opening):
        legal = state.legal_actions()
        if not legal:
            raise ValueError(f"The opening goes on after {config.game} is over at ply {ply}; cut it there.")
        if action not in legal:
            why = why_illegal(state, action, legal)
            raise ValueError(f"The opening can't be played at ply {ply}: {why}")
        state = state.apply(action)
    return state, state.legal_actions()
