"""Tournaments: creating, running and following them, and their tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import Field

from palestra_protocol import limits
from palestra_server.runtime import Director, View
from palestra_server.tables import Asked, TableFile, media_type
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Reader, Teacher
from palestra_server.web.state import Body, Desk, Running, Seen
from palestra_tournament import FIXTURES_MAX, WHY_MAX, FixtureState, Part, SpecError, Verdict

router = APIRouter(prefix=API + "/tournaments", tags=["tournaments"], route_class=CheckedRoute)

TOML_MAX: Final = 100_000
PLAYERS_MAX: Final = 1000  # of a crosstable at once
PAGE_MAX: Final = 1000  # fixtures of a schedule at once, which are 0.3 MB
PIECE: Final = 64 << 10  # bytes of a file sent at once


class File(Body):
    """A tournament file."""

    toml: str = Field(max_length=TOML_MAX)


Plain = (
    bool
    | Annotated[int, Field(ge=-limits.SEQ_MAX, le=limits.SEQ_MAX)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Annotated[str, Field(max_length=TOML_MAX)]
)
Table = dict[Annotated[str, Field(pattern=r"^\w+$")], Plain | list[Plain]]


class Change(Body):
    """What a form writes into the file: `key`, such as "clock.move_ms", with its value, or without one (null)."""

    key: Annotated[str, Field(max_length=64, pattern=r"^\w+(\.\w+)*$")]
    value: Plain | list[Plain | Table] | Table | None = None

    @property
    def pair(self) -> tuple[str, Any]:
        """A date comes as text, which JSON has in place of it; what is none stays one, for the check to say."""
        if self.key == "start" and isinstance(self.value, str):
            with suppress(ValueError):
                return self.key, datetime.fromisoformat(self.value)
        return self.key, self.value


class Form(File):
    """A tournament file, and what is to be changed in it."""

    changes: tuple[Change, ...] = Field((), max_length=20)


class PlayerName(Body):
    """A player in the tournament."""

    player: str = Field(max_length=64)


class PlayerNames(Body):
    """Players on the roster."""

    players: list[Annotated[str, Field(max_length=64)]] = Field(min_length=1, max_length=PLAYERS_MAX)


class End(Body):
    """An early end. Results of rounds that aren't complete don't count, unless `counts_all`."""

    counts_all: bool = False


class MatchId(Body):
    """A match of the tournament."""

    match: str = Field(max_length=64)


class Ruling(Body):
    """What a match of the tournament counts as: `winner` for a `win` only; `why` is told to both players."""

    match: str = Field(max_length=64)
    verdict: Verdict
    winner: str = Field(default="", max_length=64)
    why: str = Field(max_length=WHY_MAX)


InLanguage = Literal["en", "es"] | None


@router.get("")
async def tournaments(view: Seen) -> dict[str, Any]:
    """All tournaments, newest last; `troubles`, for the teacher, say what failed in the server itself."""
    return {"tournaments": view.tournaments(), "troubles": view.failed()}


@router.post("")
async def create(file: File, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Creates a tournament from a file. It begins at the start named there, or when it is started."""
    live = await server.director.create(file.toml)
    return await view.tournament(live.name)


@router.post("/check")
async def check(file: File, server: Running, _: Reader) -> dict[str, Any]:
    """Checks a file without creating anything: who would take part, remarks on what may be a mistake, and how long it
    would take if every bot took all of its time (`outlook`; null if nobody can know).
    """
    spec, remarks, outlook = await server.director.check(file.toml)
    entrants = server.roster.invited(spec)
    return {
        "spec": spec.model_dump(mode="json"),
        "entrants": [entrant._asdict() for entrant in entrants],
        "remarks": [remark.parts for remark in remarks],
        "outlook": outlook and outlook._asdict(),
    }


@router.post("/form")
async def form(file: Form, server: Running, reader: Reader) -> dict[str, Any]:
    """Makes changes to a file without creating anything: the file then, its `values` as far as they can be read, the
    first and the last line of each, its `faults`, and if it has none the answer of `check`.
    """
    toml, values, lines, faults = await server.director.fill(file.toml, [change.pair for change in file.changes])
    checked: dict[str, Any] = {"entrants": [], "remarks": [], "outlook": None}
    try:
        checked = await check(File(toml=toml), server, reader)
    except SpecError as error:
        faults += error.problems
    return {"toml": toml, "values": values, "lines": lines, "faults": [fault.parts for fault in faults], **checked}


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
_verb("resume", Director.resume, "Ends the pause, or takes `finish` back.")
_verb("reveal", Director.reveal, "Lifts the embargo on the last results.")


@router.post("/{name}/finish")
async def finish(name: str, server: Running, view: Seen, _: Teacher, end: End | None = None) -> dict[str, Any]:
    """Starts nothing more; the standings are final once the matches in progress are over."""
    return await _told(server, view, name, lambda: server.director.finish(name, end is not None and end.counts_all))


@router.post("/{name}/add")
async def add(name: str, who: PlayerNames, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Enrols players of the roster, all or none, in a tournament that has begun and can take who comes late."""
    return await _told(server, view, name, lambda: server.director.add(name, who.players))


@router.post("/{name}/withdraw")
async def withdraw(name: str, who: PlayerName, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Withdraws a player, who loses all matches not yet begun."""
    return await _told(server, view, name, lambda: server.director.withdraw(name, who.player))


@router.post("/{name}/reinstate")
async def reinstate(name: str, who: PlayerName, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Lets a withdrawn player back in."""
    return await _told(server, view, name, lambda: server.director.reinstate(name, who.player))


@router.post("/{name}/rule")
async def rule(name: str, ruling: Ruling, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Rules on a match that is over: standings, grades and later pairings follow, its own records stay as they are."""
    act = partial(server.director.rule, name, ruling.match, ruling.verdict, ruling.winner, ruling.why)
    return await _told(server, view, name, act)


@router.post("/{name}/repeat")
async def repeat(name: str, match: MatchId, server: Running, view: Seen, _: Teacher) -> dict[str, Any]:
    """Replays a match that can't continue because its records can't be read."""
    return await _told(server, view, name, lambda: server.director.repeat(name, match.match))


# Tables are made off the loop, down to the bytes that are sent: they take longer the more has been played, and players'
# frames come first.


def _table(table: str, about: str) -> None:
    """Adds a route for a table that everybody may see."""

    async def route(name: str, view: Seen) -> Response:
        return await _made(view, name, Asked(table))

    async def file(name: str, view: Seen, language: InLanguage = None) -> Response:
        return await _made(view, name, Asked(table, language=language))

    name, _, is_csv = table.partition(".")
    if is_csv:
        router.add_api_route(f"/{{name}}/{table}", file, name=name, description=about, response_class=PlainTextResponse)
    else:
        router.add_api_route(
            f"/{{name}}/{table}", route, name=f"show_{name}", description=about, response_model=dict[str, Any]
        )


Group = Annotated[str | None, Query(max_length=limits.NAME_MAX)]


@router.get("/{name}/crosstable", response_model=dict[str, Any])
async def show_crosstable(
    name: str, view: Seen, group: Group = None, limit: Annotated[int, Query(ge=1, le=PLAYERS_MAX)] = 50
) -> Response:
    """Who scored what against whom: [points, matches], null on the diagonal; of the first players in the standings (of
    a group). `total`: how many there are.
    """
    return await _made(view, name, Asked("crosstable", Part(group=group, limit=limit)))


@router.get("/{name}/schedule", response_model=dict[str, Any])
async def show_schedule(
    name: str,
    view: Seen,
    round: Annotated[int | None, Query(ge=1, le=FIXTURES_MAX)] = None,
    player: Annotated[list[Annotated[str, Field(max_length=limits.NAME_MAX)]] | None, Query(max_length=2)] = None,
    group: Group = None,
    game: Annotated[str | None, Query(max_length=limits.NAME_MAX)] = None,
    state: FixtureState | None = None,
    start: Annotated[int, Query(ge=0, le=FIXTURES_MAX)] = 0,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 100,
) -> Response:
    """Fixtures in the order in which they should begin, and the byes: of a round, of a player or between two, of a
    group, of a game, in a state. `next` is the `start` of the following page, null on the last page; `rounds`: how many
    fixtures each round has, and how many of them are over.
    """
    part = Part(round, tuple(player or ()), group, game, state, start, limit)
    return await _made(view, name, Asked("schedule", part))


_table("standings", "The current standings.")
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
async def grades_file(name: str, view: Seen, _: Reader, language: InLanguage = None) -> Response:
    """Everybody's grade by the rubric in the file, with an explanation."""
    return await _made(view, name, Asked("grades.csv", language=language))


@router.get("/{name}/grades", response_model=dict[str, Any])
async def show_grades(name: str, view: Seen, _: Reader) -> Response:
    """The same: the points by each rule, and what was counted for it."""
    return await _made(view, name, Asked("grades"))


async def table_bytes(view: View, name: str, asked: Asked) -> bytes:
    made = await view.table(name, asked)
    return made if isinstance(made, bytes) else await asyncio.to_thread(made.read, 0, made.size)


async def _made(view: View, name: str, asked: Asked) -> Response:
    made = await view.table(name, asked)
    media = media_type(asked.table)
    if isinstance(made, bytes):
        return Response(made, media_type=media)
    headers = {"content-length": str(made.size)}
    return StreamingResponse(_pieces(made), media_type=media, headers=headers)


async def _pieces(file: TableFile) -> AsyncIterator[bytes]:
    for start in range(0, file.size, PIECE):
        yield await asyncio.to_thread(file.read, start, PIECE)
