"""What the judge says of matches: read by whoever may see them, written by judges, which have the teacher's key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from palestra_protocol import limits
from palestra_protocol.analysis import Analysis
from palestra_server.web.access import CheckedRoute, Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Seen


class JudgesRoute(CheckedRoute):
    """What a judge says all day long is nobody's act."""

    keeps = False


router = APIRouter(tags=["analyses"], route_class=JudgesRoute)

GAMES_MAX = 64


class Wanted(BaseModel):
    """The games that a judge knows."""

    model_config = ConfigDict(extra="forbid")
    games: list[Annotated[str, Field(max_length=limits.ID_MAX)]] = Field(min_length=1, max_length=GAMES_MAX)


class Work(BaseModel):
    """The match to judge next; null if there is none now."""

    match: str | None


@router.get("/matches/{match_id}/analysis", response_model=Analysis)
async def analysis(view: Seen, match_id: str) -> Response:
    """The values of its positions, the classes of its moves, and where it was decided."""
    found = await (await view.match(match_id)).analysis()
    if found is None:
        raise ApiError(404, "not_judged", f"The match {match_id} was not judged yet.")
    return Response(found, media_type="application/json")


@router.put("/matches/{match_id}/analysis", status_code=204)
async def judged(_: Teacher, view: Seen, match_id: str, analysis: Analysis) -> None:
    """Stores it, in place of an earlier one."""
    seen = await view.match(match_id)
    entry = seen.entry
    if entry is None or entry["ended"] is None:
        raise ApiError(409, "not_over", f"The match {match_id} is not over yet.")
    if (analysis.match, analysis.game) != (match_id, entry["game"]):
        raise ApiError(422, "other_match", f"This is not an analysis of match {match_id}, a {entry['game']} match.")
    if any(move.ply >= entry["plies"] for move in analysis.moves):
        raise ApiError(422, "other_match", f"The match {match_id} has only {entry['plies']} plies.")
    await seen.judged(analysis)


@router.post("/judging")
async def next_to_judge(_: Teacher, view: Seen, wanted: Wanted) -> Work:
    """The newest match that was not judged yet; it is the caller's for two minutes."""
    return Work(match=await view.to_judge(wanted.games))
