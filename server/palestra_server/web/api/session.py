"""Logging in with a browser: exchanges a key or a token for a cookie that scripts cannot read."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from palestra_protocol import limits
from palestra_server.runtime import VISITOR, Viewer
from palestra_server.web import API
from palestra_server.web.access import COOKIE, Who, access_of, address_of
from palestra_server.web.state import Body

router = APIRouter(prefix=API, tags=["session"])


class Credentials(Body):
    """A player's token or the teacher's key."""

    token: str | None = Field(default=None, max_length=limits.TOKEN_MAX)
    key: str | None = Field(default=None, max_length=limits.TOKEN_MAX)


class Session(BaseModel):
    """Whom the browser is logged in as. `teacher`: the name of a named key; `runs`: whether it may change things."""

    role: str
    player: str | None
    teacher: str
    runs: bool

    @classmethod
    def of(cls, who: Viewer) -> Session:
        return cls(role=who.role, player=who.player, teacher=who.teacher, runs=who.runs)


@router.get("/session")
async def who_am_i(who: Who) -> Session:
    """Who is asking: a visitor, a player, or the teacher."""
    return Session.of(who)


@router.post("/session")
async def log_in(_: Who, credentials: Credentials, request: Request, response: Response) -> Session:
    """Sets the cookie. Answers 401 for a wrong key or token, and 429 after too many of them."""
    access = access_of(request)
    who = access.check((credentials.key or credentials.token or "").strip(), address_of(request))
    value, lasts = access.cookie(who)
    response.set_cookie(
        COOKIE, value, max_age=lasts, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return Session.of(who)


@router.delete("/session")
async def log_out(_: Who, request: Request, response: Response) -> Session:
    """Deletes the cookie, which then is worth nothing."""
    await asyncio.to_thread(access_of(request).end, request.cookies.get(COOKIE, ""))
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return Session.of(VISITOR)
