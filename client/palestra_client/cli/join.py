"""`palestra join`."""

from __future__ import annotations

import shlex

import typer

from palestra_client import joining
from palestra_client.cli import common

app = typer.Typer(add_completion=False)


@app.command("join", context_settings=common.OPTIONS_FOR_THE_BOT)
def join(
    context: typer.Context,
    bot: common.BotTarget,
    server: common.ServerOption = None,
    token: common.TokenOption = None,
    name: common.NameOption = None,
    challenge: common.ChallengeOption = None,
    game: common.GameOption = None,
    seat: common.SeatOption = None,
    games: common.GamesOption = None,
    never_resign: common.NeverResignOption = False,
) -> None:
    """Let a bot play: it waits for matches and plays them until the server ends it or Ctrl-C.

    Options that are not listed here go to the bot: palestra join palestra_bots:profe --depth 8
    """
    factory = common.bot_factory(bot, context.args)
    ended = joining.join(
        factory,
        server=server,
        token=token,
        name=name,
        challenge=challenge,
        game=game,
        seat=common.seat_number(seat),
        games=games,
        never_resign=never_resign,
        target=shlex.join([bot, *context.args]),
    )
    common.leave(ended)
