"""`palestra join`."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated, Literal

import typer

from palestra_client import joining
from palestra_client.cli.common import BotTarget, bot_factory, give_up


def join(
    context: typer.Context,
    bot: BotTarget,
    server: Annotated[
        str | None,
        typer.Option(help="Address of the server; without it $PALESTRA_SERVER, else ws://127.0.0.1:8765."),
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="Your token in this competition; without it $PALESTRA_TOKEN.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Your name as a guest, in place of a token.")] = None,
    challenge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Challenge this player, again and again until it is free.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game of the challenge.")] = None,
    seat: Annotated[str | None, typer.Option(metavar="0|1", help="Your seat in the challenge; 0 moves first.")] = None,
    games: Annotated[
        int | None, typer.Option(help="Play so many matches against that player, say how they went, and leave.")
    ] = None,
    never_resign: Annotated[
        bool,
        typer.Option("--never-resign", help="If choose raises an exception, play the first legal action and go on."),
    ] = False,
) -> None:
    """Let a bot play: it waits for matches and plays them until the server ends it or Ctrl-C.

    Options that are not listed here go to the bot: palestra join palestra_bots:profe --depth 8
    """
    factory = bot_factory(bot, context.args)
    ended = joining.join(
        factory,
        server=server,
        token=token,
        name=name,
        challenge=challenge,
        game=game,
        seat=_seat(seat),
        games=games,
        never_resign=never_resign,
        target=shlex.join([bot, *context.args]),
    )
    if ended.busy:
        # A bot that still computes could be cut off in the middle of a print, which the interpreter takes for fatal.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)
    raise typer.Exit(ended.code)


def _seat(text: str | None) -> Literal[0, 1] | None:
    seats: dict[str | None, Literal[0, 1] | None] = {None: None, "0": 0, "1": 1}
    if text not in seats:
        give_up(f"--seat is 0 (you move first) or 1, not '{text}'.")
    return seats[text]
