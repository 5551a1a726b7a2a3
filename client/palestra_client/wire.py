"""Converts messages to what a bot sees, and back (for crash files)."""

from __future__ import annotations

from palestra_client.match import LastMove, Match
from palestra_client.turn import Turn
from palestra_protocol import LastAction, MatchStart
from palestra_protocol import Turn as TurnMessage


def match_from(message: MatchStart) -> Match:
    """The match as its bot sees it, in seconds."""
    return Match(
        id=message.match,
        game=message.game,
        seat=message.seat,
        players=message.players,
        move_s=(message.move_ms if message.seat_ms is None else message.seat_ms[message.seat]) / 1000,
        grace_s=message.grace_ms / 1000,
        ready_s=message.ready_ms / 1000,
        away_s=message.away_ms / 1000,
        opening=message.opening,
        tournament=message.tournament,
        rated=message.rated,
    )


def last_from(last: LastAction | None) -> LastMove | None:
    if last is None:
        return None
    return LastMove(last.ply, last.seat, last.action, last.name, last.charged_ms / 1000)


def match_message(match: Match) -> MatchStart:
    """The `match_start` that `match` was made from."""
    return MatchStart(
        match=match.id,
        game=match.game,
        seat=match.seat,
        players=match.players,
        move_ms=_ms(match.move_s),
        grace_ms=_ms(match.grace_s),
        ready_ms=_ms(match.ready_s),
        away_ms=_ms(match.away_s),
        opening=match.opening,
        tournament=match.tournament,
        rated=match.rated,
    )


def turn_message(turn: Turn) -> TurnMessage:
    """The `turn` that this turn was made from, with the full time for a move."""
    last = turn.last
    return TurnMessage(
        match=turn.match.id,
        ply=turn.ply,
        seat=turn.seat,
        state=turn.state.to_wire(),
        legal=turn.legal,
        last=None
        if last is None
        else LastAction(
            ply=last.ply, seat=last.seat, action=last.action, name=last.name, charged_ms=last.charged_s * 1000
        ),
        remaining_ms=turn.match.move_s * 1000,
    )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
