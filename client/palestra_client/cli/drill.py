"""`palestra drill`: the positions by which one lost, as failing tests."""

from __future__ import annotations

import itertools
import os
import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from palestra_client.arena.contenders import NoContender
from palestra_client.cli.common import ServerOption, TokenOption, give_up, server_at
from palestra_client.drill import NotADrill, attempt, bot_named, read
from palestra_client.drill.making import POSITIONS_MAX, Looked, lost_positions
from palestra_client.drill.positions import write
from palestra_client.factories import NoBot
from palestra_client.joining import INTERRUPTED
from palestra_client.judges import NO_JUDGE
from palestra_client.loading import file_in
from palestra_client.options import BadOption
from palestra_client.page import NoAnswer, ask, find_page

drill = typer.Typer(
    help="Your lost matches as failing tests: the positions that decided them, and what keeps the value there.",
    invoke_without_command=True,
    no_args_is_help=True,
    add_completion=False,
)


@drill.callback()
def make(
    context: typer.Context,
    server: ServerOption = None,
    token: TokenOption = None,
    player: Annotated[
        str | None, typer.Option(help="Whose losses. Default: the player of the token.", show_default=False)
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--class", help="From everybody's matches, without names; hidden rounds are left out.")
    ] = False,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("drill"),
    bot: Annotated[
        str | None,
        typer.Option(help="The bot that the test runs. Default: that of this folder.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many positions.", min=1)] = POSITIONS_MAX,
) -> None:
    """Write the positions by which matches were lost, and a test that runs a bot on them."""
    if context.invoked_subcommand is not None:
        return
    looked = Looked()
    try:
        page = find_page(server_at(server))
        if everybody:
            token = player = None  # what anybody may see
        elif player is None:
            player = None if token is None else ask(f"{page}/api/v1/session", token)["player"]
            if player is None:
                give_up("Whose losses? Give your --token, or a --player; or --class for everybody's.")
        with Console(stderr=True).status("Looking at the matches, the newest first ..."):
            found = list(itertools.islice(lost_positions(page, player, token, looked), limit))
    except NoAnswer as error:
        give_up(str(error))
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    unjudged = f" {looked.unjudged} of them were not judged yet. {NO_JUDGE}." if looked.unjudged else ""
    whose = "everybody" if player is None else player
    if not found:
        give_up(f"Nothing to practise: {whose} lost {looked.lost} matches, and no move clearly decided one.{unjudged}")
    target = bot or _bot_here()
    try:
        write(out, found, target)
    except OSError as error:
        give_up(f"{out} can't be written: {error.strerror or error}.")
    many = "1 position" if len(found) == 1 else f"{len(found)} positions"
    typer.echo(f"{many} of {looked.lost} lost matches of {whose} in {out}{os.sep}.{unjudged} Next:")
    typer.echo(f"  palestra drill run {shlex.quote(target)} {shlex.quote(str(out))}     (or: pytest {out})")


def _bot_here() -> str:
    try:
        here = file_in(".")
    except NoBot:
        return "mybot.py"
    return here if here.endswith(".py") else "mybot.py"


@drill.command("run")
def run(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="A file (mybot.py), a module, a level, or the command of a program.", show_default=False
        ),
    ],
    place: Annotated[
        str, typer.Argument(metavar="FOLDER|GAME", help="A folder of `palestra drill`, or a game: the ready-made ones.")
    ] = "drill",
    depth: Annotated[
        int | None, typer.Option(help="Of the ready-made ones, those that need a search no deeper than this.", min=1)
    ] = None,
    move_ms: Annotated[
        int | None, typer.Option(help="Time for a move. Default: as in the match.", min=1, show_default=False)
    ] = None,
) -> None:
    """Run a bot on the positions of a drill; exits with 1 if it misses one."""
    try:
        positions = [each for each in read(place) if depth is None or (each.depth or 0) <= depth]
        factory = bot_named(bot)
        missed = 0
        for number, position in enumerate(positions, 1):
            tried = attempt(factory, position, None if move_ms is None else move_ms / 1000)
            typer.echo(f"{number:3} {'ok    ' if tried.passed else 'MISSED'}  {tried}")
            if not tried.passed and missed == 0:
                typer.echo(str(position.state()))
            missed += not tried.passed
    except (NotADrill, NoContender, NoBot, BadOption) as error:
        give_up(str(error))
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    typer.echo(f"{len(positions) - missed} of {len(positions)} found.")
    raise typer.Exit(1 if missed else 0)
