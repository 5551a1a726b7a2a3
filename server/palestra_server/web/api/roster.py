"""The roster, for the teacher: class lists, tokens, bans and kicks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import Base64Bytes, Field

from palestra_protocol.english import plural
from palestra_protocol.limits import CloseCode
from palestra_server.languages import LANGUAGES
from palestra_server.runtime import View
from palestra_server.runtime.notices import Remark
from palestra_server.store import PlayerRow
from palestra_server.text import text_of
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Reader, Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Body, Desk, Running, Seen
from palestra_server.web.token_sheet import token_sheet

router = APIRouter(prefix=API + "/roster", tags=["roster"], route_class=CheckedRoute)


class ClassListBody(Body):
    """A class list as text, or as the bytes of a file in base64. If `apply` is false, it is only checked."""

    text: str = ""
    file: Base64Bytes | None = None
    apply: bool = True


class NewPlayer(Body):
    """A player to be added."""

    name: str
    email: str = ""
    group: str = ""


class Change(Body):
    """Changes to a player; whatever is left out stays as it is."""

    name: str | None = None
    email: str | None = None
    group: str | None = None
    banned: bool | None = None


class Tokens(Body):
    """Whom to give new tokens; without `names`, everybody who isn't banned. `cards`: the language of cards to print."""

    names: list[str] | None = Field(default=None, max_length=10_000)
    only_missing: bool = True
    cards: Literal["en", "es"] | None = None


@router.get("")
async def roster(_: Reader, server: Running) -> dict[str, Any]:
    """Everybody on the roster, including details for the teacher only."""
    passed = await asyncio.to_thread(server.readiness.passed)
    return {"players": [_shown(server, row) | {"ready": passed.get(row.name, {})} for row in server.roster.rows]}


@router.post("/import")
async def import_list(_: Teacher, server: Running, view: Seen, body: ClassListBody) -> dict[str, Any]:
    """Imports a class list, or says everything that is wrong with it (422) and imports nothing.

    `renamed` have another name in the list, `gone` aren't in it; both stay as they are. `text` is the list as text.
    """
    text = body.text if body.file is None else await asyncio.to_thread(text_of, body.file)
    result = await asyncio.to_thread(server.roster.import_list, text, apply=body.apply)
    if body.apply and result.problems:
        message = f"The class list has {plural(len(result.problems), 'fault')}, so nothing was imported."
        raise ApiError(422, "class_list", message, details=[each.parts for each in result.problems])
    if body.apply:
        server.host.take_names(result.added)
    return {
        "added": result.added,
        "changed": result.changed,
        "unchanged": result.unchanged,
        "renamed": [each._asdict() for each in result.renamed],
        "gone": result.gone,
        "problems": [each.parts for each in result.problems],
        "remarks": [each.parts for each in result.remarks],
        "missed": _began_without(server, view, result.added) if body.apply else [],
        "text": text,
    }


@router.post("")
async def add(_: Teacher, server: Running, view: Seen, body: NewPlayer) -> dict[str, Any]:
    """Adds a player, who has no token yet. `remarks` says which tournaments have begun without."""
    row = await asyncio.to_thread(server.roster.add, body.name, body.email, body.group)
    server.host.take_names([row.name])
    return _shown(server, row) | {"remarks": _began_without(server, view, [row.name])}


@router.post("/tokens")
async def tokens(_: Teacher, server: Running, body: Tokens) -> dict[str, Any]:
    """Issues new tokens, which are shown here and never again."""
    rows = server.roster.rows
    wanted = body.names
    if wanted is None:
        wanted = [row.name for row in rows if not row.banned]
    if body.only_missing:
        have = {row.name for row in rows if row.token_hash is not None}
        wanted = [name for name in wanted if name not in have]
    issued = await asyncio.to_thread(server.roster.issue, wanted)
    for one in issued:
        _end(server, one.name, _NEW_TOKEN)
    made = [one._asdict() for one in issued]
    if body.cards is None:
        return {"tokens": made}
    cards = await asyncio.to_thread(token_sheet, made, server.page, server.bots, LANGUAGES[body.cards])
    return {"tokens": made, "cards": cards}


@router.patch("/{name:path}")
async def change(_: Teacher, server: Running, view: Seen, name: str, body: Change) -> dict[str, Any]:
    """Changes a player's name, address or group; bans or unbans a player."""
    new = None if body.name == name else body.name
    with nullcontext() if new is None else server.director.renaming(name):
        row = await asyncio.to_thread(
            server.roster.change, name, called=new, email=body.email, group=body.group, banned=body.banned
        )
        if new is not None:
            server.host.take_names([row.name])
            _end(server, name, f"Your name is {row.name} from now on: connect again.")
    if row.banned:
        _end(server, row.name, "You have been banned from this server: ask your teacher.")
    return _shown(server, row) | {"remarks": _left_behind(view, row.name) if row.banned else []}


@router.delete("/{name:path}")
async def remove(_: Teacher, server: Running, view: Seen, name: str) -> dict[str, Any]:
    """Removes a player from the roster; the matches stay. `remarks` says what happens in tournaments."""
    await asyncio.to_thread(server.roster.remove, name)
    _end(server, name, "You are no longer on the roster: ask your teacher.")
    return {"name": name, "remarks": _left_behind(view, name)}


@router.post("/{name:path}/token")
async def new_token(_: Teacher, server: Running, name: str) -> dict[str, Any]:
    """Issues a new token to a player; the old one, its sessions and its cookies become invalid."""
    (issued,) = await asyncio.to_thread(server.roster.issue, [name])
    _end(server, name, _NEW_TOKEN)
    return issued._asdict()


@router.post("/{name:path}/kick")
async def kick(_: Teacher, server: Running, name: str) -> dict[str, Any]:
    """Disconnects a player or guest, who may come back."""
    peer = server.peers.get(name)
    if peer is None:
        raise ApiError(404, "not_connected", f"Nobody called {name} is connected.")
    message = "The teacher closed this connection: connect again once your bot behaves."
    peer.dismiss("try_later", message, CloseCode.BAD_TOKEN)
    return {"name": name}


def _began_without(server: Desk, view: View, added: Sequence[str]) -> list[dict[str, Any]]:
    """The tournaments that are being played and would have invited these players, a sentence each."""
    remarks = []
    new = [row for row in server.roster.rows if row.name in added]
    for t in view.going_on():
        there = {entrant.name for entrant in t.entrants}
        names = [row.name for row in new if t.spec.invites(row.name, row.group) and row.name not in there]
        if names:
            remarks.append(Remark("began_without", title=t.spec.display_name, names=", ".join(names)).parts)
    return remarks


def _left_behind(view: View, name: str) -> list[dict[str, Any]]:
    """What happens in the tournaments of somebody who can't connect any more, a sentence each."""
    remarks = []
    for t in view.going_on():
        if name not in t.active:
            continue
        spec = t.spec
        values: dict[str, Any] = {"name": name, "tournament": spec.name, "title": spec.display_name}
        if spec.absent == "wait":
            remarks.append(Remark("absent_waits", **values).parts)
        elif spec.withdraw_after:
            remarks.append(Remark("absent_withdrawn", **values, count=spec.withdraw_after).parts)
        else:
            remarks.append(Remark("absent_loses", **values).parts)
    return remarks


_NEW_TOKEN = "Your token has been replaced: ask your teacher for the new one."


def _end(server: Desk, name: str, message: str) -> None:
    """Disconnects a player whose token is no longer valid, saying why. A guest with this name stays."""
    peer = server.peers.get(name)
    if peer is not None and not peer.guest:
        peer.dismiss("bad_token", message, CloseCode.BAD_TOKEN)


def _shown(server: Desk, row: PlayerRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "email": row.email,
        "group": row.group,
        "ids": row.ids,
        "banned": row.banned,
        "online": row.name in server.peers,
        "has_token": row.token_hash is not None,
    }
