"""The keys of others who teach here, and who did what; keys are given out by the owner of the data folder."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from palestra_server.runtime import Viewer
from palestra_server.store import Rights
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Reader, Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Body, Running, Seen

router = APIRouter(prefix=API, tags=["teachers"], route_class=CheckedRoute)


class NewKey(Body):
    """Whose key, and what it may do."""

    name: str = Field(max_length=64)
    rights: Rights = "read"


async def _owner(who: Teacher) -> Viewer:
    if who.teacher:
        raise ApiError(403, "forbidden", "Keys are given out with the key of the data folder's teacher.key alone.")
    return who


Owner = Annotated[Viewer, Depends(_owner)]


@router.get("/teachers")
async def teachers(_: Reader, server: Running) -> dict[str, Any]:
    """The named keys, without the keys themselves."""
    rows = server.teachers.rows
    return {"teachers": [{"name": one.name, "rights": one.rights, "created": one.created_ms} for one in rows]}


@router.post("/teachers")
async def add(_: Teacher, __: Owner, server: Running, new: NewKey) -> dict[str, Any]:
    """Makes a key, which is shown here and never again."""
    key = await asyncio.to_thread(server.teachers.add, new.name, new.rights)
    return {"name": new.name, "rights": new.rights, "key": key}


@router.delete("/teachers/{name}")
async def remove(_: Teacher, __: Owner, server: Running, name: str) -> dict[str, Any]:
    """Takes a key back, and ends what it is logged in to."""
    await asyncio.to_thread(server.teachers.remove, name)
    return {"name": name}


@router.get("/acts")
async def acts(
    _: Reader, server: Running, view: Seen, limit: Annotated[int, Query(ge=1, le=1000)] = 200
) -> dict[str, Any]:
    """What was done with the rights of a teacher, newest first: when (UTC in ms), by whose key, and about what."""
    return {"acts": view.acts(await asyncio.to_thread(server.teachers.book.acts, limit))}
