"""`palestra drill`: the positions by which one lost, as failing tests."""

from __future__ import annotations

import itertools
import os
import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from palestra_client.cli.common import AskedServer, TokenOption, give_up
from palestra_client.drill import bot_named, practise, read
from palestra_client.drill.making import POSITIONS_MAX, Looked, lost_positions
from palestra_client.drill.positions import DEFAULT, write
from palestra_client.factories import NoBot
from palestra_client.loading import file_in
from palestra_client.page import ask, asked_url, find_page
from palestra_client.receipts import newest
from palestra_protocol.english import plural

drill = typer.Typer(
    help="Your lost matches as failing tests: the positions that decided them, and what keeps the value there.",
    invoke_without_command=True,
    add_completion=False,
)


@drill.callback()
def make(
    context: typer.Context,
    server: AskedServer = None,
    token: TokenOption = None,
    player: Annotated[
        str | None,
        typer.Option(help="Whose losses. Default: the player of the token, else who last played from this folder."),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Only those of this game.")] = None,
    everybody: Annotated[
        bool, typer.Option("--class", help="From everybody's matches, without names; hidden rounds are left out.")
    ] = False,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path(DEFAULT),
    bot: Annotated[
        str | None, typer.Option(help="The bot that the test runs. Default: that of this folder.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many positions.", min=1)] = POSITIONS_MAX,
) -> None:
    """Write the positions by which matches were lost, or that show a fault of the search, and a test that runs a bot on
    them.
    """
    if context.invoked_subcommand is not None:
        return
    looked = Looked()
    page = find_page(asked_url(server))
    if everybody:
        token = player = None  # what anybody may see
    elif player is None:
        player = None if token is None else ask(f"{page}/api/v1/session", token)["player"]
        if player is None and (last := newest()) is not None:
            player = last.player
        if player is None:
            give_up("Whose losses? Give your --token, or a --player; or --class for everybody's.")
    with Console(stderr=True).status("Looking at the matches, the newest first ..."):
        found = list(itertools.islice(lost_positions(page, player, token, looked, game), limit))
    unjudged = f" Not judged yet: {looked.unjudged}. {looked.advice}" if looked.unjudged else ""
    whose = "everybody" if player is None else player
    if not found:
        lost = "no match was lost" if player is None else f"{player} lost no match"
        lost = lost if not looked.lost else f"no move clearly decided the {looked.lost} that {whose} lost"
        give_up(f"Nothing to practise: {lost}.{unjudged}")
    target = bot or _bot_here()
    try:
        write(out, found, target)
    except OSError as error:
        give_up(f"{out} can't be written: {error.strerror or error}.")
    lost = plural(looked.lost, "lost match", "lost matches")
    typer.echo(f"{plural(len(found), 'position')} of {lost} of {whose} in {out}{os.sep}.{unjudged} Next:")
    where = "" if str(out) == DEFAULT else f" {shlex.quote(str(out))}"
    typer.echo(f"  palestra drill run {shlex.quote(target)}{where}     (or: pytest {out})")


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
    ] = DEFAULT,
    depth: Annotated[
        int | None, typer.Option(help="Of the ready-made ones, those that need a search no deeper than this.", min=1)
    ] = None,
    move_ms: Annotated[
        int | None, typer.Option(help="Time for a move. Default: as in the match.", min=1, show_default=False)
    ] = None,
) -> None:
    """Run a bot on the positions of a drill; exits with 1 if it misses one by a fault.

    No fault is proved where it is "beyond" its depth, "weak", by its evaluation, or "untold": it does not say enough.
    """
    there = read(place)
    positions = [each for each in there if depth is None or (each.depth or 0) <= depth]
    if not positions:
        easiest = min((each.depth or 0 for each in there), default=None)
        give_up(
            f"There are no positions in {place}."
            if easiest is None
            else f"All positions of {place} need a search deeper than that: ask for --depth {easiest} or more."
        )
    well = practise(bot_named(bot), positions, None if move_ms is None else move_ms / 1000)
    raise typer.Exit(0 if well else 1)
