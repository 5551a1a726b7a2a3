"""Matches, live and past, and the boards of a game for practice."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from palestra_games import IllegalAction, State, UnknownGame, get_game, positions
from palestra_protocol import limits
from palestra_protocol.codecs import JSON
from palestra_referee import MS, Match, event_from_line
from palestra_referee.evidence import Answer, answers
from palestra_server.gateway import Refusal
from palestra_server.runtime.snapshots import match_snapshot
from palestra_server.web import API
from palestra_server.web.assets import takes_gzip
from palestra_server.web.errors import ApiError
from palestra_server.web.pictures import board_png
from palestra_server.web.state import Seen

router = APIRouter(prefix=API, tags=["matches"])

_LIST_MAX = 200
_Name = Annotated[str | None, Query(max_length=limits.NAME_MAX)]


@router.get("/matches")
async def matches(
    view: Seen,
    player: _Name = None,
    opponent: _Name = None,
    lost_by: _Name = None,
    game: _Name = None,
    tournament: _Name = None,
    limit: Annotated[int, Query(ge=1, le=_LIST_MAX)] = 50,
    before: _Name = None,
) -> dict[str, Any]:
    """Matches, newest first; `next` is the `before` of the next page, null on the last page."""
    found, following = await view.matches(
        limit, tournament=tournament, player=player, opponent=opponent, lost_by=lost_by, game=game, before=before
    )
    return {"matches": found, "next": following}


@router.get("/matches/{match_id}")
async def match(request: Request, view: Seen, match_id: str) -> Response:
    """One match with every move and every board. `judging`: a judge is at work that will come to it."""
    seen = await view.match(match_id)
    entry, receipt = seen.entry, seen.receipt
    if entry is None:
        raise ApiError(404, "unknown_match", f"The match {match_id} has only just begun: ask again in a moment.")
    judging = entry["ended"] is not None and not entry["judged"] and seen.analysis_expected
    fields = {**entry, "judging": judging}
    kind = f"whole {entry['judged']} {judging} {entry['ruling']}"
    made = await seen.made(kind, lambda match, _: _whole(fields, receipt, match))
    return _sent(request, match_id, made)


@router.get("/matches/{match_id}/snapshot")
async def snapshot(request: Request, view: Seen, match_id: str) -> Response:
    """The first event that /watch sends for a match. Here its players, and the teacher, may also see a hidden one."""
    seen = await view.match(match_id)
    made = await seen.made("snapshot", lambda match, at: _packed(match_snapshot(match, at, seen.title)))
    return _sent(request, match_id, made)


@router.get("/matches/{match_id}/board.png")
async def board(view: Seen, match_id: str) -> Response:
    """The position of a match now, as a picture."""
    made = await (await view.match(match_id)).made("board", lambda match, _: _picture(match.config.game, match.state))
    return Response(_there(match_id, made), media_type="image/png")


def _picture(game: str, state: State) -> bytes:
    return board_png(get_game(game).view(state))


@cache
def _first_picture(game: str) -> bytes:
    return _picture(game, get_game(game).initial_state())


def _packed(told: Mapping[str, Any]) -> bytes:
    """As compressed JSON: a match with all its boards has 60 to 145 kB, and so 2."""
    return gzip.compress(JSON.encode(told), 6, mtime=0)


def _sent(request: Request, match_id: str, made: bytes | Refusal | None) -> Response:
    """`made` is compressed, and is sent so to who understands it."""
    packed, headers = _there(match_id, made), {"vary": "accept-encoding"}
    if not takes_gzip(request):
        return Response(gzip.decompress(packed), media_type="application/json", headers=headers)
    return Response(packed, media_type="application/json", headers=headers | {"content-encoding": "gzip"})


def _there(match_id: str, made: bytes | Refusal | None) -> bytes:
    if isinstance(made, Refusal):
        raise ApiError(503, made.code, made.message, headers={"retry-after": "3"})
    if made is None:
        message = f"The record of match {match_id} can't be replayed: the server's log says why."
        raise ApiError(500, "unreadable", message)
    return made


def _whole(fields: dict[str, Any], receipt: str | None, match: Match) -> bytes:
    """A match with its boards; `fields` as in a listing. Takes milliseconds, so it is called in a thread."""
    shown = match_snapshot(match, None, fields["tournament_title"])
    moves = [
        {
            "ply": move.ply,
            "seat": move.seat,
            "action": move.action,
            "name": shown["names"][move.ply],
            "charged_ms": shown["charged_ms"][move.ply],
            "away_ms": shown["away_ms"][move.ply],
            "info": move.info,
        }
        for move in match.moves
    ]
    whole = {
        **fields,
        "opening": shown["opening"],
        "moves": moves,
        "seat_ms": [clock["move_ms"] for clock in shown["clocks"]],
        "views": shown["views"],
        "receipt": receipt,
    }
    return _packed(whole)


@router.get("/matches/{match_id}/record")
async def record(view: Seen, match_id: str) -> Response:
    """The records of a match, one canonical JSON map per line, as described in RECORDS.md."""
    lines = await (await view.match(match_id)).records()
    headers = {"content-disposition": f'attachment; filename="{match_id}.jsonl"'}
    return Response(b"\n".join(lines) + b"\n", media_type="application/jsonl", headers=headers)


@router.get("/matches/{match_id}/evidence", response_model=dict[str, Any])
async def evidence(request: Request, view: Seen, match_id: str) -> Response:
    """For each answer when it was asked for, when its bytes came by whose stamp, and what was charged to whom, in ms.

    `unaccounted_ms` is charged to nobody: what the server itself took. `move` counts from 1, `ply` from 0.
    """
    made = await (await view.match(match_id)).made_of_records("evidence", _evidence)
    return _sent(request, match_id, made)


def _evidence(lines: list[bytes]) -> bytes:
    return _packed({"answers": [_answer(each) for each in answers([event_from_line(line) for line in lines])]})


def _answer(answer: Answer) -> dict[str, Any]:
    times = {key: value for key, value in answer._asdict().items() if key.endswith("_ns")}
    told = {key: value for key, value in answer._asdict().items() if key not in times}
    told |= {f"{key[:-3]}_ms": None if value is None else value / MS for key, value in times.items()}
    return {"move": answer.ply + 1, **told}


@router.get("/matches/{match_id}/notes")
async def notes(view: Seen, match_id: str) -> dict[str, Any]:
    """What bots noted beside their moves: to a player those of its own, to the teacher all, to others none."""
    return {"notes": [note._asdict() for note in await (await view.match(match_id)).notes()]}


@router.get("/matches/{match_id}/rulings")
async def rulings(view: Seen, match_id: str) -> dict[str, Any]:
    """What was ruled on a match of a tournament, in order: the last one counts. `first_loss`: who lost it, if that was
    the leader, who had lost none before.
    """
    found, first_loss = await view.in_tournament(match_id)
    return {"rulings": found, "first_loss": first_loss}


@router.get("/games/{game}/board.png")
async def first_board(game: str) -> Response:
    """The position in which a game begins, as a picture."""
    try:
        picture = await asyncio.to_thread(_first_picture, game)
    except UnknownGame as error:
        raise ApiError(404, "unknown_game", str(error)) from None
    return Response(picture, media_type="image/png")


@router.get("/games/{game}/view")
async def view(game: str, actions: Annotated[str, Query(max_length=1000)] = "") -> dict[str, Any]:
    """The boards reached by `actions` (such as "3,0,3"), for practice: `views` has one per ply, `view` is the last."""
    try:
        rules = get_game(game)
        chosen = [int(action) for action in actions.split(",") if action]
        states = positions(rules, chosen)
    except UnknownGame as error:
        raise ApiError(404, "unknown_game", str(error)) from None
    except IllegalAction as error:
        raise ApiError(422, "illegal_action", error.sentence) from None
    except ValueError:
        raise ApiError(422, "bad_actions", "Actions are whole numbers separated by commas, such as 3,0,3.") from None
    views, state = [rules.view(each).to_wire() for each in states], states[-1]
    return {
        "view": views[-1],
        "views": views,
        "legal": state.legal_actions(),
        "to_move": state.to_move,
        "returns": state.returns(),
    }
