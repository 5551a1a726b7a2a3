"""Who plays here: the list, one player's record, and a student's own failures."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from palestra_server.web.state import Running

router = APIRouter(tags=["players"])


@router.get("/players")
async def players(server: Running) -> dict[str, Any]:
    """Everybody on the roster, and the guests who are here."""
    host = server.host
    roster = server.roster.names
    guests = [name for name, peer in host.peers.items() if peer.guest]
    return {
        "players": [
            {
                "name": name,
                "guest": name in guests,
                "online": name in host.peers,
                "busy": host.busy(name),
            }
            for name in sorted({*roster, *guests})
        ]
    }
