"""The teacher's remote control of the big screen."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import Field

from palestra_protocol import limits
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Body, Running, Seen

router = APIRouter(prefix=API, tags=["screen"], route_class=CheckedRoute)


class Order(Body):
    """What to show: `match` names one, perhaps with what a judge says of it while it is played (`judged`);
    `tournament` is the one whose `ceremony` it is, by default the latest.
    """

    show: Literal["auto", "next", "hold", "match", "ceremony"]
    match: str | None = Field(default=None, max_length=limits.NAME_MAX)
    judged: bool = False
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
        server.screen.match(order.match, judged=order.judged)
    elif order.show == "ceremony":
        await server.screen.ceremony(order.tournament)
    else:
        getattr(server.screen, order.show)()
    return server.screen.state()
