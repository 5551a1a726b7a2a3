"""`palestra replay-crash`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from palestra_client import crashes, traces
from palestra_client.cli.common import BotTarget, give_up
from palestra_client.loading import bot_of
from palestra_games import get_game
from palestra_protocol.command_groups import takes_more_options

_ALONE = "It was asked about this position alone, and has nothing that it kept from the moves before."


@takes_more_options
def replay_crash(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file from palestra-crashes/.", show_default=False)],
    bot: BotTarget,
) -> None:
    """Run a bot again in the position where it crashed."""
    crash = crashes.load(file)
    factory = bot_of(bot, *context.args)
    match, turn = crash.match, crash.turn
    where = "before the first turn" if turn is None else f"at move {turn.ply}"
    typer.echo(
        f"{match.game} as seat {match.seat} against {match.opponent}, {where}: {crash.where} raised {crash.error}"
    )
    if turn is not None:
        typer.echo(str(turn.state))
    again = crashes.replay(crash, factory)
    if again.error is not None:
        give_up(f"{again.where} raises again:\n{traces.report(again.error)}")
    if turn is None or again.action is None:
        typer.echo("No exception this time.")
        return
    legal = again.action in turn.legal
    named = get_game(match.game).action_name(again.action) if legal else "not legal"
    typer.echo(f"No exception this time: choose returned {again.action} ({named}) after {again.took_s:.3f} s. {_ALONE}")
    if not legal:
        give_up(f"Legal actions: {', '.join(map(str, turn.legal))}.")
