"""`palestra bridge`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from palestra_client.bot_version import version_of_program
from palestra_client.bridge import CourseMancala, Lines, check_command, kill_all, program_bots
from palestra_client.cli.common import give_up
from palestra_client.cli.playing import Playing, leave, playing_command


@playing_command
def bridge(
    playing: Playing,
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM",
            help="The program and its arguments, after a --; it is started for each match.",
            show_default=False,
        ),
    ],
    lines: Annotated[bool, typer.Option("--lines", help="It speaks the line protocol (the default).")] = False,
    course_mancala: Annotated[
        bool, typer.Option("--course-mancala", help="It speaks the course's Mancala interface.")
    ] = False,
) -> None:
    """Let a program in any language play: it reads and writes lines, as protocol/LINES.md describes.

    It is started for each match, and ended with it. For example: palestra bridge --name ana -- ./mybot --depth 8
    """
    if lines and course_mancala:
        give_up("Say --lines or --course-mancala: a program speaks one of them.")
    check_command(command)
    try:
        if playing.version is None:
            playing = replace(playing, version=version_of_program(command))
        ended = playing.play(program_bots(command, CourseMancala if course_mancala else Lines), program=True)
    finally:
        kill_all()
    leave(ended)
