"""The ways a match can end."""

from __future__ import annotations

from palestra_games import State
from palestra_games.interface import DRAW, OPPONENT, WIN
from palestra_protocol import EndReason
from palestra_referee import sentences
from palestra_referee.effects import Append, AwaitDurable, Effect, SetAlarm, Step
from palestra_referee.events import Acted, Event, MatchConfig, Resigned, Voided
from palestra_referee.match import Match, Outcome, Why


def judge(config: MatchConfig, state: State, ply: int) -> Outcome | None:
    """The outcome after `ply` actions, or None if the match is not over."""
    returns = state.returns()
    if returns is not None:
        return told(returns, "rules", sentences.by_rules(config, returns, ply))
    if ply >= config.ply_limit:
        return told(DRAW, "ply_limit", sentences.too_many_plies(config))
    return None


def told(returns: tuple[float, float], reason: EndReason, why: Why) -> Outcome:
    return Outcome(returns, reason, sentences.sentence(why), why)


def finish(match: Match, event: Event, outcome: Outcome, sends: tuple[Effect, ...] = ()) -> Step:
    """The match is decided: cancels the alarm; the result is announced once it is durable."""
    over = match._replace(phase="finished", clock=match.clock.stop(), outcome=outcome)
    return over, (Append(event), SetAlarm(None), *sends, AwaitDurable())


def finish_late(match: Match, event: Event, at: int, sends: tuple[Effect, ...] = ()) -> Step:
    """The mover missed its deadline, seen at `at`."""
    reason: EndReason
    if match.clock.away:
        reason, why = "disconnect", sentences.stayed_away(match)
    else:
        reason, why = "timeout", sentences.out_of_time(match, at, answered=isinstance(event, Acted))
    return finish(match, event, told(WIN[OPPONENT[match.clock.seat]], reason, why), sends)


def finish_not_ready(match: Match, event: Event) -> Step:
    """The ready deadline has passed: the seat that is ready wins; if neither is, nobody does."""
    returns = DRAW if not any(match.ready) else WIN[0 if match.ready[0] else 1]
    return finish(match, event, told(returns, "not_ready", sentences.not_ready(match)))


def give_up(match: Match, event: Resigned | Voided) -> Step:
    if isinstance(event, Voided):
        return finish(
            match, event, Outcome(DRAW, "void", event.detail, sentences.parts(event.detail, match.config.players))
        )
    return finish(match, event, told(WIN[OPPONENT[event.seat]], "resign", sentences.resigned(match, event.seat)))
