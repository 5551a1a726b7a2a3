"""`palestra join`."""

from __future__ import annotations

import shlex

import typer

from palestra_client.cli.common import BotTarget
from palestra_client.cli.playing import Playing, leave, playing_command
from palestra_client.loading import bot_of
from palestra_protocol.command_groups import takes_more_options


@takes_more_options
@playing_command
def join(playing: Playing, context: typer.Context, bot: BotTarget) -> None:
    """Let a bot play: it waits for matches and plays them until the server ends it or Ctrl-C.

    Options that are not listed here go to the bot: palestra join palestra_bots:profe --depth 8
    """
    factory = bot_of(bot, *context.args)
    leave(playing.play(factory, target=shlex.join([bot, *context.args])))
