"""The teacher's remote control of the big screen."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from palestra_protocol import limits
from palestra_server.web.access import CheckedRoute, Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Running, Seen

router = APIRouter(tags=["screen"], route_class=CheckedRoute)


class Order(BaseModel):
    """What to show: `match` names one, and `tournament` is the one whose `ceremony` it is, by default the latest."""

    model_config = ConfigDict(extra="forbid")
    show: Literal["auto", "next", "hold", "match", "ceremony"]
    match: str | None = Field(default=None, max_length=limits.NAME_MAX)
    tournament: str | None = Field(default=None, max_length=limits.NAME_MAX)


@router.get("/screen")
async def screen(server: Running) -> dict[str, Any]:
    """What the big screen was told to show, and the podium as far as it is uncovered."""
    return server.screen.state()


@router.post("/screen")
async def show(order: Order, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """`auto` goes through the programme, `next` goes on (in a ceremony: uncovers the next place), `hold` stays."""
    if order.show == "match":
        if order.match is None:
            raise ApiError(422, "no_match", "Say which match the big screen is to show.")
        # What hangs on a wall shows what every visitor may see, whoever holds the remote.
        await view.public.match(order.match)
        server.screen.match(order.match)
    elif order.show == "ceremony":
        await server.screen.ceremony(order.tournament)
    else:
        getattr(server.screen, order.show)()
    return server.screen.state()
