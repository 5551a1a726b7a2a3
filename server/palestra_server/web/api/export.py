"""The whole competition as one file for the teacher, as written by `palestra-server export`."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.background import BackgroundTask

from palestra_referee.layout import TOURNAMENT_NAME
from palestra_referee.verification import INCOMPLETE
from palestra_server.helper import niced
from palestra_server.settings import Settings
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Reader
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Running

router = APIRouter(prefix=API, tags=["export"], route_class=CheckedRoute)


@router.get("/export.zip", response_class=FileResponse)
async def export(
    who: Reader,
    server: Running,
    tournament: Annotated[list[Annotated[str, Field(pattern=TOURNAMENT_NAME)]] | None, Query()] = None,
) -> FileResponse:
    """Everything, or only some tournaments; hidden rounds if they are asked for.

    A separate process writes it, since a whole term takes seconds and players come first; one after the other.
    """
    folder = tempfile.mkdtemp(prefix="palestra-export-")  # for us alone, unlike the file that the command makes
    file = os.path.join(folder, "palestra.zip")
    try:
        async with server.exporting:  # or ten clicks would take the machine from the players
            said = await _written(
                server.settings, file, *(("--with-hidden",) if who.sees_hidden else ()), *(tournament or ())
            )
        if said is not None:
            raise ApiError(422, "export", said or "The export could not be written.")
    except BaseException:
        shutil.rmtree(folder)
        raise
    shown = f"palestra-{tournament[0]}.zip" if tournament and len(tournament) == 1 else "palestra.zip"
    return FileResponse(
        file, filename=shown, media_type="application/zip", background=BackgroundTask(shutil.rmtree, folder)
    )


async def _written(settings: Settings, file: str, *which: str) -> str | None:
    """None once the export is written; or what the command said instead."""
    process = await niced(
        *("palestra_server", "export", "--data", str(settings.data), "--out", file, *which),
        env={**os.environ, **({"PALESTRA_DATABASE": settings.database} if settings.database else {})},
        umask=0o077,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    said = (await process.communicate())[1].decode(errors="replace").strip()
    return None if process.returncode in (0, INCOMPLETE) else said
