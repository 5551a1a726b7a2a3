"""The first thing a new watcher of a match is sent: a snapshot of a match in progress, or of one from the journal."""

from __future__ import annotations

from typing import Any

from palestra_games import BoardView, get_game
from palestra_referee import MS, Match
from palestra_referee.frames import Wire, milliseconds


def board_views(match: Match) -> list[Wire]:
    """The board before the first action and after each one, including the opening."""
    game = get_game(match.config.game)
    state = game.initial_state()
    views: list[BoardView] = [game.view(state)]
    for action in match.actions:
        state = state.apply(action)
        views.append(game.view(state))
    return [view.to_wire() for view in views]


def match_snapshot(match: Match, at: int | None) -> dict[str, Any]:
    """The whole match as plain values; `at` is the match's time now in ns, None when it is over."""
    config, moves = match.config, match.moves
    game = get_game(config.game)
    outcome = match.outcome if match.announced else None
    of_opening = [None] * len(config.opening)
    views = board_views(match)
    return {
        "type": "snapshot",
        "match": config.match,
        "game": config.game,
        "players": list(config.players),
        "tournament": config.tournament,
        "rated": config.rated,
        "opening": list(config.opening),
        "state": match.state.to_wire(),
        "ply": match.ply,
        "actions": list(match.actions),
        "names": [game.action_name(action) for action in match.actions],
        "charged_ms": [*of_opening, *(milliseconds(move.charged_ns) for move in moves)],
        "away_ms": [*of_opening, *(milliseconds(move.away_ns) for move in moves)],
        "infos": [*of_opening, *(move.info for move in moves)],
        "view": views[-1],
        "views": views,
        "clock": None if at is None or match.phase != "playing" else _running(match, at),
        "clocks": [
            {
                "move_ms": match.clock.budgets[each] // MS,
                "charged_ms": milliseconds(match.charged_ns[each]),
                "away_ms": milliseconds(sum(move.away_ns for move in moves if move.seat == each)),
                "bank_ms": match.clock.banks[each] // MS,
            }
            for each in (0, 1)
        ],
        "result": None
        if outcome is None
        else {
            "returns": list(outcome.returns),
            "reason": outcome.reason,
            "detail": outcome.detail,
            "why": outcome.why,
        },
    }


def _running(match: Match, at: int) -> Wire:
    """The clock of the player who is to move."""
    seat = match.clock.seat
    remaining = milliseconds(match.remaining_ns(seat, at))
    return {"seat": seat, "remaining_ms": remaining, "move_ms": match.clock.budgets[seat] // MS}
