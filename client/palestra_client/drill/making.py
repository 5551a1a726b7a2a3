"""Positions from a server's matches: where the judge says that they were lost, if what keeps the value is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from palestra_client.arena import replaying
from palestra_client.drill.positions import Position
from palestra_client.judges import installed_judge
from palestra_client.page import NoAnswer, ask
from palestra_protocol import limits
from palestra_protocol.analysis import ANALYSIS, Analysis

MATCHES_MAX: Final = 500  # the newest ones that are looked at
POSITIONS_MAX: Final = 100
PAGE: Final = 50


@dataclass(slots=True)
class Looked:
    """How many lost matches were looked at, and how many of them nobody has judged."""

    lost: int = 0
    unjudged: int = 0


def lost_positions(page: str, player: str | None, token: str | None, looked: Looked) -> Iterator[Position]:
    """Where `player` lost its matches, newest first; if None: everybody, without saying who. Raises NoAnswer."""
    seen = set()
    for told in _decided(page, player, token):
        loser = 0 if told["returns"][0] < told["returns"][1] else 1
        if player is not None and told["players"][loser] != player:
            continue
        looked.lost += 1
        address = replaying.match_address(page, told["match"])
        whole = ask(address, token)
        analysis = _analysis(address, whole, token)
        if analysis is None:
            looked.unjudged += 1
            continue
        position = _position(whole, analysis, own=player is not None)
        if position is not None and (key := (position.game, position.actions)) not in seen:
            seen.add(key)
            yield position


def _decided(page: str, player: str | None, token: str | None) -> Iterator[Mapping[str, Any]]:
    asked: dict[str, object] = {"limit": PAGE} | ({} if player is None else {"player": player})
    for _ in range(MATCHES_MAX // PAGE):
        answer = ask(f"{page}/api/v1/matches?{urlencode(asked)}", token)
        for told in answer["matches"]:
            if told["returns"] is not None and told["returns"][0] != told["returns"][1]:
                yield told
        if answer["next"] is None:
            return
        asked["before"] = answer["next"]


def _analysis(address: str, told: Mapping[str, Any], token: str | None) -> Analysis | None:
    """The server's, else that of the judge installed here."""
    try:
        return ANALYSIS.validate_python(ask(f"{address}/analysis", token))
    except NoAnswer as error:
        if error.status != 404:
            raise
    judge = installed_judge()
    try:
        return None if judge is None else judge(told)
    except ValueError:  # a game that it doesn't know
        return None


def _position(told: Mapping[str, Any], analysis: Analysis, *, own: bool) -> Position | None:
    decisive = analysis.decisive
    if decisive is None or not decisive.keeps:
        return None
    before = next(move for move in analysis.moves if move.ply == decisive.ply)
    played = replaying.from_map(told)
    return Position(
        game=played.game,
        actions=played.actions[: decisive.ply],
        keeps=decisive.keeps,
        value="better" if before.estimate is not None else "won" if before.value > 0 else "drawn",
        move_ms=told.get("seat_ms", (limits.MOVE_MS,) * 2)[decisive.seat],
        match=played.id if own else None,
        played=decisive.action if own else None,
    )
