"""`palestra join`."""

from __future__ import annotations

import shlex
from threading import Timer

import typer

from palestra_client.cli.common import BotTarget
from palestra_client.cli.playing import Playing, leave, playing_command
from palestra_client.loading import bot_of
from palestra_protocol import limits
from palestra_protocol.command_groups import takes_more_options

LOADING_S = 2.0  # beyond this the terminal says what it is waiting for


@takes_more_options
@playing_command
def join(playing: Playing, context: typer.Context, bot: BotTarget) -> None:
    """Let a bot play: it waits for matches and plays them until the server ends it or Ctrl-C.

    Options that are not listed here go to the bot: palestra join palestra_bots:profe --depth 8
    """
    waiting = Timer(LOADING_S, typer.echo, (_loading(bot),), {"err": True})
    waiting.daemon = True
    waiting.start()
    try:
        factory = bot_of(bot, *context.args)
    finally:
        waiting.cancel()
    leave(playing.play(factory, target=shlex.join([bot, *context.args])))


def _loading(bot: str) -> str:
    return (
        f"Still loading {bot}: your bot connects once it is loaded. That takes no time from its moves, but a match "
        f"that begins without it is lost after {limits.READY_MS // 1000} s, and one that it left after "
        f"{limits.AWAY_MS // 1000} s, unless the host allows more."
    )
