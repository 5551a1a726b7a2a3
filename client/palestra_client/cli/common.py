"""What the commands share: the argument that names a bot, the options that go to it, and how to give up."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from palestra_client.address import BadAddress, server_url
from palestra_client.factories import BotFactory, NoBot
from palestra_client.joining import Ended
from palestra_client.loading import load_factory
from palestra_client.options import BadOption, bind, read_options
from palestra_protocol import Seat

OPTIONS_FOR_THE_BOT = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Settings of a command whose unknown options (`context.args`) are the bot's."""

BotTarget = Annotated[
    str, typer.Argument(metavar="BOT", help="mybot.py, mybot.py:MyBot, a module, or module:name.", show_default=False)
]

ServerOption = Annotated[
    str | None,
    typer.Option("--server", help="Address of the server; without it $PALESTRA_SERVER, else ws://127.0.0.1:8765."),
]
TokenOption = Annotated[
    str | None, typer.Option("--token", help="Your token in this competition; without it $PALESTRA_TOKEN.")
]
NameOption = Annotated[str | None, typer.Option("--name", help="Your name as a guest, in place of a token.")]
ChallengeOption = Annotated[
    str | None,
    typer.Option("--challenge", metavar="NAME", help="Challenge this player, and keep asking until they are free."),
]
GameOption = Annotated[str | None, typer.Option("--game", help="The game of the challenge.")]
SeatOption = Annotated[
    str | None, typer.Option("--seat", metavar="0|1", help="Your seat in the challenge; 0 moves first.")
]
GamesOption = Annotated[
    int | None, typer.Option("--games", help="Play this many matches against that player, report the score, and leave.")
]
NeverResignOption = Annotated[
    bool,
    typer.Option("--never-resign", help="If the bot fails in a turn, play the first legal action and go on."),
]


def server_at(given: str | None) -> str:
    """The value of --server, or what stands in for it, as the address that bots connect to."""
    try:
        return server_url(given)
    except BadAddress as error:
        give_up(str(error))


def seat_number(text: str | None) -> Seat | None:
    """The value of --seat."""
    seats: dict[str | None, Seat | None] = {None: None, "0": 0, "1": 1}
    if text not in seats:
        give_up(f"--seat is 0 (you move first) or 1, not '{text}'.")
    return seats[text]


def leave(ended: Ended) -> NoReturn:
    """Ends the program as `joining.join` says."""
    if ended.busy:
        # A bot that still computes could be cut off in the middle of a print, which the interpreter takes for fatal.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)
    raise typer.Exit(ended.code)


def bot_factory(bot: str, words: list[str]) -> BotFactory:
    """What makes the bots of this command line; gives up with a sentence if nothing can."""
    try:
        return bind(load_factory(bot), read_options(words))
    except (NoBot, BadOption) as error:
        give_up(str(error))


def give_up(sentence: str) -> NoReturn:
    """Says why on standard error and ends the program with 1."""
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
