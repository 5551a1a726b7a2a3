"""The results of players' own checks (`palestra doctor`), which show the teacher who is ready."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from palestra_games import UnknownGame, get_game
from palestra_server.store import wall_clock_ms
from palestra_server.web import API
from palestra_server.web.access import Who
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Body, Running

router = APIRouter(prefix=API, tags=["readiness"])

GAMES_MAX = 64


class Check(Body):
    """The result of a check: which games it covered, and whether the bot passed."""

    games: list[str] = Field(min_length=1, max_length=GAMES_MAX)
    passed: bool


class Ready(BaseModel):
    """Whether a player's bot passed its check, by game."""

    player: str
    ready: dict[str, bool]


@router.post("/readiness")
async def register(who: Who, server: Running, check: Check) -> Ready:
    """Stores the result, replacing earlier ones for the same games. For the player only, with its own token."""
    if who.player is None:
        status, code = (403, "forbidden") if who.role == "teacher" else (401, "no_key")
        raise ApiError(status, code, "A bot's check is registered by its player: send the player's own token.")
    for game in check.games:
        try:
            get_game(game)
        except UnknownGame as error:
            raise ApiError(422, "unknown_game", str(error)) from None
    for game in check.games:
        server.readiness.put(who.player, game, check.passed, wall_clock_ms())
    return Ready(player=who.player, ready=dict.fromkeys(check.games, check.passed))
