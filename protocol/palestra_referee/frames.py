"""The messages of a match, as sent by both the server and the local arena.

`turn` and `played` are sent at every move, so they are plain maps with the keys of `messages.Turn` and `Played`:
building and dumping models would add a third to the cost of a move. Tests check that the two agree.
"""

from __future__ import annotations

from typing import TypeAlias

from palestra_games import Game, Seat
from palestra_protocol.messages import MatchEnd, MatchStart
from palestra_referee.effects import SendTurn
from palestra_referee.match import Match, Move, Outcome

Wire: TypeAlias = dict[str, object]


def milliseconds(ns: int) -> float:
    """Nanoseconds as sent on the wire: milliseconds with three decimals."""
    return round(ns / 1e6, 3)


def start_message(match: Match, seat: Seat) -> MatchStart:
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
    """`turn`; `state` is the position of `match` in wire form, `last` the move that led to it (see `move_fields`)."""
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
    """`played` for an accepted action (see `move_fields`); `state` is the resulting position in wire form."""
    return {"type": "played", "match": match.config.match, **move, "state": state}


def move_fields(move: Move, game: Game) -> Wire:
    """The fields of an accepted action that `turn` and `played` share."""
    return {
        "ply": move.ply,
        "seat": move.seat,
        "action": move.action,
        "name": game.action_name(move.action),
        "charged_ms": milliseconds(move.charged_ns),
    }


def end_message(match: Match, outcome: Outcome, receipt: str | None = None) -> MatchEnd:
    """`match_end`; without a journal there is no receipt."""
    return MatchEnd(
        match=match.config.match,
        ply=match.ply,
        returns=outcome.returns,
        reason=outcome.reason,
        detail=outcome.detail,
        receipt=receipt,
    )
