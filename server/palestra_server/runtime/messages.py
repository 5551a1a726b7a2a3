"""What the referee's effects look like on the wire."""

from __future__ import annotations

from typing import TypeAlias

from palestra_games import Game, Seat
from palestra_protocol import MatchEnd, MatchStart
from palestra_referee import Match, Move, Outcome, SendTurn

Wire: TypeAlias = dict[str, object]


NOT_SAVING = "The server cannot save results right now: matches go on, no new one begins, and results are told later."
"""While the database is away."""
EMBARGOED = "This match is of a round that stays hidden until the teacher reveals it: come back then."


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


# `turn` and `played` go out at every move. They are plain maps with the keys of `palestra_protocol.Turn` and `Played`:
# building and dumping the models would cost a third of what a move costs (tests hold the two against each other).


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


def watched_message(match: Match, move: Wire, state: Wire, view: Wire) -> Wire:
    """`played` for those who watch: also how the board is drawn, and what the mover said and how long it was away."""
    last = match.moves[-1]
    more = {"away_ms": milliseconds(last.away_ns), "info": last.info, "view": view}
    return {**played_message(match, move, state), **more}


def move_fields(move: Move, game: Game) -> Wire:
    """An accepted action as `turn` and `played` tell it."""
    return {
        "ply": move.ply,
        "seat": move.seat,
        "action": move.action,
        "name": game.action_name(move.action),
        "charged_ms": milliseconds(move.charged_ns),
    }


def end_message(match: Match, outcome: Outcome, receipt: str) -> MatchEnd:
    """`match_end`."""
    return MatchEnd(
        match=match.config.match,
        ply=match.ply,
        returns=outcome.returns,
        reason=outcome.reason,
        detail=outcome.detail,
        receipt=receipt,
    )
