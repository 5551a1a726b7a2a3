"""The commands of `palestra`, their options and their words."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from palestra_client import crashes
from palestra_client.joining import INTERRUPTED, join
from palestra_client.loading import NoBot, load_factory
from palestra_client.options import BadOption, bind, read_options
from palestra_client.session import VERSION
from palestra_client.worker import BotFactory
from palestra_games import game_names, get_game

app = typer.Typer(
    name="palestra",
    help="Connect a bot to a Palestra competition.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

_EXTRA = {"allow_extra_args": True, "ignore_unknown_options": True}
_Target = Annotated[
    str, typer.Argument(metavar="BOT", help="mybot.py, mybot.py:MyBot, a module, or module:name.", show_default=False)
]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"palestra {VERSION}")
        raise typer.Exit


@app.command("join", context_settings=_EXTRA)
def _join(
    context: typer.Context,
    bot: _Target,
    server: Annotated[
        str | None,
        typer.Option(help="Address of the server; without it $PALESTRA_SERVER, else ws://127.0.0.1:8765."),
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="Your token in this competition; without it $PALESTRA_TOKEN.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Your name as a guest, in place of a token.")] = None,
    challenge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Challenge this player to one match when connected.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game of the challenge.")] = None,
    seat: Annotated[str | None, typer.Option(metavar="0|1", help="Your seat in the challenge; 0 moves first.")] = None,
) -> None:
    """Let a bot play: it waits for matches and plays them until the server ends it or Ctrl-C.

    Options that are not listed here go to the bot: palestra join palestra_bots:profe --depth 8
    """
    factory = _factory(bot, context.args)
    ended = join(
        factory,
        server=server,
        token=token,
        name=name,
        challenge=challenge,
        game=game,
        seat=_seat(seat),
        target=shlex.join([bot, *context.args]),
    )
    if ended.busy:
        # A bot that still computes could be cut off in the middle of a print, which the interpreter takes for fatal.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)
    raise typer.Exit(ended.code)


@app.command("games")
def _games() -> None:
    """List the games that are installed here."""
    for name in game_names():
        typer.echo(name)


@app.command("replay-crash", context_settings=_EXTRA)
def _replay_crash(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of palestra-crashes/.", show_default=False)],
    bot: _Target,
) -> None:
    """Run a bot once more on the position in which it crashed."""
    try:
        crash = crashes.load(file)
    except crashes.NotACrash as error:
        _give_up(str(error))
    factory = _factory(bot, context.args)
    match, turn = crash.match, crash.turn
    where = "before the first turn" if turn is None else f"at ply {turn.ply}"
    typer.echo(
        f"{match.game} as seat {match.seat} against {match.opponent}, {where}: {crash.where} raised {crash.error}"
    )
    if turn is not None:
        typer.echo(str(turn.state))
    try:
        again = crashes.replay(crash, factory)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    if again.error is not None:
        _give_up(f"{again.where} raises again:\n{crashes.report(again.error)}")
    if turn is None or again.action is None:
        typer.echo("No exception this time.")
        return
    legal = again.action in turn.legal
    named = get_game(match.game).action_name(again.action) if legal else "not legal"
    typer.echo(f"No exception this time: choose returned {again.action} ({named}) after {again.took_s:.3f} s.")
    if not legal:
        _give_up(f"Legal were {', '.join(map(str, turn.legal))}.")


def _factory(bot: str, words: list[str]) -> BotFactory:
    try:
        return bind(load_factory(bot), read_options(words))
    except (NoBot, BadOption) as error:
        _give_up(str(error))


def _seat(text: str | None) -> Literal[0, 1] | None:
    seats: dict[str | None, Literal[0, 1] | None] = {None: None, "0": 0, "1": 1}
    if text not in seats:
        _give_up(f"--seat is 0 (you move first) or 1, not '{text}'.")
    return seats[text]


def _give_up(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
