"""`palestra-server season`: tournaments that count together, from a file to the marks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer
from rich.markup import escape
from rich.table import Table

from palestra_server.cli.output import HIDDEN_TOO, InLanguage, WithHidden, in_base64
from palestra_server.cli.target import Target, target_command
from palestra_server.cli.tournaments import (
    Into,
    MarksColumn,
    OutFile,
    System,
    text_in,
    write_marks,
    write_new,
    write_tables,
)
from palestra_tournament.season import example_season

app = typer.Typer(
    help="Seasons: tournaments that count together, with one table and one mark.",
    no_args_is_help=True,
    add_completion=False,
)

FILES: Final = ("season.toml", "standings.csv", "grades.csv")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A season's name, as 'season list' shows it.")]
TomlFile = Annotated[Path, typer.Argument(metavar="FILE", help="A season file; 'season new' writes one to start from.")]


def _path(name: str, tail: str = "") -> str:
    return f"/seasons/{quote(name, safe='')}{tail}"


def _unseen(target: Target, name: str, with_hidden: bool) -> tuple[str, ...]:
    left_out = not (with_hidden or target.as_json) and target.api.get(_path(name))["hides"]
    return (f"A hidden round is left out. {HIDDEN_TOO}",) if left_out else ()


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it, such as spring.toml.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a season file with every key explained; change it, then 'season create' it."""
    write_new(file, force, "season", example_season)


@target_command(app, make=True)
def check(target: Target, file: TomlFile) -> None:
    """Check a season file: what it counts, and what may be a mistake."""
    found = target.api.post("/seasons/check", {"toml": text_in(file, "season")})
    season = found["season"]
    names = ", ".join(f"{leg['name']} (weight {leg['weight']:g})" for leg in season["tournaments"])
    best = f"the best {season['best']} of them" if season["best"] else "all of them"
    notes = (f"Note: {remark['message']}" for remark in found["remarks"])
    target.answer(found, f"{season['title'] or season['name']}: {names}; {best} count, by {season['scoring']}.", *notes)


@target_command(app, make=True)
def create(target: Target, file: TomlFile) -> None:
    """Create a season from a file. Its tournaments may be created later."""
    made = target.api.post("/seasons", {"toml": text_in(file, "season")})
    target.answer(made, f"{made['name']} is created. Its table: palestra-server season standings {made['name']}")


@target_command(app, "list")
def list_(target: Target) -> None:
    """List all seasons and their tournaments."""
    found = target.api.get("/seasons")
    lines = [
        f"{each['name']}: " + ", ".join(f"{leg['name']} ({leg['state']})" for leg in each["tournaments"])
        for each in found["seasons"]
    ]
    target.answer(found, *(lines or ["There are no seasons; 'palestra-server season new FILE' begins one."]))


@target_command(app)
def standings(target: Target, name: Name, with_hidden: WithHidden = False) -> None:
    """Show the table of a season. Scores in brackets do not count: they are not among the best."""
    season = target.api.get(_path(name))
    rows = target.api.get(_path(name, "/standings"), hidden="show" if with_hidden else None)["rows"]
    legs = [leg["name"] for leg in season["tournaments"]]
    table = Table("rank", "player", "group", "total", *map(escape, legs), "rating", "ranks", box=None, pad_edge=False)
    for row in rows:
        of = row["rating"]
        rating = "" if of is None else f"{of['elo']:.0f} ({of['low']:.0f} to {of['high']:.0f})"
        ranks = "" if of is None else f"{of['rank_low']}-{of['rank_high']}"
        cells = (str(row["rank"]), row["player"], row["group"], f"{row['total']:.1f}", *map(_score, row["legs"]))
        table.add_row(*map(escape, (*cells, rating, ranks)))
    target.answer(rows, table, *_unseen(target, name, with_hidden))


def _score(leg: dict[str, Any] | None) -> str:
    if leg is None:
        return "-"
    return f"{leg['score']:.1f}" if leg["counts"] else f"({leg['score']:.1f})"


@target_command(app)
def grades(
    target: Target,
    name: Name,
    system: System = "people",
    into: Into = None,
    file: OutFile = None,
    language: InLanguage = None,
    column: MarksColumn = None,
    with_hidden: WithHidden = False,
) -> None:
    """Write everybody's mark for the season, each with its explanation, for Moodle, Canvas or people."""
    body = {"system": system, "language": language or "en", "column": column, "into": into and in_base64(into)}
    sheet = target.api.post(_path(name, "/marks"), body, hidden="show" if with_hidden else None)
    write_marks(target, sheet, file, _unseen(target, name, with_hidden))


@target_command(app)
def export(
    target: Target,
    name: Name,
    folder: Annotated[Path, typer.Option("--out", help="Folder for the files, created if need be.")] = Path(),
    with_hidden: WithHidden = False,
) -> None:
    """Write the season's file, standings and grades (with every record: 'palestra-server export')."""
    hidden = "show" if with_hidden else None
    write_tables(target, folder / name, _path(name), FILES, hidden, _unseen(target, name, with_hidden))


@target_command(app)
def delete(
    target: Target,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a season; its tournaments stay."""
    if not yes and not typer.confirm(f"Delete the season {name}?"):
        raise typer.Exit(1)
    target.answer(target.api.delete(_path(name)), f"{name} is deleted; its tournaments stay.")
