"""Seasons: tournaments that count together."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse

from palestra_server.runtime import View
from palestra_server.tables import media_type
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Reader, Teacher
from palestra_server.web.api.marks import MarksWanted, marks_of
from palestra_server.web.api.tournaments import File, InLanguage
from palestra_server.web.state import Running, Seen
from palestra_tournament import warm_up_of
from palestra_tournament.season import TOURNAMENTS_MAX, example_season

router = APIRouter(prefix=API + "/seasons", tags=["seasons"], route_class=CheckedRoute)


@router.get("")
async def seasons(view: Seen) -> dict[str, Any]:
    """All seasons, newest last, each with its tournaments; and a commented example of a file, of all tournaments."""
    names = [each["name"] for each in view.tournaments()]
    warm_ups = {warm_up_of(name) for name in names}
    listed = [name for name in names if name not in warm_ups][-TOURNAMENTS_MAX:]
    return {"seasons": view.seasons(), "example": example_season(tournaments=listed)}


@router.post("")
async def create(file: File, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Creates a season from a file, with remarks on what may be a mistake. Its tournaments may be created later."""
    season, remarks = await server.seasons.create(file.toml)
    return {**view.season(season.name), "remarks": [remark.parts for remark in remarks]}


@router.post("/check")
async def check(file: File, server: Running, _: Reader) -> dict[str, Any]:
    """Checks a file without creating anything, with remarks on what may be a mistake."""
    season, remarks = await server.seasons.check(file.toml)
    return {"season": season.model_dump(mode="json"), "remarks": [remark.parts for remark in remarks]}


@router.get("/{name}")
async def season(name: str, view: Seen) -> dict[str, Any]:
    """One season: its tournaments and their states."""
    return view.season(name)


@router.delete("/{name}")
async def delete(name: str, server: Running, _: Teacher) -> dict[str, Any]:
    """Deletes a season; its tournaments stay."""
    await server.seasons.delete(name)
    return {"deleted": name}


async def _table(view: View, name: str, table: str, language: InLanguage = None) -> Response:
    return Response(await view.season_table(name, table, language), media_type=media_type(table))


@router.get("/{name}/standings", response_model=dict[str, Any])
async def standings(name: str, view: Seen) -> Response:
    """The standings: each student's score in each tournament, which of them count, the total, and the rating from all
    matches of the season.
    """
    return await _table(view, name, "standings")


@router.get("/{name}/standings.csv", response_class=PlainTextResponse)
async def standings_file(name: str, view: Seen, language: InLanguage = None) -> Response:
    """The same table as CSV for programs; with `language`, for people's spreadsheets."""
    return await _table(view, name, "standings.csv", language)


@router.get("/{name}/grades", response_model=dict[str, Any])
async def grades(name: str, view: Seen, _: Reader) -> Response:
    """Everybody's grade by the season's rubric: the points by each rule, and what was counted for it."""
    return await _table(view, name, "grades")


@router.get("/{name}/grades.csv", response_class=PlainTextResponse)
async def grades_file(name: str, view: Seen, _: Reader, language: InLanguage = None) -> Response:
    """The same as CSV."""
    return await _table(view, name, "grades.csv", language)


@router.get("/{name}/season.toml")
async def toml(name: str, server: Running) -> PlainTextResponse:
    """The file that the season was created from."""
    return PlainTextResponse(server.seasons.file(name), media_type="application/toml")


@router.post("/{name}/marks")
async def marks(name: str, wanted: MarksWanted, server: Running, view: Seen, _: Reader) -> dict[str, Any]:
    """Everybody's mark as a file. Nothing is changed; `notes` say what to know before it is used."""
    table = await view.season_table(name, "grades")
    return await marks_of(name, view.season(name)["title"], table, wanted, server)
