"""Converts messages to what a bot sees."""

from __future__ import annotations

from palestra_client.match import LastMove, Match
from palestra_protocol import LastAction, MatchStart


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
