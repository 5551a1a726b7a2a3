"""`palestra games`."""

from __future__ import annotations

import typer

from palestra_games import game_names


def games() -> None:
    """List the installed games."""
    for name in game_names():
        typer.echo(name)
