"""What this server is, for the page and for new clients."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from palestra_games import game_names, get_game
from palestra_protocol.reference_bots import LEVELS
from palestra_server import VERSION
from palestra_server.web import API
from palestra_server.web.addresses import install_command
from palestra_server.web.state import Running
from palestra_tournament import example_spec, installed_formats

router = APIRouter(prefix=API, tags=["about"])


@router.get("/about")
async def about(request: Request, server: Running) -> dict[str, Any]:
    """Name, version, games and their actions, where bots connect, and how to install the client."""
    settings = server.settings
    games = [get_game(name) for name in sorted(game_names())]
    return {
        "name": "Palestra",
        "version": VERSION,
        "games": [
            {
                "name": game.name,
                "actions": [game.action_name(action) for action in game.initial_state().legal_actions()],
            }
            for game in games
        ],
        "guests": settings.guests,
        "ws": "/play",
        "port": server.bots_port,
        "page": server.page,
        "bots": server.bots,
        "levels": LEVELS,
        # By the visitor's address: a server in a container does not know its external one.
        "install": install_command((settings.site or str(request.base_url)).rstrip("/")),
        "limits": {"move_ms": settings.move_ms, "grace_ms": settings.grace_ms},
    }


@router.get("/formats")
async def tournament_formats() -> dict[str, Any]:
    """The formats of tournaments, each with a commented example of a file."""
    return {
        "formats": [
            {"format": kind.name, "format_title": kind.title, "about": kind.about, "example": example_spec(kind)}
            for kind in installed_formats().values()
        ]
    }
