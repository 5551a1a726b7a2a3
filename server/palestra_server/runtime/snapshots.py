"""What somebody who begins to watch a match is shown first: a match in progress, or one from the journal."""

from __future__ import annotations

from typing import Any

from palestra_games import get_game
from palestra_referee import Match
from palestra_server.runtime.messages import milliseconds


def match_snapshot(match: Match, at: int | None) -> dict[str, Any]:
    """The whole match as plain values; `at` is the match's present time in ns, None when nothing runs any more."""
    game = get_game(match.config.game)
    running = at is not None and match.phase == "playing"
    outcome = match.outcome if match.announced else None
    return {
        "type": "snapshot",
        "match": match.config.match,
        "game": match.config.game,
        "players": list(match.config.players),
        "tournament": match.config.tournament,
        "state": match.state.to_wire(),
        "ply": match.ply,
        "actions": list(match.actions),
        "names": [game.action_name(action) for action in match.actions],
        "charged_ms": [None] * len(match.config.opening) + [milliseconds(m.charged_ns) for m in match.moves],
        "clock": {
            "seat": match.clock.seat,
            "remaining_ms": milliseconds(match.remaining_ns(match.clock.seat, at or 0)),
            "move_ms": match.config.move_ms,
        }
        if running
        else None,
        "result": None
        if outcome is None
        else {"returns": list(outcome.returns), "reason": outcome.reason, "detail": outcome.detail},
    }
