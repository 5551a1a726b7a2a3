"""The commands of `palestra-server`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from palestra_protocol.command_groups import group
from palestra_server import VERSION

# To add a command, write its function and list it here.
COMMANDS: Final = {
    "serve": "palestra_server.cli.serve:serve",
    "rehearse": "palestra_server.cli.rehearse:rehearse",
    "demo": "palestra_server.cli.demo:demo",
    "matches": "palestra_server.cli.records:matches",
    "export": "palestra_server.cli.records:export",
    "backup": "palestra_server.cli.records:backup",
    "verify": "palestra_server.cli.records:verify",
    "repair": "palestra_server.cli.records:repair",
    "roster": "palestra_server.cli.roster:app",
    "season": "palestra_server.cli.seasons:app",
    "teacher": "palestra_server.cli.teachers:app",
    "tournament": "palestra_server.cli.tournaments:app",
    "screen": "palestra_server.cli.screen:app",
    "node": "palestra_server.cli.nodes:app",
}

app = group(COMMANDS, help="Palestra's referee: hosts a bot competition.")


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Palestra's referee: hosts a bot competition."""
    if show:
        typer.echo(f"palestra-server {VERSION}")
        raise typer.Exit
