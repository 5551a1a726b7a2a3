"""What the commands share: the argument that names a bot, the bot's own options, and exiting with an error."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

from palestra_client.address import BadAddress, server_url
from palestra_client.factories import BotFactory, NoBot
from palestra_client.loading import bot_of
from palestra_client.options import BadOption

BotTarget = Annotated[
    str, typer.Argument(metavar="BOT", help="mybot.py, mybot.py:MyBot, a module, or module:name.", show_default=False)
]

ServerOption = Annotated[
    str | None,
    typer.Option("--server", help="Address of the server. Default: $PALESTRA_SERVER, else ws://127.0.0.1:8765."),
]


TokenOption = Annotated[
    str | None,
    typer.Option("--token", envvar="PALESTRA_TOKEN", help="Your token, for what only you may see."),
]


def server_at(given: str | None) -> str:
    """The value of --server, or its default, as the address for bots."""
    try:
        return server_url(given)
    except BadAddress as error:
        give_up(str(error))


def bot_factory(bot: str, words: list[str]) -> BotFactory:
    """The bot factory named by this command line; exits with a sentence if there is none."""
    try:
        return bot_of(bot, *words)
    except (NoBot, BadOption) as error:
        give_up(str(error))


def give_up(sentence: str) -> NoReturn:
    """Says why on standard error and exits with 1."""
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
