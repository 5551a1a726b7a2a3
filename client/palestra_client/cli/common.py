"""What the commands share: arguments and options, and exiting with an error."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

BotTarget = Annotated[
    str, typer.Argument(metavar="BOT", help="mybot.py, mybot.py:MyBot, a module, or module:name.", show_default=False)
]

FileOrMatch = Annotated[
    str,
    typer.Argument(
        metavar="FILE|MATCH",
        help="An export (from a server or `palestra arena --save`), or the id of a match on --server.",
        show_default=False,
    ),
]

ServerOption = Annotated[
    str | None,
    typer.Option("--server", help="Address of the server. Default: $PALESTRA_SERVER, else ws://127.0.0.1:8765."),
]

AskedServer = Annotated[
    str | None,
    typer.Option(
        "--server",
        help="Address of the server. Default: $PALESTRA_SERVER, else where you last played from this folder, else "
        "ws://127.0.0.1:8765.",
    ),
]

TokenOption = Annotated[
    str | None, typer.Option("--token", envvar="PALESTRA_TOKEN", help="Your token, for what only you may see.")
]


def give_up(sentence: str) -> NoReturn:
    """Says why on standard error and exits with 1."""
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
