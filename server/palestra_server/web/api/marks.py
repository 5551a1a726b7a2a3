"""The marks of a tournament as a file for Moodle, Canvas or people."""

from __future__ import annotations

import asyncio
import codecs
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import Base64Bytes, Field

from palestra_server.languages import LANGUAGES
from palestra_server.marks import MarksError, Sheet, fill_canvas, for_moodle, for_people, marked
from palestra_server.tables import Asked
from palestra_server.text import text_of
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Reader
from palestra_server.web.api.tournaments import table_bytes
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Body, Desk, Running, Seen

router = APIRouter(prefix=API + "/tournaments", tags=["tournaments"], route_class=CheckedRoute)


class MarksWanted(Body):
    """For whom the marks are; `into` is a file of that system in base64, `column` what the marks are called there."""

    system: Literal["moodle", "canvas", "people"]
    into: Base64Bytes | None = None
    language: Literal["en", "es"] = "en"
    column: str | None = Field(default=None, min_length=1, max_length=200)


@router.post("/{name}/marks")
async def marks(name: str, wanted: MarksWanted, server: Running, view: Seen, _: Reader) -> dict[str, Any]:
    """Everybody's mark as a file. Nothing is changed; `notes` say what to know before it is used."""
    table = await table_bytes(view, name, Asked("grades"))
    return await marks_of(name, (await view.tournament(name))["title"], table, wanted, server)


async def marks_of(name: str, title: str, grades: bytes, wanted: MarksWanted, server: Desk) -> dict[str, Any]:
    """`grades`: the table of that name, of a tournament or a season."""
    table = json.loads(grades)
    if not table["grades"]:
        raise ApiError(409, "no_grades", f"There are no rules under [grades] in the file of {name}, so no marks.")
    try:
        sheet = await asyncio.to_thread(_sheet, wanted, table, server, (title or name, name))
    except MarksError as error:
        raise ApiError(422, "marks", str(error), details=[error.note.parts]) from None
    return {"text": sheet.text, "filled": sheet.filled, "notes": [each.parts for each in sheet.notes]}


def _sheet(wanted: MarksWanted, table: dict[str, Any], server: Desk, titles: Sequence[str]) -> Sheet:
    language = LANGUAGES[wanted.language]
    found = marked(table, server.roster.get, server.page, language)
    columns = (wanted.column,) if wanted.column else titles
    into = None if wanted.into is None else text_of(wanted.into)
    if wanted.system == "moodle":
        return for_moodle(found, into, columns[0], table["maximum"], language)
    if wanted.system == "people":
        return for_people(found, language)
    if wanted.into is None or into is None:
        raise MarksError("needs_book")
    sheet = fill_canvas(found, into, columns, table["maximum"])
    return replace(sheet, text="\ufeff" + sheet.text) if wanted.into.startswith(codecs.BOM_UTF8) else sheet
