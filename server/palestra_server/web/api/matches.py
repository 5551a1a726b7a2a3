"""Matches, live and past, and the boards of a game for practice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from palestra_games import IllegalAction, UnknownGame, get_game
from palestra_protocol import limits
from palestra_referee import Match
from palestra_referee.sentences import parts
from palestra_server.answers import compact_json
from palestra_server.gateway import Refusal
from palestra_server.runtime import EMBARGOED, Server
from palestra_server.runtime.snapshots import match_snapshot
from palestra_server.store import MatchSummary
from palestra_server.web.access import Identity, Who
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Running

router = APIRouter(tags=["matches"])

_LIST_MAX = 200
_Name = Annotated[str | None, Query(max_length=limits.NAME_MAX)]


def summary_fields(server: Server, summary: MatchSummary) -> dict[str, Any]:
    """A match in a listing. `started` and `ended` are UTC in milliseconds since 1970."""
    return {
        "match": summary.match,
        "game": summary.game,
        "players": summary.players,
        "tournament": summary.tournament,
        "tournament_title": server.host.title_of(summary.tournament),
        "rated": summary.rated,
        "started": summary.created_ms,
        "ended": summary.finished_ms,
        "plies": summary.plies,
        "returns": summary.returns,
        "reason": summary.reason,
        "detail": summary.detail,
        "why": None if summary.detail is None else parts(summary.detail, summary.players),
        "live": summary.match in server.host.matches,
    }


def hidden_to(who: Identity, server: Server) -> frozenset[str]:
    """The matches under embargo, which lists show to the teacher only."""
    return frozenset() if who.role == "teacher" else server.director.hidden


def _refuse_hidden(who: Identity, server: Server, match_id: str, players: Sequence[str]) -> None:
    """Raises ApiError for a match under embargo, unless the teacher or one of its players asks."""
    if who.player not in players and match_id in hidden_to(who, server):
        raise ApiError(403, "embargoed", EMBARGOED)


@router.get("/matches")
async def matches(
    server: Running,
    who: Who,
    player: _Name = None,
    lost_by: _Name = None,
    game: _Name = None,
    tournament: _Name = None,
    limit: Annotated[int, Query(ge=1, le=_LIST_MAX)] = 50,
    before: int | None = None,
) -> dict[str, Any]:
    """Matches, newest first; `next` is the `before` of the next page, null on the last page."""
    found = await asyncio.to_thread(
        server.journal.matches,
        limit,
        tournament=tournament,
        player=player,
        lost_by=lost_by,
        game=game,
        before=before,
        without=hidden_to(who, server),
    )
    return {
        "matches": [summary_fields(server, summary) for summary in found],
        "next": found[-1].number if len(found) == limit else None,
    }


@router.get("/matches/{match_id}")
async def match(server: Running, who: Who, match_id: str) -> Response:
    """One match with every move and every board."""
    summary = await _allowed(server, who, match_id)
    fields = summary_fields(server, summary)
    return await _made(server, match_id, "whole", lambda match, _: _whole(fields, summary.receipt, match))


@router.get("/matches/{match_id}/snapshot")
async def snapshot(server: Running, who: Who, match_id: str) -> Response:
    """The first event that /watch sends for a match. Here the teacher may also see matches under embargo."""
    live = server.host.matches.get(match_id)
    if live is None:
        await _allowed(server, who, match_id)
    else:  # a match that has just begun isn't in the journal yet
        _refuse_hidden(who, server, match_id, live.match.config.players)
    return await _made(server, match_id, "snapshot", lambda match, at: _told(server, match, at))


def _told(server: Server, match: Match, at: int | None) -> bytes:
    return compact_json(match_snapshot(match, at, server.host.title_of(match.config.tournament)))


async def _allowed(server: Server, who: Identity, match_id: str) -> MatchSummary:
    found = await asyncio.to_thread(server.journal.summaries, [match_id])
    if not found:
        raise _unknown(match_id)
    _refuse_hidden(who, server, match_id, found[0].players)
    return found[0]


async def _made(server: Server, match_id: str, kind: str, make: Callable[[Match, int | None], bytes]) -> Response:
    """The JSON that `make` returns for a match and the time on its axis (None if it is over). Runs in a thread."""
    live = server.host.matches.get(match_id)
    at = None if live is None else live.now()
    known = None if live is None else live.match
    kind = kind if known is None else f"{kind} at ply {known.ply} {known.phase}"
    answer = server.past.ask(match_id, kind, lambda match: make(match, at), known)
    if isinstance(answer, Refusal):
        raise ApiError(429, answer.code, answer.message, headers={"retry-after": "3"})
    # Others may be waiting for the same result, so a client that goes away must not cancel it.
    made = await asyncio.shield(answer)
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
        "views": shown["views"],
        "receipt": receipt,
    }
    return compact_json(whole)


@router.get("/matches/{match_id}/record")
async def record(server: Running, who: Who, match_id: str) -> Response:
    """The records of a match, one canonical JSON map per line, as described in RECORDS.md."""
    await _allowed(server, who, match_id)
    lines = await asyncio.to_thread(server.journal.read_lines, match_id)
    headers = {"content-disposition": f'attachment; filename="{match_id}.jsonl"'}
    return Response(b"\n".join(lines) + b"\n", media_type="application/jsonl", headers=headers)


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


def _unknown(match_id: str) -> ApiError:
    return ApiError(404, "unknown_match", f"There is no match {match_id[:64]!r} here; see the list of matches.")
