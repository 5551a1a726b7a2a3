"""`palestra-bots compile`."""

from __future__ import annotations

import typer

from palestra_games import get_game


def compile_searches() -> None:
    """Compile every game's search now and keep it, so that no first match waits for it; takes a minute or two."""
    from palestra_bots import registry
    from palestra_bots.kernels.load import KERNELS

    for game in KERNELS:
        for make in (registry.alphabeta, registry.mtdf):
            make().warm_up(get_game(game))
        typer.echo(f"{game}: compiled")
