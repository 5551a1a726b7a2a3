"""What routes get: a `View` of matches and tournaments, for whoever asks, a `Desk` for all else, and a `Body`."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from palestra_server.gateway import PlayerConnection
from palestra_server.runtime import Director, Gate, House, Roster, View
from palestra_server.runtime.host import Host
from palestra_server.runtime.machines import Machines
from palestra_server.runtime.room import Playing
from palestra_server.runtime.screen import Screen
from palestra_server.runtime.seasons import Seasons
from palestra_server.runtime.teachers import TeacherKeys
from palestra_server.settings import Settings
from palestra_server.store import ReadinessBook
from palestra_server.web.access import Who
from palestra_server.web.addresses import bots_address, page_address
from palestra_server.web.errors import DETAILS_MAX
from palestra_server.web.shared import SharedAnswer


class Body(BaseModel):
    """What a request may say; anything else in it is a mistake."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _not_too_many(cls, given: Any) -> Any:
        # Four KiB of keys are 2 ms of the loop if what is wrong with each is put down.
        if isinstance(given, dict) and len(given) > len(cls.model_fields) + DETAILS_MAX:
            known = ", ".join(cls.model_fields)
            raise PydanticCustomError(
                "too_many_keys", "these are {count} keys; known are {known}", {"count": len(given), "known": known}
            )
        return given


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts of a server that tell nothing of matches and tournaments. Its ports, if it is not running, are those
    that it will have; `exporting` is held by whoever has an export written. `player_lists`: by whether it is for the
    teacher, and with what is hidden.
    """

    settings: Settings
    roster: Roster
    peers: Mapping[str, PlayerConnection]
    readiness: ReadinessBook
    teachers: TeacherKeys
    director: Director
    seasons: Seasons
    host: Host
    screen: Screen
    bots_port: int
    web_port: int
    machines: Machines | None  # None for a server that shares its database with nobody
    exporting: asyncio.Lock
    player_lists: defaultdict[tuple[bool, bool], SharedAnswer]
    _playing: Playing

    @classmethod
    def of(cls, house: House, web_port: int | None) -> Desk:
        return cls(
            house.settings,
            house.roster,
            house.presence.peers,
            house.store.readiness,
            house.teachers,
            house.director,
            house.seasons,
            house.host,
            house.screen,
            house.settings.port if house.gateway is None else house.gateway.port,
            web_port or house.settings.web_port,
            house.machines,
            asyncio.Lock(),
            defaultdict(SharedAnswer),
            house.playing,
        )

    @property
    def page(self) -> str:
        return page_address(self.settings, self.web_port)

    @property
    def bots(self) -> str:
        """The address that bots connect to."""
        return bots_address(self.settings, self.bots_port)

    def busy(self, player: str) -> bool:
        return self._playing.count(player) > 0


async def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _view(request: Request, who: Who) -> View:
    gate: Gate = request.app.state.gate
    return gate.of(who)


Running = Annotated[Desk, Depends(_desk)]
Seen = Annotated[View, Depends(_view)]
