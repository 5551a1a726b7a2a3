"""`palestra doctor`."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import typer

from palestra_client.arena.contenders import NoContender, contenders
from palestra_client.cli.common import give_up
from palestra_client.doctor.examination import examine
from palestra_client.doctor.findings import Finding
from palestra_client.joining import INTERRUPTED
from palestra_games import UnknownGame, game_names, get_game


def doctor(
    bot: Annotated[
        str | None,
        typer.Argument(
            metavar="BOT",
            help="A file (mybot.py), module:Class, or a program's command in quotes.",
            show_default=False,
        ),
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option(help="A game that it shall play; may be given again. All of them, if not.")
    ] = None,
    move_ms: Annotated[int, typer.Option(help="Time for each move, in milliseconds.", min=50)] = 2000,
    seconds: Annotated[float, typer.Option(help="Each of the longer checks ends after so long.", min=1)] = 20.0,
    only: Annotated[
        list[str] | None, typer.Option(help='Only this check, such as "lost connection"; may be given again.')
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON.")] = False,
) -> None:
    """Find out what is wrong with a bot before a match does: it meets all that a server may do to it.

    Ends with 0 if nothing was found that could lose a match.
    """
    if bot is None:
        give_up("Name your bot, as in `palestra doctor mybot.py`.")
    try:
        contender = contenders([bot])[0]
        for name in game or ():
            get_game(name)
    except (NoContender, UnknownGame) as error:
        give_up(str(error))

    def told(finding: Finding) -> None:
        if not as_json:
            typer.echo(f"  {'FAILED' if finding.failed else 'ok':6}  {finding.check}", err=True)

    try:
        report = asyncio.run(
            examine(
                contender,
                game or game_names(),
                move_ms=move_ms,
                seconds=seconds,
                all_games=bool(game),
                only=only,
                told=told,
            )
        )
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(report.to_json(), indent=1))
    else:
        for line in ("", *report.lines()):
            typer.echo(line)
    raise typer.Exit(0 if report.passed else 1)
