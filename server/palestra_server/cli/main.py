"""The commands of `palestra-server`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from palestra_protocol.commands import group
from palestra_server import VERSION

# To add a command, write its function and list it here with the first line of its docstring.
COMMANDS: Final = {
    "serve": ("palestra_server.cli.serve:serve", "Start the referee, until Ctrl-C or SIGTERM."),
    "rehearse": (
        "palestra_server.cli.rehearse:rehearse",
        "Play a dress rehearsal: a class of simulated students, a Swiss, then an elimination, then verified.",
    ),
    "demo": (
        "palestra_server.cli.demo:demo",
        "Play a demo: a referee, three bots as separate processes, a double round robin in every game.",
    ),
    "matches": (
        "palestra_server.cli.records:matches",
        "List the matches, the newest first; also while the server runs.",
    ),
    "export": (
        "palestra_server.cli.records:export",
        "Write results and records into one file that anybody can verify; also while the server runs.",
    ),
    "backup": (
        "palestra_server.cli.records:backup",
        "Copy everything into a new data folder, also while the server runs; it holds secrets, like the first one.",
    ),
    "verify": (
        "palestra_server.cli.records:verify",
        "Verify that every result follows from its records: rules, clock, receipts, schedules and tables.",
    ),
    "repair": (
        "palestra_server.cli.records:repair",
        "Repair a damaged database: what can be read is kept, what is derived is rebuilt.",
    ),
    "roster": ("palestra_server.cli.roster:app", "Who may play: the class list and the tokens."),
    "tournament": (
        "palestra_server.cli.tournaments:app",
        "Tournaments: create one from a file, start it, follow it, export its results.",
    ),
}

app = group(
    COMMANDS,
    help="Palestra's referee: hosts a bot competition.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Palestra's referee: hosts a bot competition."""
    if show:
        typer.echo(f"palestra-server {VERSION}")
        raise typer.Exit
