"""The commands of `palestra`: one module each, listed here."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Final

import typer

from palestra_games import UnknownGame
from palestra_protocol.command_groups import group

# To add a command, write a module beside this one and list its function here.
COMMANDS: Final = {
    "join": "palestra_client.cli.join:join",
    "bridge": "palestra_client.cli.bridge:bridge",
    "players": "palestra_client.cli.watch:players",
    "watch": "palestra_client.cli.watch:watch",
    "verify": "palestra_client.cli.verify:verify",
    "games": "palestra_client.cli.games:games",
    "arena": "palestra_client.cli.arena:arena",
    "replay": "palestra_client.cli.replay:replay",
    "why": "palestra_client.cli.why:why",
    "retry": "palestra_client.cli.retry:retry",
    "drill": "palestra_client.cli.drill:drill",
    "versions": "palestra_client.cli.versions:versions",
    "doctor": "palestra_client.cli.doctor:doctor",
    "conformance": "palestra_client.cli.conformance:conformance",
    "new": "palestra_client.cli.new:new",
    "replay-crash": "palestra_client.cli.replay_crash:replay_crash",
}

app = group(COMMANDS, UnknownGame, name="palestra", help="Connect a bot to a Palestra competition.")


@app.callback(invoke_without_command=True)
def _root(show: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    if show:
        typer.echo(f"palestra {version('palestra-client')}")
        raise typer.Exit
