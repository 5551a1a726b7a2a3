"""Options shared by the commands that play on a server: where, as whom and against whom."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Concatenate, NoReturn, ParamSpec

import typer

from palestra_client import joining
from palestra_client.cli.common import ServerOption, give_up
from palestra_client.factories import BotFactory
from palestra_protocol.messages import Seat

P = ParamSpec("P")
_SEATS: dict[str | None, Seat | None] = {None: None, "0": 0, "1": 1}


@dataclass(frozen=True, slots=True)
class Playing:
    """Where to play, as whom, and against whom. Its fields are the options of a `playing_command`."""

    server: ServerOption = None
    token: Annotated[
        str | None, typer.Option("--token", help="Your token for this competition. Default: $PALESTRA_TOKEN.")
    ] = None
    name: Annotated[str | None, typer.Option("--name", help="Your name as a guest, instead of a token.")] = None
    challenge: Annotated[
        str | None,
        typer.Option("--challenge", metavar="NAME", help="Challenge this player, and keep asking until they are free."),
    ] = None
    game: Annotated[str | None, typer.Option("--game", help="The game of the challenge.")] = None
    seat: Annotated[
        str | None, typer.Option("--seat", metavar="0|1", help="Your seat in the challenge; 0 moves first.")
    ] = None
    games: Annotated[
        int | None,
        typer.Option("--games", help="Play this many matches against that player, report the score, and leave."),
    ] = None
    opening: Annotated[
        str | None,
        typer.Option(
            "--opening",
            metavar="ACTIONS",
            help="The actions that each match begins with, such as 3,3,2. Default: --games varies them by itself.",
        ),
    ] = None
    version: Annotated[
        str | None,
        typer.Option("--version", help="Your bot's version. Default: what git says of it, else a hash of the program."),
    ] = None
    no_clock: Annotated[
        bool,
        typer.Option(
            "--no-clock", help="Your own moves have no clock: to stop in `breakpoint()`. In seat 0 by default."
        ),
    ] = False
    never_resign: Annotated[
        bool, typer.Option("--never-resign", help="If the bot fails in a turn, play the first legal action and go on.")
    ] = False

    def play(self, bot: BotFactory, *, target: str | None = None, program: bool = False) -> joining.Ended:
        """Calls `joining.join` with these options."""
        if self.seat not in _SEATS:
            give_up(f"--seat is 0 (you move first) or 1, not '{self.seat}'.")
        options = joining.Options(**{**asdict(self), "seat": _SEATS[self.seat]})
        return joining.join(bot, options, target=target, program=program)


_OPTIONS = tuple(inspect.signature(Playing, eval_str=True).parameters.values())


def playing_command(function: Callable[Concatenate[Playing, P], None]) -> Callable[..., None]:
    """Turns a function of a `Playing` and arguments of its own into a command with the options of both."""
    given = inspect.signature(function, eval_str=True)

    @functools.wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        options: dict[str, Any] = {option.name: kwargs.pop(option.name) for option in _OPTIONS}
        function(Playing(**options), *args, **kwargs)

    own = tuple(given.parameters.values())[1:]
    command.__signature__ = given.replace(parameters=own + _OPTIONS)  # type: ignore[attr-defined]
    return command


def leave(ended: joining.Ended) -> NoReturn:
    """Exits as `joining.join` says."""
    if ended.busy:
        # A bot still computing could be cut off in the middle of a print, which is fatal to the interpreter.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)
    raise typer.Exit(ended.code)
