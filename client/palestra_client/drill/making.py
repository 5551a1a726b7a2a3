"""Positions from a server's matches: where the judge says that they were lost, if what keeps the value is known."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from palestra_client.arena import replaying
from palestra_client.arena.diagnosed import analysis_of
from palestra_client.drill.positions import Position
from palestra_client.judges import NotJudged
from palestra_client.page import ask, match_address
from palestra_protocol import limits
from palestra_protocol.analysis import Analysis, Diagnosis

MATCHES_MAX: Final = 500  # the newest ones that are looked at
POSITIONS_MAX: Final = 100
PAGE: Final = 50
WAIT_S: Final = 30.0  # in all, for a judge that is at work on the server


@dataclass(slots=True)
class Looked:
    """How many lost matches were looked at, how many of them nobody has judged, and what to do about it."""

    lost: int = 0
    unjudged: int = 0
    advice: str = ""


def lost_positions(
    page: str, player: str | None, token: str | None, looked: Looked, game: str | None = None
) -> Iterator[Position]:
    """Where `player` lost its matches, newest first; if None: everybody, without saying who. Raises NoAnswer."""
    seen, until = set(), time.monotonic() + WAIT_S
    for told in _decided(page, player, token, game):
        loser = 0 if told["returns"][0] < told["returns"][1] else 1
        if player is not None and told["players"][loser] != player:
            continue
        looked.lost += 1
        whole = ask(match_address(page, told["match"]), token)
        try:
            analysis = analysis_of(page, whole, token, until)
        except (NotJudged, ValueError) as error:  # ValueError: a game that the judge here doesn't know
            looked.unjudged += 1
            looked.advice = str(error)
            continue
        for position in positions_of(whole, analysis, loser, own=player is not None):
            if (key := (position.game, position.actions, position.value)) not in seen:
                seen.add(key)
                yield position


def _decided(page: str, player: str | None, token: str | None, game: str | None) -> Iterator[Mapping[str, Any]]:
    asked: dict[str, object] = {"limit": PAGE}
    asked |= {name: value for name, value in (("player", player), ("game", game)) if value is not None}
    for _ in range(MATCHES_MAX // PAGE):
        answer = ask(f"{page}/api/v1/matches?{urlencode(asked)}", token)
        for told in answer["matches"]:
            if told["returns"] is not None and told["returns"][0] != told["returns"][1]:
                yield told
        if answer["next"] is None:
            return
        asked["before"] = answer["next"]


def positions_of(told: Mapping[str, Any], analysis: Analysis, loser: int, *, own: bool) -> Iterator[Position]:
    """Where a fault of the program shows in what it said or played, for its owner; and what decided the match."""
    played = replaying.from_map(told)
    move_ms = told.get("seat_ms", (limits.MOVE_MS,) * 2)[loser]
    mine = [found for found in analysis.diagnoses if found.seat == loser]
    flaw = next((found for found in mine if {"told", "sound"} <= found.values.keys()), None)
    if own and flaw is not None:
        yield Position(
            game=played.game,
            actions=played.actions[: flaw.ply],
            keeps=(),
            value="searched",
            move_ms=move_ms,
            match=played.id,
            depth=round(flaw.values["depth"]),
            told=flaw.values["told"],
            sound=flaw.values["sound"],
            cause=flaw.code,
        )
    decisive = analysis.decisive
    for found in mine:
        here = decisive is not None and decisive.ply == found.ply and decisive.keeps
        if own and found.code == "search" and not here:
            action, legal = played.actions[found.ply], played.states()[found.ply].legal_actions()
            yield Position(
                game=played.game,
                actions=played.actions[: found.ply],
                keeps=tuple(each for each in legal if each != action),
                value="other",
                move_ms=move_ms,
                match=played.id,
                played=action,
                depth=_needed(found),
                cause=found.code,
            )
    if decisive is None or not decisive.keeps:
        return
    before = next(move for move in analysis.moves if move.ply == decisive.ply)
    depths = (_needed(found) for found in mine if found.ply == decisive.ply)
    yield Position(
        game=played.game,
        actions=played.actions[: decisive.ply],
        keeps=decisive.keeps,
        value="better" if before.estimate is not None else "won" if before.value > 0 else "drawn",
        move_ms=move_ms,
        match=played.id if own else None,
        played=decisive.action if own else None,
        depth=next((depth for depth in depths if depth is not None), None),
        cause=next((found.code for found in mine if found.ply == decisive.ply), None) if own else None,
    )


def _needed(found: Diagnosis) -> int | None:
    """The depth at which a search sees what is wrong with the move, as far as the judge knows; by the bot's own
    evaluation, if it knows that.
    """
    if found.code == "evaluation":
        return None  # seen by another evaluation: that of the bot may need more
    if "beyond" in found.values:
        return round(found.values["beyond"]) + 1
    return round(found.values["needed"]) if "needed" in found.values else None
