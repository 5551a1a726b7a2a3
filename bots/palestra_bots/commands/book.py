"""`palestra-bots book` and `tables`: what the exact solvers make."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from palestra_bots.terminal import one_sentence
from palestra_games.sowing import Capture

app = typer.Typer(help="Rebuild the opening books.", no_args_is_help=True, add_completion=False)
tables = typer.Typer(help="Make the tables of the exact solver of mancala.", no_args_is_help=True, add_completion=False)

Log = Annotated[Path, typer.Option(help="Solved positions are saved here as they are found; run again to resume.")]
Openings = Annotated[int, typer.Option(min=1, help="Cover every position up to this ply, wherever a match may begin.")]
Minutes = Annotated[float, typer.Option(help="After this many minutes, begin no new position.")]


@app.command("connect4")
def build_connect4(
    out: Annotated[Path | None, typer.Option(help="The book to write; by default the one of this package.")] = None,
    log: Log = Path("connect4-book.log"),
    openings: Openings = 2,
    last_ply: Annotated[int, typer.Option(min=1, max=14, help="The last ply in the book.")] = 9,
    minutes: Minutes = 600.0,
    checked: Annotated[
        Path | None, typer.Option(help="The log of connect4-check, whose hard positions go into the book too.")
    ] = None,
    too_many: Annotated[
        int, typer.Option(help="A position that takes this many nodes is hard for a bot on the clock.")
    ] = 500_000,
) -> None:
    """Build the opening book of connect four (6x7), with two threads and a table of 512 MiB."""
    from palestra_bots.solvers import books
    from palestra_bots.solvers.connect4.book_builder import Builder, turns
    from palestra_bots.solvers.connect4.solver import Solver

    solver = Solver(25)
    builder = Builder(log, (solver, solver.twin()))
    deadline = time.monotonic() + 60 * minutes
    for ply, level in zip(range(last_ply + 1), turns(builder, openings), strict=False):
        begun = time.monotonic()
        done = builder.solve(level, lambda: time.monotonic() > deadline)
        end = "" if done else ", not finished"
        typer.echo(f"ply {ply}: {len(level)} positions, {time.monotonic() - begun:.0f} s{end}")
        if not done:
            break
    entries = {} if checked is None else Builder(checked, ()).book(too_many)
    entries |= builder.book()
    path = out or books.path_of("connect4")
    books.write(entries, path)
    typer.echo(f"{len(entries)} positions in {path}")


@app.command("connect4-check")
def check_connect4(
    log: Log = Path("connect4-check.log"),
    openings: Openings = 1,
    last_ply: Annotated[int, typer.Option(min=1, max=14, help="The last ply to look at.")] = 11,
    minutes: Minutes = 600.0,
) -> None:
    """Measure how hard the positions after the book are: nodes and CPU time by ply.

    The bot plays the move of the book, its opponent any move. What the book lacks is solved from an empty table.
    """
    from palestra_bots.solvers.connect4.book import load_book
    from palestra_bots.solvers.connect4.book_builder import Builder, turns
    from palestra_bots.solvers.connect4.solver import Solver

    checker = Builder(log, (Solver(), Solver()), known=load_book(), fresh=True)
    deadline = time.monotonic() + 60 * minutes
    for ply, level in zip(range(last_ply + 1), turns(checker, openings), strict=False):
        done = checker.solve(level, lambda: time.monotonic() > deadline)
        costs = checker.costs(level)
        line = f"ply {ply}: {len(level)} positions, {len(checker.unknown(level))} not in the book, {len(costs)} solved"
        if costs:
            nodes, slowest = [cost.nodes for cost in costs], max(cost.milliseconds for cost in costs)
            line += f": mean {sum(nodes) / len(nodes):,.0f} nodes, most {nodes[0]:,}, slowest {slowest:,.0f} ms"
        typer.echo(line)
        if not done:
            break


@app.command("mancala")
def build_mancala(
    minutes: Annotated[float, typer.Option(min=0, help="Stop after this many minutes.")] = 60.0,
    out: Annotated[Path | None, typer.Option(help="The book to write; by default the one of this package.")] = None,
    notes: Annotated[
        Path, typer.Option(help="Solved positions are saved here as they are found; run again to resume.")
    ] = Path("mancala-book.txt"),
    table_bits: Annotated[
        int, typer.Option(min=10, max=30, help="The table has 2 to this power entries of 16 bytes.")
    ] = 25,
) -> None:
    """Build the opening book of mancala: positions that `mtdf` can meet and can't solve within a move."""
    from palestra_bots.solvers import books
    from palestra_bots.solvers.mancala import book_builder

    progress: list[book_builder.Progress] = []
    with one_sentence():
        entries = book_builder.build(
            notes, table_bits=table_bits, deadline=time.monotonic() + 60 * minutes, report=progress.append
        )
        path = out or books.path_of("mancala")
        books.write(entries, path)
    typer.echo(f"{len(entries)} positions in {path}")
    if progress and progress[-1].left:
        last = progress[-1]
        typer.echo(f"Not finished: {last.rounds} rounds done, {last.left} positions left in the next one.")


@tables.callback()
def _tables() -> None:
    pass  # With a callback, typer keeps this a group though it has one command.


@tables.command("mancala")
def build_endgame_table(
    seeds: Annotated[int, typer.Option(help="The most seeds in the pits: 15 takes 17 MB, 16 30 MB, 18 87 MB.")] = 16,
    capture: Annotated[Capture, typer.Option(help="The capture rule.")] = "non-empty",
) -> None:
    """Make the endgame table for 6 pits a side and keep it in the cache folder, where the largest one is used."""
    from palestra_bots.solvers.mancala import cache, endgame

    started = time.monotonic()
    with one_sentence():
        table = endgame.build(6, capture, seeds)
        took_s = time.monotonic() - started
        path = cache.save(table)
    typer.echo(f"{len(table.values):,} positions in {took_s:.1f} s: {path}")
