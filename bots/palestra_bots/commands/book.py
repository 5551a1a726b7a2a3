"""`palestra-bots book connect4` and `palestra-bots positions`: the data that our own connect-four solver makes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Build the opening books anew.", no_args_is_help=True)


@app.command("connect4")
def build_connect4(
    out: Annotated[Path | None, typer.Option(help="The book to write; by default the one of this package.")] = None,
    log: Annotated[
        Path, typer.Option(help="Every solved position is kept here at once; run again to go on behind it.")
    ] = Path("connect4-book.log"),
    openings: Annotated[
        int, typer.Option(min=1, help="The bot may have to begin from any position up to this ply.")
    ] = 2,
    last_ply: Annotated[int, typer.Option(min=1, max=14, help="The last ply in the book.")] = 9,
    minutes: Annotated[
        float, typer.Option(help="Start no new position after so long; the book then holds what is solved.")
    ] = 600.0,
) -> None:
    """The opening book of connect four (6x7), by two threads with a table of 512 MiB."""
    from palestra_bots.solvers.connect4.book import package_file
    from palestra_bots.solvers.connect4.book_build import Builder, turns
    from palestra_bots.solvers.connect4.solver import Solver

    builder = Builder(log, Solver(25))
    deadline = time.monotonic() + 60 * minutes
    for ply, level in zip(range(last_ply + 1), turns(builder, openings), strict=False):
        begun = time.monotonic()
        done = builder.solve(level, lambda: time.monotonic() > deadline)
        end = "" if done else ", not finished"
        typer.echo(f"ply {ply}: {len(level)} positions, {time.monotonic() - begun:.0f} s{end}")
        if not done:
            break
    book = builder.book()
    path = package_file() if out is None else out
    path.write_bytes(book.to_bytes())
    typer.echo(f"{len(book)} positions in {path}")


def list_positions(
    name: Annotated[str, typer.Argument(help="end-easy, middle-easy, middle-medium, begin-easy, -medium or -hard.")],
    count: Annotated[int, typer.Option(min=1, help="How many.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same positions.")] = 1,
) -> None:
    """Random positions of connect four by ply and distance, one a line: the columns played (1 to 7) and the score."""
    from palestra_bots.solvers.connect4.positions import samples
    from palestra_bots.solvers.connect4.solver import Solver

    try:
        found = samples(name, count, seed, Solver())
    except ValueError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    for sample in found:
        typer.echo(f"{''.join(str(action + 1) for action in sample.actions)} {sample.score}")
