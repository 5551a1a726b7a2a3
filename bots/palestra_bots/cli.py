"""The command `palestra-bots`: what can be done with the reference bots and their search, away from any server.

Every sub-command has a module of its own in `palestra_bots.commands`; this one only puts them together.
"""

from __future__ import annotations

import typer

from palestra_bots.commands import analyse, book, compiling, lab, ladder, levels, listing, openings, solve, tables

app = typer.Typer(
    name="palestra-bots",
    help="The reference bots of Palestra and their search. To let one play: palestra join palestra_bots:mtdf",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("list")(listing.list_bots)
app.command("analyse")(analyse.analyse_position)
app.command("solve")(solve.solve_position)
app.command("positions")(book.list_positions)
app.add_typer(book.app, name="book")
app.add_typer(tables.app, name="tables")
app.add_typer(lab.app, name="lab")
app.command("compile")(compiling.compile_searches)
app.command("ladder")(ladder.rate_levels)
app.command("openings")(openings.make_openings)
app.command("levels")(levels.show_levels)
app.command("calibrate")(levels.calibrate_levels)


def main() -> None:
    app()
