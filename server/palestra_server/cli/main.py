"""The commands of `palestra-server`, their options and their words."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console

from palestra_games import game_names
from palestra_protocol import limits
from palestra_server.cli.demo import DemoError, run_demo
from palestra_server.cli.hosting import HostingErrors, address, hosting, stop_on_signals
from palestra_server.cli.logs import configure_logs
from palestra_server.gateway import new_event_loop
from palestra_server.runtime import VERSION, RosterError, Settings, add_players, read_roster

app = typer.Typer(
    help="Palestra's referee: hosts a bot competition.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
roster_app = typer.Typer(help="Who may play, and with which token.", no_args_is_help=True)
app.add_typer(roster_app, name="roster")


class Out(Console):
    """Standard output. Once it cannot be written (`serve | head`), what is said is lost, and the referee goes on."""

    def on_broken_pipe(self) -> None:
        with contextlib.suppress(SystemExit):
            super().on_broken_pipe()  # is quiet from now on, and then ends the program

    def print(self, *objects: Any, **how: Any) -> None:
        try:
            super().print(*objects, **how)
        except OSError:  # a file on a full disk
            self.on_broken_pipe()


out = Out(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Data = Annotated[Path | None, typer.Option(help="Folder for the records and the roster.", show_default="palestra-data")]


def fail(sentence: str) -> NoReturn:
    """Ends the command with one sentence and exit code 1."""
    err.print(sentence, style="red", markup=False)
    raise typer.Exit(1)


def settings_from(**options: Any) -> Settings:
    """Settings from the options that were given, then `PALESTRA_*` variables, then the defaults."""
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        fail(f"--{name.replace('_', '-')} (or PALESTRA_{name.upper()}) cannot be {first['input']!r}: {first['msg']}.")


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False) -> None:
    """Palestra's referee: hosts a bot competition."""
    if show:
        out.print(f"palestra-server {VERSION}")
        raise typer.Exit


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="0.0.0.0, all")] = None,
    port: Annotated[int | None, typer.Option(help="Port for bots.", show_default="8765")] = None,
    web_port: Annotated[int | None, typer.Option(help="Port for the page.", show_default="8000")] = None,
    data: Data = None,
    database: Annotated[
        str | None,
        typer.Option(help="postgresql://USER:PASSWORD@HOST/NAME, where there is one.", show_default="a file in --data"),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="Roster file (CSV: name,token).", show_default="roster.csv in --data")
    ] = None,
    guests: Annotated[
        bool | None, typer.Option("--guests/--no-guests", help="Let in bots without a token, under a name they choose.")
    ] = None,
    move_ms: Annotated[int | None, typer.Option(help="Time for one move, in ms.", show_default="2000")] = None,
    grace_ms: Annotated[int | None, typer.Option(help="Grace added to it, in ms.", show_default="100")] = None,
    ready_ms: Annotated[int | None, typer.Option(help="Time to get ready, in ms.", show_default="30000")] = None,
    away_ms: Annotated[
        int | None, typer.Option(help="Bank for lost connections, a match, in ms.", show_default="10000")
    ] = None,
    challenge_ms: Annotated[
        int | None,
        typer.Option(
            help=f"A player may start {limits.CHALLENGE_BURST} casual matches at once, then one in so many ms, "
            "those that are played to their end not counted; 0: any number.",
            show_default=str(limits.CHALLENGE_MS),
        ),
    ] = None,
    ply_limit: Annotated[
        int | None, typer.Option(help="A match of so many plies is a draw.", show_default="200")
    ] = None,
    log: Annotated[str | None, typer.Option(help="Form of the log: console or json.", show_default="console")] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.", show_default="info")] = None,
) -> None:
    """Start the referee, until Ctrl-C or SIGTERM.

    Every option can also be set by a variable: PALESTRA_WEB_PORT for --web-port, and so on.
    """
    settings = settings_from(
        host=host,
        port=port,
        web_port=web_port,
        data=data,
        database=database,
        roster=roster,
        guests=guests,
        move_ms=move_ms,
        grace_ms=grace_ms,
        ready_ms=ready_ms,
        away_ms=away_ms,
        challenge_ms=challenge_ms,
        ply_limit=ply_limit,
        log=log,
        log_level=log_level,
    )
    configure_logs(settings.log, settings.log_level)
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(_serve(settings))
    except HostingErrors as error:
        fail(str(error))


async def _serve(settings: Settings) -> None:
    stop = stop_on_signals()
    async with hosting(settings) as (server, web):
        out.print(f"Palestra {VERSION} is open.")
        out.print(f"  bots        {address(settings.host, server.opened.port)}")
        out.print(f"  page        {address(settings.host, web.port, 'http')}")
        out.print(f"  games       {', '.join(sorted(game_names()))}")
        out.print(f"  records     {settings.data.resolve()}", markup=False)
        guests = "may" if settings.guests else "may not"
        out.print(f"  players     {len(server.roster.names)} on the roster; guests {guests} play")
        if not server.roster.names and not settings.guests:
            out.print(
                "Nobody can connect yet: add players with 'palestra-server roster add NAME ...' "
                "(it works while this runs), or start with --guests."
            )
        await stop.wait()
        out.print("Stopping: matches in progress are kept and go on when the server is started again.")


@app.command()
def demo(
    exit_: Annotated[
        bool,
        typer.Option(
            "--exit", help="End after the tournament, as it does without a terminal; else the page stays open."
        ),
    ] = False,
    data: Annotated[
        Path | None, typer.Option(help="Folder for the records.", show_default="a new one in palestra-data")
    ] = None,
    move_ms: Annotated[int, typer.Option(help="Time for one move, in ms.", min=20, max=60_000)] = 400,
    port: Annotated[int, typer.Option(help="Port for bots.", min=0, max=65535)] = 8765,
    web_port: Annotated[int, typer.Option(help="Port for the page.", min=0, max=65535)] = 8000,
) -> None:
    """Show everything: a referee, three bots as separate processes, a double round robin in every game."""
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            finished = runner.run(run_demo(out, data, move_ms, port, web_port, leave=exit_ or not out.is_terminal))
    except (DemoError, *HostingErrors) as error:
        fail(str(error))
    if not finished:
        raise typer.Exit(130)


def print_roster(roster: Mapping[str, str]) -> None:
    """name,token lines as CSV, so that they can be pasted where a table is wanted."""
    csv.writer(sys.stdout, lineterminator="\n").writerows(roster.items())


@roster_app.command("add")
def roster_add(
    names: Annotated[list[str], typer.Argument(help="Names of players, or one file with a name on each line.")],
    data: Data = None,
) -> None:
    """Give players a token each and print them; who has one keeps it."""
    settings = settings_from(data=data)
    try:
        if len(names) == 1 and (Path(names[0]).is_file() or Path(names[0]).suffix in (".txt", ".csv")):
            names = [line for line in Path(names[0]).read_text(encoding="utf-8-sig").splitlines() if line.strip()]
            if not names:
                fail("The file holds no names; write one on each line.")
        print_roster(add_players(settings.roster_path, names))
    except RosterError as error:
        fail(str(error))
    except (OSError, UnicodeDecodeError) as error:
        fail(f"The names cannot be read or the roster cannot be written: {error}.")


@roster_app.command("list")
def roster_list(data: Data = None) -> None:
    """Print the roster: name,token."""
    try:
        print_roster(read_roster(settings_from(data=data).roster_path))
    except RosterError as error:
        fail(str(error))
