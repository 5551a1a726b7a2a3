"""The referee: `step(match, event) -> (match, effects)`, a function without a clock, a socket or chance.

What an event does in each phase (a blank: nothing at all):

| event       | starting                        | playing                                  | finished         |
|-------------|---------------------------------|------------------------------------------|------------------|
| Attached    | match_start                     | match_start; its turn: turn, time left   | match_start, end |
| Detached    | noted                           | noted; its turn: the bank pays           |                  |
| BecameReady | noted; both: playing, turn      |                                          |                  |
| TurnWritten |                                 | the clock runs                           |                  |
| Acted       | reject                          | accept, reject, or the end               | reject           |
| Resigned    | the end                         | the end                                  |                  |
| AlarmDue    | early: set it; else the end     | early: set it; else the end              |                  |
| Restarted   | all away, ready deadline anew   | all away, full clock and banks           |                  |
| Voided      | the end                         | the end                                  |                  |
| Durable     |                                 |                                          | announce, once   |

"The end" journals the event and asks for Durable; nothing tells the result before that came. Whatever changes the
match has Journal(event) as its first effect, and what has no Journal leaves the match as it was, but for Durable.
So a match is the fold of its journal: `replay(journalled events) == step(live match, Durable)`.

A verdict depends on the stamps of the events alone, never on how early or late an alarm went off: what carries a
stamp beyond the deadline is too late even when the alarm has not come yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from palestra_games import Seat, State, get_game
from palestra_games.interface import DRAW, OPPONENT, WIN
from palestra_protocol import EndReason
from palestra_server.referee import sentences
from palestra_server.referee.clock import Clock
from palestra_server.referee.effects import (
    AwaitDurable,
    Effect,
    Finish,
    Journal,
    Move,
    Reject,
    SendEnd,
    SendPlayed,
    SendStart,
    SendTurn,
    SetAlarm,
)
from palestra_server.referee.events import (
    Acted,
    AlarmDue,
    Attached,
    BecameReady,
    Created,
    Detached,
    Durable,
    Event,
    MatchConfig,
    Resigned,
    Restarted,
    TurnWritten,
    Voided,
)
from palestra_server.referee.match import Match, Outcome
from palestra_server.referee.sentences import MS

Step = tuple[Match, tuple[Effect, ...]]


def start(config: MatchConfig, at: int) -> Step:
    """A new match at `at`. Seats that are connected get Attached events next.

    Raises ValueError, in one sentence, for an opening or a number that can't be played, and `UnknownGame`.
    """
    state, legal = _after_opening(config)
    clock = Clock(config.move_ms * MS, config.grace_ms * MS, (config.away_ms * MS,) * 2, state.to_move)
    match = Match(
        config=config,
        phase="starting",
        state=state,
        legal=legal,
        moves=(),
        attached=(False, False),
        ready=(False, False),
        ready_by=at + config.ready_ms * MS,
        clock=clock,
    )
    event = Created(config, at)
    outcome = _judge(config, state, match.ply)
    if outcome is not None:
        return _finish(match, event, outcome)
    return match, (Journal(event), SetAlarm(match.alarm))


def replay(events: Iterable[Event]) -> Match:
    """The match that these journalled events lead to. All of them are on disk, so an outcome counts as announced.

    Raises ValueError if they do not begin with Created.
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
    return replace(match, announced=match.phase == "finished")


def step(match: Match, event: Event) -> Step:
    """The match after `event`, and what the shell has to do now, in order.

    Events that come up while the effects are performed (TurnWritten) are handed in after the last of them.
    Raises ValueError for Created, which only `start` takes.
    """
    if isinstance(event, Created):
        raise ValueError("A match is created once: use start() for a new one.")
    if match.phase == "playing":
        return _playing(match, event)
    if match.phase == "starting":
        return _starting(match, event)
    return _finished(match, event)


def _starting(match: Match, event: Event) -> Step:
    match event:
        case Attached(seat):
            return _note_attached(match, event, seat, (SendStart(seat),))
        case Detached(seat):
            if not match.attached[seat]:
                return match, ()
            return replace(match, attached=_put(match.attached, seat, False)), (Journal(event),)
        case BecameReady(seat, at):
            return _became_ready(match, event, seat, at)
        case Acted(seat):
            text = "The match has not begun: send ready, then wait for a turn message."
            return match, (Reject(seat, "not_your_turn", text, match.ply),)
        case AlarmDue(at):
            if at <= match.ready_by:
                return match, (SetAlarm(match.alarm),)
            return _finish_not_ready(match, event)
        case Restarted(at):
            match = replace(match, attached=(False, False), ready_by=at + match.config.ready_ms * MS)
            return match, (Journal(event), SetAlarm(match.alarm))
        case Resigned() | Voided():
            return _given_up(match, event)
        case TurnWritten() | Durable() | Created():
            return match, ()
        case _:
            assert_never(event)


def _playing(match: Match, event: Event) -> Step:
    match event:
        case Acted():
            return _acted(match, event)
        case TurnWritten():
            return _turn_written(match, event)
        case Attached(seat, at):
            return _came_back(match, event, seat, at)
        case Detached(seat, at):
            return _left(match, event, seat, at)
        case AlarmDue(at):
            deadline = match.clock.deadline
            if deadline is None:
                return match, ()
            if at <= deadline:
                return match, (SetAlarm(match.alarm),)
            return _finish_late(match, event, at)
        case Restarted(at):
            clock = replace(match.clock, banks=(match.config.away_ms * MS,) * 2, spent=0, since=at, away=True)
            match = replace(match, attached=(False, False), clock=clock)
            return match, (Journal(event), SetAlarm(match.alarm))
        case Resigned() | Voided():
            return _given_up(match, event)
        case BecameReady() | Durable() | Created():
            return match, ()
        case _:
            assert_never(event)


def _finished(match: Match, event: Event) -> Step:
    match event:
        case Durable():
            if match.announced or match.outcome is None:
                return match, ()
            end = match.outcome
            told = replace(match, announced=True)
            return told, (Finish(end.returns, end.reason, end.detail, match.ply),)
        case Attached(seat):
            return match, (SendStart(seat), SendEnd(seat)) if match.announced else (SendStart(seat),)
        case Acted(seat):
            if _is_repeated(match, event):
                return match, ()
            text = "The match is over: no more actions are taken; wait for match_end."
            return match, (Reject(seat, "not_your_turn", text, match.ply),)
        case Detached() | BecameReady() | TurnWritten() | Resigned() | AlarmDue() | Restarted() | Voided() | Created():
            return match, ()
        case _:
            assert_never(event)


# --- starting ---------------------------------------------------------------------------------------------------------


def _became_ready(match: Match, event: Event, seat: Seat, at: int) -> Step:
    if match.ready[seat]:
        return match, ()
    if at > match.ready_by:
        return _finish_not_ready(match, event)
    match = replace(match, ready=_put(match.ready, seat, True))
    if not all(match.ready):
        return match, (Journal(event),)
    mover = match.clock.seat
    if match.attached[mover]:
        match = replace(match, phase="playing")
        return match, (Journal(event), SetAlarm(None), _turn(match))
    match = replace(match, phase="playing", clock=match.clock.leave(at))
    return match, (Journal(event), SetAlarm(match.alarm))


def _note_attached(match: Match, event: Event, seat: Seat, sends: tuple[Effect, ...]) -> Step:
    if match.attached[seat]:
        return match, sends
    return replace(match, attached=_put(match.attached, seat, True)), (Journal(event), *sends)


# --- playing: connections ---------------------------------------------------------------------------------------------


def _came_back(match: Match, event: Event, seat: Seat, at: int) -> Step:
    """A connection in the place of a lost one, or of one that still stands (then no clock changes)."""
    clock = match.clock
    if seat != clock.seat:
        return _note_attached(match, event, seat, (SendStart(seat),))
    if not clock.away:
        return match, (SendStart(seat), _turn(match, clock.remaining(at)))
    deadline = clock.deadline
    if deadline is not None and at > deadline:
        return _finish_late(match, event, at, (SendStart(seat),))
    clock = clock.come_back(at)
    match = replace(match, attached=_put(match.attached, seat, True), clock=clock)
    return match, (Journal(event), SetAlarm(None), SendStart(seat), _turn(match))


def _left(match: Match, event: Event, seat: Seat, at: int) -> Step:
    clock = match.clock
    if not match.attached[seat]:
        return match, ()
    if seat != clock.seat:
        return replace(match, attached=_put(match.attached, seat, False)), (Journal(event),)
    deadline = clock.deadline
    if deadline is not None and at > deadline:
        # All that arrived was handed in before, and the budget is spent: the bank must not pay for it.
        return _finish_late(match, event, at)
    match = replace(match, attached=_put(match.attached, seat, False), clock=clock.leave(at))
    return match, (Journal(event), SetAlarm(match.alarm))


# --- playing: moves ---------------------------------------------------------------------------------------------------


def _turn_written(match: Match, event: TurnWritten) -> Step:
    clock = match.clock
    if event.ply != match.ply or clock.since is not None:
        return match, ()
    match = _with_clock(match, clock.start(event.at))
    return match, (Journal(event), SetAlarm(match.alarm))


def _acted(match: Match, event: Acted) -> Step:
    clock = match.clock
    ply = match.ply
    if event.seat != clock.seat or event.ply != ply:
        return _out_of_turn(match, event)
    if clock.away:
        text = "This match has no connection of yours: say hello with the resume session first."
        return match, (Reject(event.seat, "not_in_match", text, ply),)
    deadline = clock.deadline
    if deadline is not None and event.arrived_at > deadline:
        return _finish_late(match, event, event.arrived_at)
    if event.action not in match.legal:
        why = sentences.why_illegal(match.state, event.action, match.legal)
        error = Reject(event.seat, "illegal_action", why, ply, match.legal)
        detail = sentences.played_illegal(match, event.seat, event.action)
        return _finish(match, event, Outcome(WIN[OPPONENT[event.seat]], "illegal", detail), (error,))
    return _accepted(match, event)


def _out_of_turn(match: Match, event: Acted) -> Step:
    """The mover keeps its clock, whatever the others send."""
    if _is_repeated(match, event):
        return match, ()
    ply = match.ply
    if event.seat != match.clock.seat and event.ply >= ply:
        text = "It is your opponent's turn: wait for your turn message."
        return match, (Reject(event.seat, "not_your_turn", text, ply),)
    text = f"Ply {event.ply} is not the one in play, which is {ply}: answer the turn message received last."
    return match, (Reject(event.seat, "stale_ply", text, ply),)


def _is_repeated(match: Match, event: Acted) -> bool:
    """Whether this is the action accepted last, sent once more."""
    last = match.last
    return last is not None and (event.seat, event.ply, event.action) == (last.seat, last.ply, last.action)


def _accepted(match: Match, event: Acted) -> Step:
    seat = event.seat
    other = OPPONENT[seat]
    move = Move(event.ply, seat, event.action, match.clock.charged(event.arrived_at), event.stamp)
    state = match.state.apply(event.action)
    mover = state.to_move
    clock = match.clock.next_ply(mover)
    attached = match.attached
    if not attached[mover]:
        # The bank pays from when the turn could have been sent, not from the stamp of the action, which may be earlier.
        clock = clock.leave(event.at)
    match = Match(
        match.config,
        "playing",
        state,
        state.legal_actions(),
        (*match.moves, move),
        attached,
        match.ready,
        match.ready_by,
        clock,
    )
    watchers = SendPlayed(None, move)
    outcome = _judge(match.config, state, event.ply + 1)
    if outcome is not None:
        sends = (*(SendPlayed(to, move) for to in (seat, other) if attached[to]), watchers)
        return _finish(match, event, outcome, sends)
    effects: list[Effect] = [Journal(event), SetAlarm(match.alarm)]
    if attached[mover]:
        effects.append(SendTurn(mover, event.ply + 1, clock.budget, move))
    waiting = OPPONENT[mover]
    if attached[waiting]:
        effects.append(SendPlayed(waiting, move))
    effects.append(watchers)
    return match, tuple(effects)


def _turn(match: Match, remaining_ns: int | None = None) -> SendTurn:
    clock = match.clock
    left = max(0, clock.budget - clock.spent) if remaining_ns is None else remaining_ns
    return SendTurn(clock.seat, match.ply, left, match.last)


# --- the end ----------------------------------------------------------------------------------------------------------


def _judge(config: MatchConfig, state: State, ply: int) -> Outcome | None:
    """How the match is over after `ply` actions, or None."""
    returns = state.returns()
    if returns is not None:
        return Outcome(returns, "rules", sentences.by_rules(config, returns, ply))
    if ply >= config.ply_limit:
        return Outcome(DRAW, "ply_limit", sentences.too_many_plies(config))
    return None


def _finish_late(match: Match, event: Event, at: int, sends: tuple[Effect, ...] = ()) -> Step:
    """The mover is past its deadline."""
    reason: EndReason = "disconnect" if match.clock.away else "timeout"
    if match.clock.away:
        detail = sentences.stayed_away(match)
    else:
        detail = sentences.out_of_time(match, at, answered=isinstance(event, Acted))
    return _finish(match, event, Outcome(WIN[OPPONENT[match.clock.seat]], reason, detail), sends)


def _finish_not_ready(match: Match, event: Event) -> Step:
    returns = DRAW if not any(match.ready) else WIN[0 if match.ready[0] else 1]
    return _finish(match, event, Outcome(returns, "not_ready", sentences.not_ready(match)))


def _given_up(match: Match, event: Resigned | Voided) -> Step:
    if isinstance(event, Voided):
        return _finish(match, event, Outcome(DRAW, "void", event.detail))
    detail = sentences.resigned(match, event.seat)
    return _finish(match, event, Outcome(WIN[OPPONENT[event.seat]], "resign", detail))


def _finish(match: Match, event: Event, outcome: Outcome, sends: tuple[Effect, ...] = ()) -> Step:
    """The match is decided: no alarm is left, and the shell announces it once it is durable."""
    over = replace(match, phase="finished", clock=match.clock.stop(), outcome=outcome)
    return over, (Journal(event), SetAlarm(None), *sends, AwaitDurable())


# --- small things -----------------------------------------------------------------------------------------------------


def _after_opening(config: MatchConfig) -> tuple[State, tuple[int, ...]]:
    """The state that the opening leads to and its legal actions; ValueError if the config can't be played."""
    if config.move_ms <= 0 or config.ready_ms <= 0 or config.grace_ms < 0 or config.away_ms < 0:
        raise ValueError("move_ms and ready_ms must be above 0, grace_ms and away_ms at least 0.")
    if config.ply_limit < max(1, len(config.opening)):
        raise ValueError(
            f"A limit of {config.ply_limit} plies leaves no room for {len(config.opening)} opening actions."
        )
    state = get_game(config.game).initial_state()
    for ply, action in enumerate(config.opening):
        legal = state.legal_actions()
        if not legal:
            raise ValueError(f"The opening goes on after {config.game} is over at ply {ply}; cut it there.")
        if action not in legal:
            why = sentences.why_illegal(state, action, legal)
            raise ValueError(f"The opening can't be played at ply {ply}: {why}")
        state = state.apply(action)
    return state, state.legal_actions()


def _put(pair: tuple[bool, bool], seat: Seat, value: bool) -> tuple[bool, bool]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def _with_clock(match: Match, clock: Clock) -> Match:
    """`replace(match, clock=clock)` written out: it is half of every move, and `replace` costs a multiple."""
    return Match(
        match.config,
        match.phase,
        match.state,
        match.legal,
        match.moves,
        match.attached,
        match.ready,
        match.ready_by,
        clock,
    )
