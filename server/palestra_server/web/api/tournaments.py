"""Tournaments: creating, running and following them, and their tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

from palestra_server.runtime import Director, DirectorError, LiveTournament, Server
from palestra_server.runtime.remarks import remark_parts
from palestra_server.tables import MakingStopped, media_type
from palestra_server.web.access import Identity, Teacher, Who
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Running
from palestra_tournament import Format, SpecError, example_spec

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


def _director(server: Running) -> Director:
    return server.director


async def _found(server: Running, name: str) -> LiveTournament:
    try:
        return await _director(server).catalogue.fetch(name)
    except DirectorError as error:
        raise _not_done(error) from None


def _not_done(error: DirectorError) -> ApiError:
    return ApiError(404 if error.code == "unknown_tournament" else 409, error.code, str(error))


def _refused(error: SpecError) -> ApiError:
    count = len(error.problems)
    message = f"The tournament file has {count} {'fault' if count == 1 else 'faults'}:"
    return ApiError(422, "bad_tournament", message, details=[remark_parts(problem) for problem in error.problems])


@router.get("")
async def tournaments(server: Running) -> dict[str, Any]:
    """All tournaments, newest last."""
    return {"tournaments": _director(server).catalogue.listed()}


@router.post("")
async def create(file: File, server: Running, _: Teacher) -> dict[str, Any]:
    """Creates a tournament from a file. It begins at the start named there, or when it is started."""
    try:
        live = await _director(server).create(file.toml)
    except SpecError as error:
        raise _refused(error) from None
    except DirectorError as error:
        raise _not_done(error) from None
    return live.snapshot()


@router.post("/check")
async def check(file: File, server: Running, _: Teacher) -> dict[str, Any]:
    """Checks a file without creating anything: who would take part, and remarks on what may be a mistake."""
    try:
        spec, remarks = _director(server).check(file.toml)
    except SpecError as error:
        raise _refused(error) from None
    entrants = _director(server).invited(spec)
    return {
        "spec": spec.model_dump(mode="json"),
        "entrants": [entrant._asdict() for entrant in entrants],
        "remarks": [remark_parts(remark) for remark in remarks],
    }


@router.get("/example")
async def example(_: Teacher, format: Format = "swiss") -> dict[str, Any]:
    """A commented example file for a format."""
    return {"toml": example_spec(format)}


@router.get("/{name}")
async def tournament(name: str, server: Running) -> dict[str, Any]:
    """One tournament: its progress, what is being played, who is missing; `trouble` says what needs attention."""
    try:
        return (await _director(server).catalogue.fetch(name)).snapshot()
    except DirectorError as error:
        damaged = _director(server).catalogue.damaged.get(name)
        if damaged is None:
            raise _not_done(error) from None
        return damaged.snapshot()


@router.delete("/{name}")
async def delete(name: str, server: Running, _: Teacher) -> dict[str, Any]:
    """Deletes a tournament; its matches stay in the journal."""
    try:
        await _director(server).delete(name)
    except DirectorError as error:
        raise _not_done(error) from None
    return {"deleted": name}


async def _told(server: Running, name: str, act: Callable[[], LiveTournament]) -> dict[str, Any]:
    """The tournament after `act`, which is done between two rounds, not while one is being drawn."""
    await _drawn(server, await _found(server, name))
    try:
        live = act()
    except DirectorError as error:
        raise _not_done(error) from None
    await _drawn(server, live)
    return live.snapshot()


async def _drawn(server: Running, live: LiveTournament) -> None:
    # A stopping server gives up the round, and whatever it was asked meanwhile.
    await live.drawn()
    if not _director(server).open and live.is_drawing:
        raise _stopping()


def _stopping() -> ApiError:
    return ApiError(503, "stopping", "The server is stopping; ask again when it is back.")


def _verb(verb: str, act: Callable[[Director, str], LiveTournament], about: str) -> None:
    """Adds a route for something that the teacher does to a whole tournament."""

    async def route(name: str, server: Running, _: Teacher) -> dict[str, Any]:
        return await _told(server, name, lambda: act(_director(server), name))

    router.add_api_route(f"/{{name}}/{verb}", route, methods=["POST"], name=verb, description=about)


_verb("start", Director.start, "Starts it now.")
_verb("pause", Director.pause, "Starts no more matches; those in progress are played to the end.")
_verb("resume", Director.resume, "Ends the pause.")
_verb("finish", Director.finish, "Starts nothing more; the standings are final once the matches in progress are over.")
_verb("reveal", Director.reveal, "Lifts the embargo on the last results.")


@router.post("/{name}/withdraw")
async def withdraw(name: str, who: PlayerName, server: Running, _: Teacher) -> dict[str, Any]:
    """Withdraws a player, who loses all matches not yet begun."""
    return await _told(server, name, lambda: _director(server).withdraw(name, who.player))


@router.post("/{name}/reinstate")
async def reinstate(name: str, who: PlayerName, server: Running, _: Teacher) -> dict[str, Any]:
    """Lets a withdrawn player back in."""
    return await _told(server, name, lambda: _director(server).reinstate(name, who.player))


@router.post("/{name}/repeat")
async def repeat(name: str, match: MatchId, server: Running, _: Teacher) -> dict[str, Any]:
    """Replays a match that can't continue because its records can't be read."""
    return await _told(server, name, lambda: _director(server).repeat(name, match.match))


# Tables are made off the loop, down to the bytes that are sent: they take longer the more has been played, and players'
# frames come first.


def _table(table: str, about: str) -> None:
    """Adds a route for a table that everybody may see."""

    async def route(name: str, server: Running, who: Who) -> Response:
        return await _made(server, name, who, table)

    name, _, is_csv = table.partition(".")
    if is_csv:
        router.add_api_route(
            f"/{{name}}/{table}", route, name=name, description=about, response_class=PlainTextResponse
        )
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
_table("readiness", "Who is ready for which game, judging by the matches of this tournament (usually a warm-up).")
for each in ("standings", "crosstable", "schedule"):
    _table(f"{each}.csv", "The same table for a spreadsheet.")


@router.get("/{name}/tournament.toml")
async def toml(name: str, server: Running) -> PlainTextResponse:
    """The file that the tournament was created from."""
    return PlainTextResponse((await _found(server, name)).toml, media_type="application/toml")


@router.get("/{name}/grades.csv", response_class=PlainTextResponse)
async def grades_file(name: str, server: Running, who: Teacher) -> Response:
    """Everybody's grade by the rubric in the file, with an explanation."""
    return await _made(server, name, who, "grades.csv")


async def _made(server: Server, name: str, who: Identity, table: str) -> Response:
    """A table of what this visitor may see of a tournament: everything for the teacher, nothing under embargo for
    others.
    """
    live = await _found(server, name)
    if live.now is None:
        raise ApiError(409, "not_begun", f"{name} has not begun yet: it has no fixtures and no standings.")
    try:
        made = await server.shown.table(live, table, everything=who.role == "teacher")
    except MakingStopped:
        raise _stopping() from None
    return Response(made, media_type=media_type(table))
