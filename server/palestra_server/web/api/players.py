"""The players: a list, each player's record, and the failures of one's own bot."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from palestra_protocol import limits
from palestra_server.store import BY_PLAY, Tally
from palestra_server.web.access import Who, only
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Desk, Running, Seen

router = APIRouter(tags=["players"])

RECENT = 20
Version = Annotated[str | None, Query(max_length=limits.VERSION_MAX)]
FAILURES = 200


@router.get("/players")
async def players(server: Running, who: Who, view: Seen) -> dict[str, Any]:
    """Everybody on the roster, and the guests who are connected."""
    tallies, ready = await view.tallies(), await asyncio.to_thread(server.readiness.passed)
    roster = server.roster.names
    guests = [name for name, peer in server.peers.items() if peer.guest and server.roster.get(name) is None]
    shown = []
    for name in (*roster, *guests):
        one = _present(server, name) | {"ready": ready.get(name, {})} | _counts(tallies.get(name, Tally()))
        if who.role == "teacher" and (row := server.roster.get(name)) is not None:
            one["banned"] = row.banned
        shown.append(one)
    return {"players": shown}


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


@router.get("/players/{name:path}")
async def player(server: Running, view: Seen, name: str) -> dict[str, Any]:
    """A player's record by game and seat, faults, thinking times, rating history and newest matches."""
    counted, times, ratings, recent = await view.player(name, RECENT)
    ready = await asyncio.to_thread(server.readiness.passed)
    if not recent and name not in server.roster.names and name not in server.peers:
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
        "ready": ready.get(name, {}),
        "record": dict(sorted(record.items())),
        "timeouts": faults["timeout"],
        "illegal": faults["illegal"],
        # The client resigns when a bot's code raises an exception.
        "crashes": faults["resign"],
        "disconnects": faults["disconnect"] + faults["not_ready"],
        "median_ms": None if times is None else times.median,
        "p99_ms": None if times is None else times.p99,
        "rating": [asdict(moment) for moment in ratings],
        "matches": recent,
    }


def _present(server: Desk, name: str) -> dict[str, Any]:
    row, peer = server.roster.get(name), server.peers.get(name)
    return {
        "name": name,
        "group": "" if row is None else row.group,
        "guest": row is None and (peer is None or peer.guest),
        "online": peer is not None,
        "busy": server.busy(name),
    }


def _counts(tally: Tally) -> dict[str, int]:
    return {
        "played": tally.won + tally.drawn + tally.lost,
        "won": tally.won,
        "drawn": tally.drawn,
        "lost": tally.lost,
    }
