"""Openings that leave neither side ahead. `openings/GAME.json` holds {"openings": [[actions], ...]}."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources


@cache
def shipped_openings(game: str) -> tuple[tuple[int, ...], ...]:
    """() if none are shipped."""
    file = resources.files("palestra_games") / "openings" / f"{game}.json"
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    return tuple(tuple(actions) for actions in content["openings"])
