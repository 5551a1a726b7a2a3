"""The commands of `palestra-server`, put together."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from palestra_server import VERSION
from palestra_server.cli.loading import group

# To add a command: write its function, and name it here with the first line of its docstring.
COMMANDS: Final = {
    "serve": ("palestra_server.cli.serve:serve", "Start the referee, until Ctrl-C or SIGTERM."),
    "rehearse": (
        "palestra_server.cli.rehearse:rehearse",
        "Try everything before the day: a class of simulated students, Swiss, then elimination, then verified.",
    ),
    "demo": (
        "palestra_server.cli.demo:demo",
        "Show everything: a referee, three bots as separate processes, a double round robin in every game.",
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
        "Check that every result follows from its records: rules, clock, receipts, schedules and tables.",
    ),
    "repair": (
        "palestra_server.cli.records:repair",
        "Mend a damaged database as far as it goes: what can be read is kept, what is derived is made anew.",
    ),
    "roster": ("palestra_server.cli.roster:app", "Who may play: the class list and the tokens."),
    "tournament": (
        "palestra_server.cli.tournaments:app",
        "Tournaments: make one from a file, start it, follow it, take its results.",
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
def version(show: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False) -> None:
    """Palestra's referee: hosts a bot competition."""
    if show:
        typer.echo(f"palestra-server {VERSION}")
        raise typer.Exit
