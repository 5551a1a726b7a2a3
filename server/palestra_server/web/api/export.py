"""The whole of what was played, as one file that anybody can verify."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from palestra_server.runtime import Settings
from palestra_server.web.access import Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Running

router = APIRouter(tags=["export"])


@router.get("/export.zip", response_class=FileResponse)
async def export(_: Teacher, server: Running, tournament: Annotated[list[str] | None, Query()] = None) -> Response:
    """Results and records as RECORDS.md describes them, of these tournaments or of everything. For the teacher."""
    known = await asyncio.to_thread(server.store.tournaments.names)
    for name in tournament or ():
        if name not in known:
            raise ApiError(404, "unknown_tournament", f"There is no tournament {name}.")
    folder = tempfile.TemporaryDirectory(prefix="palestra-export-")
    file = Path(folder.name) / "palestra.zip"
    try:
        await _write(server.settings, file, tournament or [])
    except BaseException:
        folder.cleanup()
        raise
    name = f"{'-'.join(tournament)}.zip" if tournament else "palestra.zip"
    return FileResponse(file, media_type="application/zip", filename=name, background=BackgroundTask(folder.cleanup))


async def _write(settings: Settings, file: Path, names: list[str]) -> None:
    # In a process of its own: replaying every match would hold up the matches in progress.
    command = [sys.executable, "-m", "palestra_server", "export", *names]
    command += ["--data", str(settings.data), "--out", str(file)]
    given = {"PALESTRA_DATABASE": settings.database} if settings.database else {}
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, **given},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode != 0:
        raise ApiError(503, "storage", said.decode(errors="replace").strip() or "The export could not be written.")
