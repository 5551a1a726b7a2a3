"""The commands of `palestra-server`, put together."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from palestra_server.cli import records, roster, tournaments
from palestra_server.cli.demo import DemoError, run_demo
from palestra_server.cli.hosting import HostingErrors
from palestra_server.cli.output import fail, out
from palestra_server.cli.rehearse import rehearse
from palestra_server.cli.serve import serve
from palestra_server.gateway import new_event_loop
from palestra_server.runtime import VERSION

app = typer.Typer(
    help="Palestra's referee: hosts a bot competition.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve)
app.command()(rehearse)
app.add_typer(records.app)
app.add_typer(roster.app, name="roster")
app.add_typer(tournaments.app, name="tournament")


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False) -> None:
    """Palestra's referee: hosts a bot competition."""
    if show:
        out.print(f"palestra-server {VERSION}")
        raise typer.Exit


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
