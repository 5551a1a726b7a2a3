"""The players: a list, what each has played and how well, and the failures of one's own bot."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from palestra_protocol import limits
from palestra_protocol.codecs import JSON
from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server.store import BY_PLAY, By, Counted, Tally
from palestra_server.web import API
from palestra_server.web.access import Who, only
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Desk, Running, Seen

router = APIRouter(prefix=API, tags=["players"])

Version = Annotated[str | None, Query(max_length=limits.VERSION_MAX)]
FAILURES = 200
_NONE = Tally()


@router.get("/players", response_model=dict[str, Any])
async def players(server: Running, who: Who, view: Seen) -> Response:
    """Everybody on the roster, and the guests who are connected."""
    is_teacher = who.role == "teacher"

    async def make() -> bytes:
        tallies, ready = await view.tallies(), await asyncio.to_thread(server.readiness.passed)
        return _listed(server, tallies, ready, with_bans=is_teacher)

    return Response(await server.player_lists[is_teacher, who.sees_hidden].get(make), media_type="application/json")


def _listed(
    server: Desk, tallies: Mapping[str, Tally], ready: Mapping[str, Mapping[str, bool]], *, with_bans: bool
) -> bytes:
    guests = [name for name, peer in server.peers.items() if peer.guest and server.roster.get(name) is None]
    shown = []
    for name in (*server.roster.names, *guests):
        one = {**_present(server, name), "ready": ready.get(name, {}), **_counts(tallies.get(name, _NONE))}
        if with_bans and (row := server.roster.get(name)) is not None:
            one["banned"] = row.banned
        shown.append(one)
    return JSON.encode({"players": shown})


@router.get("/players/{name:path}/failures")
async def failures(who: Who, view: Seen, name: str) -> dict[str, Any]:
    """The matches that this bot lost by a fault, not on the board; newest first, for its owner only."""
    only(who, name)
    return {"failures": await view.failures(name, FAILURES)}


@router.get("/players/{name:path}/versions")
async def versions(view: Seen, name: str, older: Version = None, newer: Version = None) -> dict[str, Any]:
    """The versions of this bot, newest first, with their scores; two of them compared (the newest two, unless others
    are named), and the first position of each game in which they play differently.
    """
    return await view.versions(name, older, newer)


@router.get("/players/{name:path}/scores")
async def scores(
    view: Seen,
    name: str,
    by: By,
    opponent: Annotated[str | None, Query(max_length=limits.NAME_MAX)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    start: Annotated[int, Query(ge=0, le=limits.SEQ_MAX)] = 0,
) -> dict[str, Any]:
    """The player's matches added up by opponent, tournament or game, those played last first; `next` is the `start` of
    the next page.
    """
    found, following = await view.scores(name, by, opponent, limit, start)
    return {"scores": found, "next": following}


@router.get("/players/{name:path}")
async def player(server: Running, view: Seen, name: str) -> dict[str, Any]:
    """A player's record by game and seat, faults, thinking times, strength, and what the judge says of it all."""
    counted, times, strengths, ready = await view.player(name)
    known = counted or server.roster.get(name) is not None or name in server.peers or name in REFERENCE_BOTS
    if not known and not (await view.matches(1, player=name))[0]:
        raise ApiError(
            404, "unknown_player", f"Nobody called {name[:64]} has ever played here; see the list of players."
        )
    results: Counter[float] = Counter()
    faults: Counter[str] = Counter()
    record: dict[str, dict[str, list[int]]] = {}
    for one in counted:
        results[one.result] += one.number
        seats = record.setdefault(one.game, {"seat0": [0, 0, 0], "seat1": [0, 0, 0]})
        seats[f"seat{one.seat}"][1 - round(one.result)] += one.number
        if one.result < 0 and one.reason not in BY_PLAY:
            faults[one.reason] += one.number
    return {
        **_present(server, name),
        **_counts(Tally(results[1.0], results[0.0], results[-1.0])),
        "ready": ready,
        "record": dict(sorted(record.items())),
        "timeouts": faults["timeout"],
        "illegal": faults["illegal"],
        # The client resigns when a bot's code raises an exception.
        "crashes": faults["resign"],
        "disconnects": faults["disconnect"] + faults["not_ready"],
        "median_ms": None if times is None else times.median,
        "p99_ms": None if times is None else times.p99,
        "strengths": strengths,
        "judged": _judged(counted),
    }


def _judged(counted: list[Counted]) -> dict[str, Any]:
    """By game, the values kept of so many choices, by thirds of the matches; and how often a judge named which cause in
    so many lost ones.
    """
    games: dict[str, dict[str, list[int]]] = {}
    causes, losses = Counter[str](), 0
    for one in counted:
        if one.judged:
            of = games.setdefault(one.game, {"kept": [0, 0, 0], "choices": [0, 0, 0]})
            of["kept"] = [*map(sum, zip(of["kept"], one.kept, strict=True))]
            of["choices"] = [*map(sum, zip(of["choices"], one.choices, strict=True))]
            if one.result < 0:
                losses += one.judged
                if one.cause is not None:
                    causes[one.cause] += one.judged
    return {"games": dict(sorted(games.items())), "losses": losses, "causes": dict(causes.most_common())}


def _present(server: Desk, name: str) -> dict[str, Any]:
    row, peer = server.roster.get(name), server.peers.get(name)
    return {
        "name": name,
        "group": "" if row is None else row.group,
        "guest": row is None and (peer is None or peer.guest) and name not in REFERENCE_BOTS,
        "reference": name in REFERENCE_BOTS,
        "online": peer is not None,
        "busy": server.busy(name),
    }


def _counts(tally: Tally) -> dict[str, int]:
    return {"played": tally.won + tally.drawn + tally.lost, "won": tally.won, "drawn": tally.drawn, "lost": tally.lost}
