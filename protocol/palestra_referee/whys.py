"""Why a match ended, as a code and its values; RECORDS.md lists them, and `palestra_protocol.english` says them."""

from __future__ import annotations

from typing import Final

from palestra_protocol import limits
from palestra_referee.clock import MS
from palestra_referee.events import Acted, MatchConfig, Resigned, Why
from palestra_referee.match import Match

# How the bridge begins its report of an answer that isn't an action, for which it sends ACTION_MAX.
_ANSWERED: Final = "answered "


def by_rules(config: MatchConfig, returns: tuple[float, float], ply: int) -> Why:
    if returns[0] == returns[1]:
        return {"code": "drawn", "ply": ply}
    return {"code": "won", "winner": config.players[0 if returns[0] > returns[1] else 1], "ply": ply}


def too_many_plies(config: MatchConfig) -> Why:
    return {"code": "ply_limit", "ply_limit": config.ply_limit}


def out_of_time(match: Match, at: int, *, answered: bool) -> Why:
    """The mover answered too late, or hasn't answered by `at`."""
    clock = match.clock
    player = match.config.players[clock.seat]
    had = {"ply": match.ply, "move_ms": _milliseconds(clock.budget), "grace_ms": _milliseconds(clock.grace)}
    if answered:
        return {"code": "late", "player": player, "took_ms": _milliseconds(clock.charged(at)), **had}
    return {"code": "silent", "player": player, **had}


def stayed_away(match: Match) -> Why:
    """The mover lost its connection and was not back within what it had left."""
    clock = match.clock
    left = max(clock.banks[clock.seat], clock.left)
    player = match.config.players[clock.seat]
    return {"code": "stayed_away", "player": player, "ply": match.ply, "left_ms": _milliseconds(left)}


def not_ready(match: Match) -> Why:
    """At least one seat did not send `ready` in time."""
    late = [name for name, ready in zip(match.config.players, match.ready, strict=True) if not ready]
    if len(late) == 2:
        return {"code": "neither_ready", "player": late[0], "other": late[1], "ready_ms": match.config.ready_ms}
    return {"code": "not_ready", "player": late[0], "ready_ms": match.config.ready_ms}


def resigned(match: Match, event: Resigned) -> Why:
    code = "crashed" if event.crashed else "resigned"
    return {"code": code, "player": match.config.players[event.seat], "ply": match.ply}


def played_illegal(match: Match, event: Acted) -> Why:
    """A seat answered with an illegal action. If a program wrote something else altogether, it is quoted."""
    who: Why = {"player": match.config.players[event.seat], "ply": match.ply}
    text = str((event.info or {}).get("text"))
    if event.action == limits.ACTION_MAX and text.startswith(_ANSWERED):
        return {"code": "no_action", **who, "answer": text.removeprefix(_ANSWERED)}
    return {"code": "illegal", **who, "action": event.action}


def _milliseconds(ns: int) -> int:
    """Rounded up, so that being late never looks like being in time."""
    return -(-ns // MS)
