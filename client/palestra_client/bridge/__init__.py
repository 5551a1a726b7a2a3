"""Bots written in any language: local programs that read and write lines.

`program_bots(command, Lines)` returns an ordinary bot factory: the client, the arena and the doctor don't need to know
that there is a program behind it.
"""

from collections.abc import Callable

from palestra_client.bridge.course_mancala import CourseMancala
from palestra_client.bridge.dialect import SILENT, Dialect
from palestra_client.bridge.lines import Lines
from palestra_client.bridge.player import ProgramBot, kill_all, program_bots
from palestra_client.bridge.program import CannotStart, check_command

# The dialects, by their names on the command line.
DIALECTS: dict[str, Callable[[], Dialect]] = {"lines": Lines, "course-mancala": CourseMancala}
