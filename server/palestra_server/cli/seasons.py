"""`palestra-server season`: tournaments that count together, from a file to the marks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.markup import escape
from rich.table import Table

from palestra_server.cli.counted import Force, Kind, Name, add_shared, shown
from palestra_server.cli.output import WithHidden
from palestra_server.cli.target import Target, target_command
from palestra_tournament.season import example_season

app = typer.Typer(
    help="Seasons: tournaments that count together, with one table and one mark.",
    no_args_is_help=True,
    add_completion=False,
)

SEASONS: Final = Kind("season", files=("season.toml", "standings.csv", "grades.csv"), stays="its tournaments stay")

TomlFile = Annotated[Path, typer.Argument(metavar="FILE", help="A season file; 'season new' writes one to start from.")]


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it, such as spring.toml.")],
    force: Force = False,
) -> None:
    """Write a season file with every key explained; change it, then 'season create' it."""
    SEASONS.write_new(file, force, example_season)


@target_command(app, make=True)
def check(target: Target, file: TomlFile) -> None:
    """Check a season file: what it counts, and what may be a mistake."""
    target.only_looks = True
    found = target.api.post("/seasons/check", {"toml": SEASONS.text_in(file)})
    season = found["season"]
    names = ", ".join(f"{leg['name']} (weight {leg['weight']:g})" for leg in season["tournaments"])
    best = f"the best {season['best']} of them" if season["best"] else "all of them"
    seeding = ["Each is seeded by the ratings from those before it."] if season["seeding"] == "ratings" else []
    notes = (f"Note: {remark['message']}" for remark in found["remarks"])
    target.answer(
        found, f"{season['title'] or season['name']}: {names}; {best} count, by {season['scoring']}.", *seeding, *notes
    )


@target_command(app, make=True)
def create(target: Target, file: TomlFile) -> None:
    """Create a season from a file. Its tournaments may be created later."""
    made = target.api.post("/seasons", {"toml": SEASONS.text_in(file)})
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
    season = target.api.get(SEASONS.path(name))
    rows = target.api.get(SEASONS.path(name, "/standings"), hidden=shown(with_hidden))["rows"]
    legs = [leg["name"] for leg in season["tournaments"]]
    table = Table("rank", "player", "group", "total", *map(escape, legs), box=None, pad_edge=False)
    for each in ("rating", "ranks"):
        table.add_column(each, no_wrap=True)
    for row in rows:
        of = row["rating"]
        rating = "" if of is None else rated(of)
        ranks = "" if of is None else f"{of['rank_low']}-{of['rank_high']}"
        cells = (str(row["rank"]), row["player"], row["group"], f"{row['total']:.1f}", *map(_score, row["legs"]))
        table.add_row(*map(escape, (*cells, rating, ranks)))
    target.answer(rows, table, *SEASONS.unseen(target, name, with_hidden))


def rated(of: Mapping[str, float]) -> str:
    """A rating and its interval, in whole numbers, which have no minus zero."""
    return f"{round(of['elo'])} ({round(of['low'])} to {round(of['high'])})"


def _score(leg: dict[str, Any] | None) -> str:
    if leg is None:
        return "-"
    return f"{leg['score']:.1f}" if leg["counts"] else f"({leg['score']:.1f})"


add_shared(app, SEASONS)
