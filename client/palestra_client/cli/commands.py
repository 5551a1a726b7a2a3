"""The commands of `palestra`: one module each, listed here."""

from __future__ import annotations

from typing import Annotated

import typer

from palestra_client.cli import (
    arena,
    bridge,
    conformance,
    doctor,
    games,
    join,
    new,
    replay,
    replay_crash,
    verify,
    watch,
)
from palestra_client.cli.common import OPTIONS_FOR_THE_BOT
from palestra_client.session import VERSION

app = typer.Typer(
    name="palestra",
    help="Connect a bot to a Palestra competition.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

# To add a command: write a module beside this one, and name its function here.
app.command("join", context_settings=OPTIONS_FOR_THE_BOT)(join.join)
app.command("bridge")(bridge.bridge)
app.command("players")(watch.players)
app.command("watch")(watch.watch)
app.command("verify")(verify.verify)
app.command("games")(games.games)
app.command("arena")(arena.arena)
app.command("replay")(replay.replay)
app.command("doctor")(doctor.doctor)
app.command("conformance")(conformance.conformance)
app.command("new")(new.new)
app.command("replay-crash", context_settings=OPTIONS_FOR_THE_BOT)(replay_crash.replay_crash)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"palestra {VERSION}")
        raise typer.Exit
