"""Clock and actions while a match is in play. This is the hot path, with two steps per ply."""

from __future__ import annotations

from palestra_games import IllegalAction, State
from palestra_games.interface import OPPONENT, WIN
from palestra_referee import whys
from palestra_referee.effects import Append, Effect, Reject, SendPlayed, SendTurn, SetAlarm, Step
from palestra_referee.endings import finish, finish_late, judge
from palestra_referee.events import Acted, TurnWritten
from palestra_referee.match import Match, Move, Outcome


def ask(match: Match, remaining_ns: int) -> SendTurn:
    return SendTurn(match.clock.seat, match.ply, remaining_ns, match.last)


def turn_written(match: Match, event: TurnWritten) -> Step:
    """Starts the clock unless it is running: sending a turn again gives no extra time."""
    clock = match.clock
    if event.ply != match.ply or clock.since is not None or not match.ready[clock.seat]:
        return match, ()
    match = match._replace(clock=clock.start(event.at))
    return match, (Append(event), SetAlarm(match.alarm))


def act(match: Match, event: Acted) -> Step:
    """Accepts the action, rejects it, or ends the match because of it."""
    clock = match.clock
    if event.seat != clock.seat or event.ply != match.ply:
        return _out_of_turn(match, event)
    if clock.away:
        text = "You are not connected to this match: send hello with resume first."
        return match, (Reject(event.seat, "not_in_match", text, event.ply),)
    if not match.ready[event.seat]:
        text = "The match is waiting for you: send ready, then wait for a turn message."
        return match, (Reject(event.seat, "not_your_turn", text, event.ply),)
    deadline = clock.deadline
    if deadline is not None and event.arrived_at > deadline:
        return finish_late(match, event, event.arrived_at)
    if event.action not in match.legal:
        text = why_illegal(match.state, event.action, match.legal)
        error = Reject(event.seat, "illegal_action", text, event.ply, match.legal)
        outcome = Outcome(WIN[OPPONENT[event.seat]], "illegal", whys.played_illegal(match, event))
        return finish(match, event, outcome, (error,))
    return _accept(match, event)


def is_repeated(match: Match, event: Acted) -> bool:
    last = match.last
    return last is not None and (event.seat, event.ply, event.action) == (last.seat, last.ply, last.action)


def _out_of_turn(match: Match, event: Acted) -> Step:
    """Rejects an action for another ply or seat; the mover's clock is unaffected."""
    if is_repeated(match, event):
        return match, ()
    ply = match.ply
    if event.seat != match.clock.seat and event.ply >= ply:
        text = "It is your opponent's turn: wait for your turn message."
        return match, (Reject(event.seat, "not_your_turn", text, ply),)
    text = f"Ply {event.ply} is not the current one, which is {ply}: answer the latest turn message."
    return match, (Reject(event.seat, "stale_ply", text, ply),)


def _accept(match: Match, event: Acted) -> Step:
    seat = event.seat
    spent = match.clock
    move = Move(event.ply, seat, event.action, spent.charged(event.arrived_at), event.stamp, spent.gone, event.info)
    state = match.state.apply(event.action)
    ply = event.ply + 1
    mover = state.to_move
    attached = match.attached
    clock = spent.next_ply(mover)
    if not attached[mover]:
        # From the moment the turn could have been sent: the action's stamp may be earlier if the server stalled.
        clock = clock.leave(event.at)
    match = match._replace(state=state, legal=state.legal_actions(), moves=(*match.moves, move), clock=clock)
    outcome = judge(match.config, state, ply)
    if outcome is not None:
        sends = tuple(SendPlayed(to, move) for to in (seat, OPPONENT[seat]) if attached[to])
        return finish(match, event, outcome, (*sends, SendPlayed(None, move)))
    effects: list[Effect] = [Append(event), SetAlarm(match.alarm)]
    if attached[mover] and match.ready[mover]:
        effects.append(SendTurn(mover, ply, clock.budgets[mover], move))
    waiting = OPPONENT[mover]
    if attached[waiting]:
        effects.append(SendPlayed(waiting, move))
    effects.append(SendPlayed(None, move))
    return match, tuple(effects)


def why_illegal(state: State, action: int, legal: tuple[int, ...]) -> str:
    """The game's own explanation for an action that is not in `legal`."""
    try:
        state.apply(action)
    except IllegalAction as error:
        return str(error)
    return f"Action {action} is not legal; choose one of {', '.join(map(str, legal))}."
