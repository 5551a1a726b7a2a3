"""What the judge says of matches: read by whoever may see them, written by judges, which have the teacher's key."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from palestra_protocol import limits
from palestra_protocol.analysis import Analysis, LiveValue
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Body, Seen


class JudgesRoute(CheckedRoute):
    """What a judge says all day long is nobody's act."""

    keeps = False


router = APIRouter(prefix=API, tags=["analyses"], route_class=JudgesRoute)

GAMES_MAX = 64
RETRY_S = 2


class Wanted(Body):
    """The games that a judge knows."""

    games: list[Annotated[str, Field(max_length=limits.ID_MAX)]] = Field(min_length=1, max_length=GAMES_MAX)


@router.get("/matches/{match_id}/analysis", response_model=Analysis)
async def analysis(view: Seen, match_id: str) -> Response:
    """The values of its positions, the classes of its moves, and where it was decided.

    While there is none yet and a judge is at work: 404 with `Retry-After`.
    """
    match = await view.match(match_id)
    found = await match.analysis()
    if found is None:
        later = {"Retry-After": str(RETRY_S)} if match.analysis_expected else None
        raise ApiError(404, "not_judged", f"The match {match_id} was not judged yet.", headers=later)
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
async def next_to_judge(_: Teacher, view: Seen, wanted: Wanted) -> dict[str, Any]:
    """A position (`match`, `game`, `actions`) of the match that is judged `live` for the big screen; while there is
    one, ask again `soon`. Else the newest `match` that was not judged yet, which is the caller's for two minutes.
    """
    soon, live = view.to_judge_live(wanted.games)
    return {"live": live, "match": None if soon else await view.to_judge(wanted.games), "soon": soon}


@router.put("/matches/{match_id}/value", status_code=204)
async def judged_live(_: Teacher, view: Seen, match_id: str, value: LiveValue) -> None:
    """What a position of a match in play is worth. The big screen shows it once it has been played on."""
    view.judged_live(match_id, value)
