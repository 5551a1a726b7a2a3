"""`palestra-bots tables`: what the exact solver of mancala looks up instead of searching."""

from __future__ import annotations

import time
from typing import Annotated

import typer

app = typer.Typer(help="Make the tables of the exact solver of mancala.", no_args_is_help=True, add_completion=False)


@app.callback()
def _tables() -> None:
    pass  # With a callback, typer keeps this a group though it has one command.


@app.command("mancala")
def build_endgame_table(
    seeds: Annotated[int, typer.Option(help="The most seeds in the pits: 15 takes 17 MB, 16 30 MB, 18 87 MB.")] = 16,
    capture: Annotated[str, typer.Option(help="The capture rule: non-empty or any.")] = "non-empty",
) -> None:
    """Make the endgame table for 6 pits a side and keep it in the cache folder, where the largest one is used."""
    from palestra_bots.solvers.mancala import cache, endgame

    if capture not in ("non-empty", "any"):
        typer.echo(f"There is no capture rule {capture!r}; choose non-empty or any.", err=True)
        raise typer.Exit(2)
    started = time.monotonic()
    try:
        table = endgame.build(6, "any" if capture == "any" else "non-empty", seeds)
        took_s = time.monotonic() - started
        path = cache.save(table)
    except (ValueError, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{len(table.values):,} positions in {took_s:.1f} s: {path}")
