"""Matches, live and past, and the boards of a game for practice."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from palestra_games import IllegalAction, UnknownGame, get_game
from palestra_protocol import limits
from palestra_referee import MS, Match, event_from_line
from palestra_referee.evidence import Answer, answers
from palestra_server.answers import compact_json
from palestra_server.gateway import Refusal
from palestra_server.runtime.snapshots import match_snapshot
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Seen

router = APIRouter(tags=["matches"])

_LIST_MAX = 200
_Name = Annotated[str | None, Query(max_length=limits.NAME_MAX)]


@router.get("/matches")
async def matches(
    view: Seen,
    player: _Name = None,
    lost_by: _Name = None,
    game: _Name = None,
    tournament: _Name = None,
    limit: Annotated[int, Query(ge=1, le=_LIST_MAX)] = 50,
    before: _Name = None,
) -> dict[str, Any]:
    """Matches, newest first; `next` is the `before` of the next page, null on the last page."""
    found, following = await view.matches(
        limit, tournament=tournament, player=player, lost_by=lost_by, game=game, before=before
    )
    return {"matches": found, "next": following}


@router.get("/matches/{match_id}")
async def match(view: Seen, match_id: str) -> Response:
    """One match with every move and every board."""
    seen = await view.match(match_id)
    entry, receipt = seen.entry, seen.receipt
    if entry is None:
        raise ApiError(404, "unknown_match", f"The match {match_id} has only just begun: ask again in a moment.")
    return _json(match_id, await seen.made("whole", lambda match, _: _whole(entry, receipt, match)))


@router.get("/matches/{match_id}/snapshot")
async def snapshot(view: Seen, match_id: str) -> Response:
    """The first event that /watch sends for a match. Here its players, and the teacher, may also see a hidden one."""
    seen = await view.match(match_id)
    return _json(match_id, await seen.made("snapshot", lambda match, at: _told(match, at, seen.title)))


def _told(match: Match, at: int | None, title: str | None) -> bytes:
    return compact_json(match_snapshot(match, at, title))


def _json(match_id: str, made: bytes | Refusal | None) -> Response:
    if isinstance(made, Refusal):
        raise ApiError(429, made.code, made.message, headers={"retry-after": "3"})
    if made is None:
        message = f"The record of match {match_id} can't be replayed: the server's log says why."
        raise ApiError(500, "unreadable", message)
    return Response(made, media_type="application/json")


def _whole(fields: dict[str, Any], receipt: str | None, match: Match) -> bytes:
    """A match with its boards, as JSON; `fields` as in a listing. Takes milliseconds, so it is called in a thread."""
    shown = match_snapshot(match, None, fields["tournament_title"])
    opening = len(shown["opening"])
    moves = [
        {
            "ply": ply,
            "seat": shown["views"][ply]["to_move"],
            "action": action,
            "name": shown["names"][ply],
            "charged_ms": shown["charged_ms"][ply],
            "away_ms": shown["away_ms"][ply],
            "info": shown["infos"][ply],
        }
        for ply, action in enumerate(shown["actions"])
        if ply >= opening
    ]
    whole = {
        **fields,
        "opening": shown["opening"],
        "moves": moves,
        "seat_ms": [clock["move_ms"] for clock in shown["clocks"]],
        "views": shown["views"],
        "receipt": receipt,
    }
    return compact_json(whole)


@router.get("/matches/{match_id}/record")
async def record(view: Seen, match_id: str) -> Response:
    """The records of a match, one canonical JSON map per line, as described in RECORDS.md."""
    lines = await (await view.match(match_id)).records()
    headers = {"content-disposition": f'attachment; filename="{match_id}.jsonl"'}
    return Response(b"\n".join(lines) + b"\n", media_type="application/jsonl", headers=headers)


@router.get("/matches/{match_id}/evidence")
async def evidence(view: Seen, match_id: str) -> dict[str, Any]:
    """For each answer when it was asked for, when its bytes came by whose stamp, and what was charged to whom, in ms.

    `unaccounted_ms` is charged to nobody: what the server itself took. `move` counts from 1, `ply` from 0.
    """
    lines = await (await view.match(match_id)).records()
    try:
        found = await asyncio.to_thread(lambda: answers([event_from_line(line) for line in lines]))
    except ValueError:
        message = f"The record of match {match_id} can't be replayed: the server's log says why."
        raise ApiError(500, "unreadable", message) from None
    return {"answers": [_answer(each) for each in found]}


def _answer(answer: Answer) -> dict[str, Any]:
    times = {key: value for key, value in answer._asdict().items() if key.endswith("_ns")}
    told = {key: value for key, value in answer._asdict().items() if key not in times}
    told |= {f"{key[:-3]}_ms": None if value is None else value / MS for key, value in times.items()}
    return {"move": answer.ply + 1, **told}


@router.get("/matches/{match_id}/rulings")
async def rulings(view: Seen, match_id: str) -> dict[str, Any]:
    """What was ruled on a match of a tournament, in order: the last one counts."""
    return {"rulings": await view.rulings(match_id)}


@router.get("/games/{game}/view")
async def view(game: str, actions: Annotated[str, Query(max_length=1000)] = "") -> dict[str, Any]:
    """The boards reached by `actions` (such as "3,0,3"), for practice: `views` has one per ply, `view` is the last."""
    try:
        rules = get_game(game)
        chosen = [int(action) for action in actions.split(",") if action]
        state = rules.initial_state()
        states = [state, *(state := state.apply(action) for action in chosen)]
    except UnknownGame as error:
        raise ApiError(404, "unknown_game", str(error)) from None
    except IllegalAction as error:
        raise ApiError(422, "illegal_action", error.sentence) from None
    except ValueError:
        raise ApiError(422, "bad_actions", "Actions are whole numbers separated by commas, such as 3,0,3.") from None
    views = [rules.view(each).to_wire() for each in states]
    return {
        "view": views[-1],
        "views": views,
        "legal": state.legal_actions(),
        "to_move": state.to_move,
        "returns": state.returns(),
    }
