"""`palestra-bots tables`: what the exact solver of mancala looks up instead of searching."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Make the tables of the exact solver of mancala.", no_args_is_help=True)


@app.command("mancala")
def build_endgame_table(
    seeds: Annotated[int, typer.Option(help="The most seeds in the pits: 15 takes 17 MB, 16 30 MB, 18 87 MB.")] = 16,
    capture: Annotated[str, typer.Option(help="The capture rule: non-empty or any.")] = "non-empty",
) -> None:
    """Make the endgame table for 6 pits a side and keep it in the user's cache folder. The largest one is used."""
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


@app.command("mancala-book")
def build_book(
    minutes: Annotated[float, typer.Option(min=0, help="Stop after so long.")] = 60.0,
    out: Annotated[Path | None, typer.Option(help="The book to write; by default the one of this package.")] = None,
    notes: Annotated[
        Path, typer.Option(help="Every solved position is kept here at once; run again to go on behind it.")
    ] = Path("mancala-book.txt"),
    table_bits: Annotated[
        int, typer.Option(min=10, max=30, help="The table has 2 to this power entries of 16 bytes.")
    ] = 25,
) -> None:
    """Make the opening book of mancala: what our own play can meet and can't be solved within a move."""
    from palestra_bots.solvers.mancala import book, book_builder

    progress: list[book_builder.Progress] = []
    try:
        entries = book_builder.build(
            notes, table_bits=table_bits, deadline=time.monotonic() + 60 * minutes, report=progress.append
        )
        path = out or book.book_path()
        book_builder.write(entries, path)
    except (ValueError, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{len(entries)} positions in {path}")
    if progress and progress[-1].left:
        last = progress[-1]
        typer.echo(f"Not finished: {last.rounds} rounds done, {last.left} positions left in the next one.")
