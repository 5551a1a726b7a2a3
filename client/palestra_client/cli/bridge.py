"""`palestra bridge`."""

from __future__ import annotations

from typing import Annotated

import typer

from palestra_client import joining
from palestra_client.bridge import CannotStart, CourseMancala, Lines, check_command, kill_all, program_bots
from palestra_client.cli import common


def bridge(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- PROGRAM [ARGUMENT]...", help="The program; it is started for each match.", show_default=False
        ),
    ],
    lines: Annotated[bool, typer.Option("--lines", help="It speaks the line protocol (the default).")] = False,
    course_mancala: Annotated[
        bool, typer.Option("--course-mancala", help="It speaks the course's Mancala interface.")
    ] = False,
    server: common.ServerOption = None,
    token: common.TokenOption = None,
    name: common.NameOption = None,
    challenge: common.ChallengeOption = None,
    game: common.GameOption = None,
    seat: common.SeatOption = None,
    games: common.GamesOption = None,
    never_resign: common.NeverResignOption = False,
) -> None:
    """Let a program in any language play: it reads and writes lines, as protocol/LINES.md describes.

    It is started for each match, and ended with it. For example: palestra bridge --name ana -- ./mybot --depth 8
    """
    if lines and course_mancala:
        common.give_up("Say --lines or --course-mancala: a program speaks one of them.")
    try:
        check_command(command)
    except CannotStart as error:
        common.give_up(str(error))
    try:
        ended = joining.join(
            program_bots(command, CourseMancala if course_mancala else Lines),
            server=server,
            token=token,
            name=name,
            challenge=challenge,
            game=game,
            seat=common.seat_number(seat),
            games=games,
            never_resign=never_resign,
            program=True,
        )
    finally:
        kill_all()
    common.leave(ended)
