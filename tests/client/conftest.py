"""Frames of a server, written as plain maps, for the tests of the client."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from palestra_games import get_game
from palestra_protocol.codecs import MSGPACK

START = get_game("connect4").initial_state()


def frame(**fields: Any) -> bytes:
    return MSGPACK.encode(fields)


def welcome(session: str = "S1", matches: tuple[str, ...] = (), **more: Any) -> bytes:
    limits = {"frame_bytes": 4096, "ping_s": 5.0, "hello_s": 5.0}
    fields = {"session": session, "player": "ana", "server": "test", "limits": limits, "matches": list(matches)}
    fields["server_id"] = "8f2c61d07be394a5"
    return frame(type="welcome", **{**fields, **more})


def match_start(match: str = "M1", **more: Any) -> bytes:
    fields: dict[str, Any] = {
        "match": match,
        "game": "connect4",
        "seat": 0,
        "players": ["ana", "bob"],
        "move_ms": 2000,
        "grace_ms": 100,
        "ready_ms": 30000,
        "opening": [],
        "away_ms": 10000,
        "tournament": None,
        "at": None,
    }
    return frame(type="match_start", **{**fields, **more})


def turn(match: str = "M1", actions: tuple[int, ...] = (), remaining_ms: float = 2000.0, **more: Any) -> bytes:
    """The turn that connect4 is at after `actions`."""
    state = START
    last = None
    for ply, action in enumerate(actions):
        last = {"ply": ply, "seat": state.to_move, "action": action, "name": f"PUT {action + 1}", "charged_ms": 12.5}
        state = state.apply(action)
    fields: dict[str, Any] = {
        "match": match,
        "ply": len(actions),
        "seat": state.to_move,
        "state": state.to_wire(),
        "legal": list(state.legal_actions()),
        "last": last,
        "remaining_ms": remaining_ms,
    }
    return frame(type="turn", **{**fields, **more})


def played(match: str = "M1", actions: tuple[int, ...] = (0,), charged_ms: float = 7.0) -> bytes:
    state = START
    for action in actions:
        seat = state.to_move
        state = state.apply(action)
    return frame(
        type="played",
        match=match,
        ply=len(actions) - 1,
        seat=seat,
        action=actions[-1],
        name=f"PUT {actions[-1] + 1}",
        charged_ms=charged_ms,
        state=state.to_wire(),
    )


def match_end(
    match: str = "M1", returns: tuple[float, float] = (1.0, -1.0), reason: str = "rules", **more: Any
) -> bytes:
    fields = {"match": match, "ply": 1, "returns": list(returns), "reason": reason, "detail": "It is over."}
    return frame(type="match_end", **{**fields, **more})


def error(code: str, message: str = "A sentence.", **more: Any) -> bytes:
    return frame(type="error", code=code, message=message, **more)


@pytest.fixture(scope="session")
def server_says() -> SimpleNamespace:
    """What a server can say, as functions that give frames."""
    return SimpleNamespace(
        frame=frame,
        welcome=welcome,
        match_start=match_start,
        turn=turn,
        played=played,
        match_end=match_end,
        error=error,
    )
