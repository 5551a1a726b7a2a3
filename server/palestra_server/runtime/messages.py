"""What the referee's effects look like on the wire."""

from __future__ import annotations

from palestra_games import Seat, get_game
from palestra_protocol import LastAction, MatchEnd, MatchStart, Played, Turn
from palestra_server.referee import Match, Move, Outcome, SendTurn


def milliseconds(ns: int) -> float:
    """Nanoseconds as the wire says them: milliseconds with three decimals."""
    return round(ns / 1e6, 3)


def start_message(match: Match, seat: Seat) -> MatchStart:
    """`match_start` for one seat."""
    config = match.config
    return MatchStart(
        match=config.match,
        game=config.game,
        seat=seat,
        players=config.players,
        move_ms=config.move_ms,
        grace_ms=config.grace_ms,
        ready_ms=config.ready_ms,
        opening=config.opening,
        away_ms=config.away_ms,
        tournament=config.tournament,
    )


def turn_message(match: Match, turn: SendTurn) -> Turn:
    """`turn`, with the position of `match`."""
    last = turn.last
    return Turn(
        match=match.config.match,
        ply=turn.ply,
        seat=turn.seat,
        state=match.state.to_wire(),
        legal=match.legal,
        last=None
        if last is None
        else LastAction(
            ply=last.ply,
            seat=last.seat,
            action=last.action,
            name=get_game(match.config.game).action_name(last.action),
            charged_ms=milliseconds(last.charged_ns),
        ),
        remaining_ms=milliseconds(turn.remaining_ns),
    )


def played_message(match: Match, move: Move) -> Played:
    """`played` for an accepted action, with the position of `match`, which it led to."""
    return Played(
        match=match.config.match,
        ply=move.ply,
        seat=move.seat,
        action=move.action,
        name=get_game(match.config.game).action_name(move.action),
        charged_ms=milliseconds(move.charged_ns),
        state=match.state.to_wire(),
    )


def end_message(match: Match, outcome: Outcome) -> MatchEnd:
    """`match_end`."""
    return MatchEnd(
        match=match.config.match,
        ply=match.ply,
        returns=outcome.returns,
        reason=outcome.reason,
        detail=outcome.detail,
    )
