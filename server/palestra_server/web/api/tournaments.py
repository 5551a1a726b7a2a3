"""Tournaments: creating, running and following them, and their tables."""

from __future__ import annotations

import asyncio
import codecs
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field

from palestra_server.helper import HelperFailed, HelperStopped
from palestra_server.languages import LANGUAGES
from palestra_server.marks import MarksError, Sheet, fill_canvas, for_moodle, for_people, marked
from palestra_server.runtime import Director, View
from palestra_server.runtime.director import STOPPING
from palestra_server.tables import media_type
from palestra_server.text import text_of
from palestra_server.web.access import Teacher
from palestra_server.web.addresses import page_address
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Desk, Running, Seen
from palestra_tournament import SpecError

router = APIRouter(prefix="/tournaments", tags=["tournaments"])

TOML_MAX = 100_000


class File(BaseModel):
    """A tournament file."""

    model_config = ConfigDict(extra="forbid")
    toml: str = Field(max_length=TOML_MAX)


class PlayerName(BaseModel):
    """A player in the tournament."""

    model_config = ConfigDict(extra="forbid")
    player: str = Field(max_length=64)


class MatchId(BaseModel):
    """A match of the tournament."""

    model_config = ConfigDict(extra="forbid")
    match: str = Field(max_length=64)


class MarksWanted(BaseModel):
    """For whom the marks are; `into` is a file of that system in base64, `column` what the marks are called there."""

    model_config = ConfigDict(extra="forbid")
    system: Literal["moodle", "canvas", "people"]
    into: Base64Bytes | None = None
    language: Literal["en", "es"] = "en"
    column: str | None = Field(default=None, min_length=1, max_length=200)


InLanguage = Literal["en", "es"] | None


def _refused(error: SpecError) -> ApiError:
    count = len(error.problems)
    message = f"The tournament file has {count} {'fault' if count == 1 else 'faults'}:"
    return ApiError(422, "bad_tournament", message, details=[problem.parts for problem in error.problems])


@router.get("")
async def tournaments(view: Seen) -> dict[str, Any]:
    """All tournaments, newest last; `troubles`, for the teacher, say what failed in the server itself."""
    return {"tournaments": view.tournaments(), "troubles": view.failed()}


@router.post("")
async def create(file: File, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Creates a tournament from a file. It begins at the start named there, or when it is started."""
    try:
        live = await server.director.create(file.toml)
    except SpecError as error:
        raise _refused(error) from None
    return await view.tournament(live.name)


@router.post("/check")
async def check(file: File, server: Running, _: Teacher) -> dict[str, Any]:
    """Checks a file without creating anything: who would take part, and remarks on what may be a mistake."""
    try:
        spec, remarks = await server.director.check(file.toml)
    except SpecError as error:
        raise _refused(error) from None
    entrants = server.director.invited(spec)
    return {
        "spec": spec.model_dump(mode="json"),
        "entrants": [entrant._asdict() for entrant in entrants],
        "remarks": [remark.parts for remark in remarks],
    }


@router.get("/{name}")
async def tournament(name: str, view: Seen) -> dict[str, Any]:
    """One tournament: its progress, what is being played, who is missing; `troubles` say what needs attention."""
    return await view.tournament(name)


@router.delete("/{name}")
async def delete(name: str, server: Running, _: Teacher) -> dict[str, Any]:
    """Deletes a tournament; its matches stay in the journal."""
    await server.director.delete(name)
    return {"deleted": name}


async def _told(server: Desk, view: View, name: str, act: Callable[[], object]) -> dict[str, Any]:
    """The tournament after `act`, which is done between two rounds, not while one is being drawn."""
    await server.director.drawn(name)
    act()
    await server.director.drawn(name)
    return await view.tournament(name)


def _verb(verb: str, act: Callable[[Director, str], object], about: str) -> None:
    """Adds a route for something that the teacher does to a whole tournament."""

    async def route(name: str, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
        return await _told(server, view, name, lambda: act(server.director, name))

    router.add_api_route(f"/{{name}}/{verb}", route, methods=["POST"], name=verb, description=about)


_verb("start", Director.start, "Starts it now.")
_verb("pause", Director.pause, "Starts no more matches; those in progress are played to the end.")
_verb("resume", Director.resume, "Ends the pause.")
_verb("finish", Director.finish, "Starts nothing more; the standings are final once the matches in progress are over.")
_verb("reveal", Director.reveal, "Lifts the embargo on the last results.")


@router.post("/{name}/withdraw")
async def withdraw(name: str, who: PlayerName, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Withdraws a player, who loses all matches not yet begun."""
    return await _told(server, view, name, lambda: server.director.withdraw(name, who.player))


@router.post("/{name}/reinstate")
async def reinstate(name: str, who: PlayerName, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Lets a withdrawn player back in."""
    return await _told(server, view, name, lambda: server.director.reinstate(name, who.player))


@router.post("/{name}/repeat")
async def repeat(name: str, match: MatchId, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Replays a match that can't continue because its records can't be read."""
    return await _told(server, view, name, lambda: server.director.repeat(name, match.match))


# Tables are made off the loop, down to the bytes that are sent: they take longer the more has been played, and players'
# frames come first.


def _table(table: str, about: str) -> None:
    """Adds a route for a table that everybody may see."""

    async def route(name: str, view: Seen) -> Response:
        return await _made(view, name, table)

    async def file(name: str, view: Seen, language: InLanguage = None) -> Response:
        return await _made(view, name, table, language)

    name, _, is_csv = table.partition(".")
    if is_csv:
        router.add_api_route(f"/{{name}}/{table}", file, name=name, description=about, response_class=PlainTextResponse)
    else:
        router.add_api_route(
            f"/{{name}}/{table}", route, name=f"show_{name}", description=about, response_model=dict[str, Any]
        )


_table("standings", "The current standings.")
_table("crosstable", "Who scored what against whom: [points, matches], null on the diagonal.")
_table("schedule", "All fixtures drawn so far, in order, and the byes.")
_table(
    "bracket",
    "The rounds of the bracket as far as they are known, each a list of meetings; none in formats without one.",
)
_table("groups", "The players of each group, best first; none in formats without groups.")
_table("readiness", "Who is ready for which game, judging by the matches of this tournament (usually a warm-up).")
for each in ("standings", "crosstable", "schedule"):
    _table(f"{each}.csv", "The same table as CSV for programs; with `language`, for people's spreadsheets.")


@router.get("/{name}/tournament.toml")
async def toml(name: str, view: Seen) -> PlainTextResponse:
    """The file that the tournament was created from."""
    return PlainTextResponse(await view.file(name), media_type="application/toml")


@router.get("/{name}/grades.csv", response_class=PlainTextResponse)
async def grades_file(name: str, view: Seen, _: Teacher, language: InLanguage = None) -> Response:
    """Everybody's grade by the rubric in the file, with an explanation."""
    return await _made(view, name, "grades.csv", language)


@router.get("/{name}/grades", response_model=dict[str, Any])
async def show_grades(name: str, view: Seen, _: Teacher) -> Response:
    """The same: the points by each rule, and what was counted for it."""
    return await _made(view, name, "grades")


@router.post("/{name}/marks")
async def marks(
    name: str, wanted: MarksWanted, request: Request, server: Running, view: Seen, _: Teacher
) -> dict[str, Any]:
    """Everybody's mark as a file for Moodle, Canvas or people. Nothing is changed; `notes` say what to know before."""
    table = json.loads(bytes((await _made(view, name, "grades")).body))
    if not table["grades"]:
        raise ApiError(409, "no_grades", f"There are no rules under [grades] in the file of {name}, so no marks.")
    title = (await view.tournament(name))["title"]
    page = page_address(server.settings, request.app.state.port or server.settings.web_port)
    try:
        sheet = await asyncio.to_thread(_sheet, wanted, table, server, page, (title or name, name))
    except MarksError as error:
        raise ApiError(422, "marks", str(error)) from None
    return {"text": sheet.text, "filled": sheet.filled, "notes": [each.parts for each in sheet.notes]}


def _sheet(wanted: MarksWanted, table: dict[str, Any], server: Desk, page: str, titles: Sequence[str]) -> Sheet:
    language = LANGUAGES[wanted.language]
    found = marked(table, server.roster.get, page, language)
    columns = (wanted.column,) if wanted.column else titles
    into = None if wanted.into is None else text_of(wanted.into)
    if wanted.system == "moodle":
        return for_moodle(found, into, columns[0], language)
    if wanted.system == "people":
        return for_people(found, language)
    if wanted.into is None or into is None:
        raise MarksError("Canvas' marks go into its own gradebook: export it there, and give that file (--into FILE).")
    sheet = fill_canvas(found, into, columns, table["maximum"])
    return replace(sheet, text="\ufeff" + sheet.text) if wanted.into.startswith(codecs.BOM_UTF8) else sheet


async def _made(view: View, name: str, table: str, language: InLanguage = None) -> Response:
    try:
        made = await view.table(name, table)
    except HelperStopped:
        raise ApiError(503, "stopping", STOPPING) from None
    except HelperFailed as error:
        raise ApiError(503, "try_later", f"The table could not be made. {error} Try again in a moment.") from None
    if language is not None:
        # All but the first title of a crosstable are names.
        titles = 1 if table == "crosstable.csv" else None
        made = (await asyncio.to_thread(LANGUAGES[language].table, made.decode(), titles)).encode()
    return Response(made, media_type=media_type(table))
