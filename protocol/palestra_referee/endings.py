"""The ways a match can end."""

from __future__ import annotations

from palestra_games import State
from palestra_games.interface import DRAW, OPPONENT, WIN
from palestra_protocol.messages import EndReason
from palestra_referee import whys
from palestra_referee.effects import Append, AwaitDurable, Effect, SetAlarm, Step
from palestra_referee.events import Acted, Event, MatchConfig, Resigned, Voided
from palestra_referee.match import Match, Outcome


def judge(config: MatchConfig, state: State, ply: int) -> Outcome | None:
    """The outcome after `ply` actions, or None if the match is not over."""
    returns = state.returns()
    if returns is not None:
        return Outcome(returns, "rules", whys.by_rules(config, returns, ply))
    if ply >= config.ply_limit:
        return Outcome(DRAW, "ply_limit", whys.too_many_plies(config))
    return None


def finish(match: Match, event: Event, outcome: Outcome, sends: tuple[Effect, ...] = ()) -> Step:
    """The match is decided: cancels the alarm; the result is announced once it is durable."""
    over = match._replace(phase="finished", clock=match.clock.stop(), outcome=outcome)
    return over, (Append(event), SetAlarm(None), *sends, AwaitDurable())


def finish_late(match: Match, event: Event, at: int, sends: tuple[Effect, ...] = ()) -> Step:
    """The mover missed its deadline, seen at `at`."""
    reason: EndReason
    if match.clock.away:
        reason, why = "disconnect", whys.stayed_away(match)
    else:
        reason, why = "timeout", whys.out_of_time(match, at, answered=isinstance(event, Acted))
    return finish(match, event, Outcome(WIN[OPPONENT[match.clock.seat]], reason, why), sends)


def finish_not_ready(match: Match, event: Event) -> Step:
    """The ready deadline has passed: the seat that is ready wins; if neither is, nobody does."""
    returns = DRAW if not any(match.ready) else WIN[0 if match.ready[0] else 1]
    return finish(match, event, Outcome(returns, "not_ready", whys.not_ready(match)))


def give_up(match: Match, event: Resigned | Voided) -> Step:
    if isinstance(event, Voided):
        return finish(match, event, Outcome(DRAW, "void", event.why))
    return finish(match, event, Outcome(WIN[OPPONENT[event.seat]], "resign", whys.resigned(match, event)))
