"""The frames of a match as both the server and the arena at home send them.

`turn` and `played` go out at every move: they are plain maps with the keys of `palestra_protocol.Turn` and `Played`, as
building and dumping models would cost a third of what a move costs (tests hold the two against each other).
"""

from __future__ import annotations

from typing import TypeAlias

from palestra_games import Game, Seat
from palestra_protocol import MatchEnd, MatchStart
from palestra_referee.effects import SendTurn
from palestra_referee.match import Match, Move, Outcome

Wire: TypeAlias = dict[str, object]


def milliseconds(ns: int) -> float:
    """Nanoseconds as the wire says them: milliseconds with three decimals."""
    return round(ns / 1e6, 3)


def start_message(match: Match, seat: Seat) -> MatchStart:
    """`match_start` for one seat."""
    config = match.config
    budgets = config.seat_ms
    return MatchStart(
        match=config.match,
        game=config.game,
        seat=seat,
        players=config.players,
        move_ms=config.move_ms if budgets is None else budgets[seat],
        grace_ms=config.grace_ms,
        ready_ms=config.ready_ms,
        opening=config.opening,
        away_ms=config.away_ms if config.away == "bank" else 0,
        tournament=config.tournament,
        rated=config.rated,
        seat_ms=budgets,
    )


def turn_message(match: Match, turn: SendTurn, state: Wire, last: Wire | None) -> Wire:
    """`turn`; `state` is the position of `match` as it travels, `last` the move that led to it (`move_fields`)."""
    return {
        "type": "turn",
        "match": match.config.match,
        "ply": turn.ply,
        "seat": turn.seat,
        "state": state,
        "legal": match.legal,
        "last": last,
        "remaining_ms": milliseconds(turn.remaining_ns),
    }


def played_message(match: Match, move: Wire, state: Wire) -> Wire:
    """`played` for an accepted action (`move_fields`); `state` is the position which it led to, as it travels."""
    return {"type": "played", "match": match.config.match, **move, "state": state}


def move_fields(move: Move, game: Game) -> Wire:
    """An accepted action as `turn` and `played` tell it."""
    return {
        "ply": move.ply,
        "seat": move.seat,
        "action": move.action,
        "name": game.action_name(move.action),
        "charged_ms": milliseconds(move.charged_ns),
    }


def end_message(match: Match, outcome: Outcome, receipt: str | None = None) -> MatchEnd:
    """`match_end`; without a receipt where there is no journal."""
    return MatchEnd(
        match=match.config.match,
        ply=match.ply,
        returns=outcome.returns,
        reason=outcome.reason,
        detail=outcome.detail,
        receipt=receipt,
    )
