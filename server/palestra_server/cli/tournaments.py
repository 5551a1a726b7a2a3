"""`palestra-server tournament`: from a file to the standings."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

import typer
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from palestra_server.cli.admin import Admin, admin
from palestra_server.cli.output import AsJson, Data, Database, Key, ServerUrl, fail, out, print_json, settings_from
from palestra_server.cli.views import results_view, standings_view, status_view, when
from palestra_tournament import FORMATS, example_spec

app = typer.Typer(
    help="Tournaments: make one from a file, start it, follow it, take its results.", no_args_is_help=True
)

WATCH_S: Final = 1.0
"""Pause between two looks of `status --watch`."""
FILES: Final = ("tournament.toml", "standings.csv", "crosstable.csv", "schedule.csv", "grades.csv")
"""What `tournament export` writes."""

Name = Annotated[str, typer.Argument(help="The tournament, as 'tournament list' writes it.")]
TomlFile = Annotated[Path, typer.Argument(help="A tournament file; 'tournament new' writes one to begin with.")]


class House:
    """The options that say which server is meant, and the calls to it."""

    def __init__(self, data: Path | None, database: str | None, server: str | None, key: str | None) -> None:
        self._options = data, database, server, key

    @contextmanager
    def open(self) -> Iterator[Admin]:
        """Whoever answers; a fault ends the command with its sentence."""
        data, database, server, key = self._options
        with admin(settings_from(data=data, database=database), server, key, make=True) as house:
            yield house


def _path(name: str, tail: str = "") -> str:
    return f"/tournaments/{quote(name, safe='')}{tail}"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        fail(f"There is no file {file}; 'palestra-server tournament new {file}' writes one to begin with.")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{file} cannot be read ({error}).")


@app.command()
def new(
    file: Annotated[Path, typer.Argument(help="Where to write it, such as cup.toml.")],
    kind: Annotated[str, typer.Option("--format", help=f"{', '.join(FORMATS)}.")] = "swiss",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a tournament file with every key explained; change it, then 'tournament create' it.

    The tournament is called like the file.
    """
    if kind not in FORMATS:
        fail(f"There is no format {kind}; choose one of {', '.join(FORMATS)}.")
    if file.exists() and not force:
        fail(f"{file} is there already: choose another name, or say --force.")
    try:
        named = re.sub(r"[^a-z0-9]+", "-", file.stem.casefold()).strip("-")[:40].strip("-") or "our-cup"
        file.write_text(example_spec(next(known for known in FORMATS if known == kind), named), encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be written ({error.strerror}).")
    out.print(f"{file} is written. Change it, then: palestra-server tournament create {file}", markup=False)


@app.command()
def check(
    file: TomlFile,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Say what a file would make: who plays, and what may not be meant."""
    with House(data, database, server, key).open() as house:
        found = house.post("/tournaments/check", {"toml": _text(file)})
        if as_json:
            print_json(found)
            return
        spec, entrants = found["spec"], found["entrants"]
        bots = sum(entrant["reference"] for entrant in entrants)
        out.print(
            f"{spec['title'] or spec['name']}: {spec['format']} in {', '.join(spec['games'])}, "
            f"{len(entrants) - bots} players, {bots} of ours as reference, {spec['clock']['move_ms']} ms a move.",
            markup=False,
        )
        for remark in found["remarks"]:
            out.print(f"Note: {remark}", markup=False)


@app.command()
def create(
    file: TomlFile,
    start_now: Annotated[bool, typer.Option("--start", help="Start it, too.")] = False,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Make a tournament from a file."""
    with House(data, database, server, key).open() as house:
        made = house.post("/tournaments", {"toml": _text(file)})
        if start_now:
            made = house.post(_path(made["name"], "/start"))
        if as_json:
            print_json(made)
            return
        name = made["name"]
        if start_now:
            out.print(f"{name} has begun. Follow it: palestra-server tournament status {name} --watch", markup=False)
        elif made["state"] == "waiting":
            out.print(f"{name} is made; it begins by itself {when(made['scheduled'])}.", markup=False)
        else:
            out.print(f"{name} is made. Start it: palestra-server tournament start {name}", markup=False)
        _say_offline(house)


def _say_offline(house: Admin) -> None:
    if not house.live:
        out.print("No server runs on this data folder: matches are played once 'palestra-server serve' does.")


@app.command("list")
def list_(
    data: Data = None, database: Database = None, server: ServerUrl = None, key: Key = None, as_json: AsJson = False
) -> None:
    """All tournaments and how far they are."""
    with House(data, database, server, key).open() as house:
        found = house.get("/tournaments")["tournaments"]
        if as_json:
            print_json(found)
            return
        table = Table("name", "title", "format", "games", "state", "players", "played", box=None)
        for each in found:
            count = f"{each['played']} of {each['total']}" if each["total"] is not None else str(each["played"])
            games = ", ".join(each["games"])
            row = (each["name"], each["title"], each["format"], games, each["state"], str(each["players"]), count)
            table.add_row(*map(escape, row))
        out.print(
            table if found else "There is no tournament yet; 'palestra-server tournament new cup.toml' begins one."
        )


def _command(verb: str, done: str, about: str) -> None:
    """Registers a command that is one call and one sentence."""

    def command(
        name: Name,
        data: Data = None,
        database: Database = None,
        server: ServerUrl = None,
        key: Key = None,
        as_json: AsJson = False,
    ) -> None:
        with House(data, database, server, key).open() as house:
            state = house.post(_path(name, f"/{verb}"))
            if as_json:
                print_json(state)
            else:
                out.print(f"{name} {done}", markup=False)
                _say_offline(house)

    command.__doc__ = about
    app.command(verb)(command)


_command("start", "has begun.", "Begin a tournament now.")
_command("pause", "is paused; matches that are on are played to their end.", "Let nothing new begin.")
_command("resume", "goes on.", "End a pause.")
_command("finish", "ends when the matches that are on are over.", "End a tournament early, with the results so far.")
_command("reveal", "shows all its results.", "Lift the embargo on the last results.")


@app.command()
def withdraw(
    name: Name,
    player: Annotated[str, typer.Argument(help="Whom to take out; what it has not begun is lost.")],
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Take a player out of a tournament."""
    with House(data, database, server, key).open() as house:
        state = house.post(_path(name, "/withdraw"), {"player": player})
        if as_json:
            print_json(state)
        else:
            out.print(f"{player} is out of {name}.", markup=False)


@app.command()
def reinstate(
    name: Name,
    player: Annotated[str, typer.Argument(help="Whom to let in again, from the next round that is drawn.")],
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Let a player in again that was withdrawn."""
    with House(data, database, server, key).open() as house:
        state = house.post(_path(name, "/reinstate"), {"player": player})
        if as_json:
            print_json(state)
        else:
            out.print(f"{player} is in {name} again.", markup=False)


@app.command()
def status(
    name: Name,
    watch: Annotated[bool, typer.Option("--watch", help="Go on showing it until it is over.")] = False,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """How far a tournament is: what is being played, who is missing, when it will be over."""
    with House(data, database, server, key).open() as house:
        state = house.get(_path(name))
        if as_json:
            print_json(state)
        elif not watch:
            out.print(status_view(state))
        else:
            with Live(status_view(state), console=out, auto_refresh=False) as live:
                while state["state"] != "completed":
                    time.sleep(WATCH_S)
                    state = house.get(_path(name))
                    live.update(status_view(state), refresh=True)


@app.command()
def standings(
    name: Name,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """The table as it is now."""
    with House(data, database, server, key).open() as house:
        rows = house.get(_path(name, "/standings"))["rows"]
        if as_json:
            print_json(rows)
        else:
            out.print(standings_view(rows))


@app.command()
def ready(
    name: Name,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Who is ready, who is not and why, by the warm-up of a tournament."""
    with House(data, database, server, key).open() as house:
        names = {each["name"] for each in house.get("/tournaments")["tournaments"]}
        warm_up = f"{name[:32]}-warm-up"
        found = house.get(_path(warm_up if warm_up in names else name, "/readiness"))["readiness"]
        if as_json:
            print_json(found)
            return
        table = Table("player", "game", "ready", "why", box=None)
        for each in found:
            word = {True: "yes", False: "no", None: "not yet known"}[each["ready"]]
            table.add_row(*map(escape, (each["player"], each["game"], word, each["why"])))
        out.print(table)


@app.command()
def results(
    name: Name,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Every fixture and how it ended."""
    with House(data, database, server, key).open() as house:
        fixtures = house.get(_path(name, "/schedule"))["fixtures"]
        if as_json:
            print_json(fixtures)
            return
        out.print(results_view(fixtures))


@app.command()
def export(
    name: Name,
    folder: Annotated[Path, typer.Option("--out", help="Folder for the files, made if there is none.")] = Path(),
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Write standings, crosstable, schedule and grades as CSV (with every record: 'palestra-server export')."""
    with House(data, database, server, key).open() as house:
        files = {file: house.download(_path(name, f"/{file}")) for file in FILES}
    target = folder / name
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            (target / file).write_bytes(content)
    except OSError as error:
        fail(f"{target} cannot be written ({error.strerror}).")
    if as_json:
        print_json({"folder": str(target), "files": list(files)})
    else:
        out.print(f"Written to {target}: {', '.join(files)}.", markup=False)


@app.command()
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Take a tournament away, with its schedule and standings; the records of its matches stay."""
    if not yes and not typer.confirm(f"Delete the tournament {name}?"):
        raise typer.Exit(1)
    with House(data, database, server, key).open() as house:
        done = house.delete(_path(name))
        if as_json:
            print_json(done)
        else:
            out.print(f"{name} is deleted; its matches stay in the records.", markup=False)
