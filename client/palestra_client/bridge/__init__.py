"""Programs that read and write lines, as bots: any language, on this machine.

`program_bots(command, Lines)` gives a factory as every other one: the client, the arena and the doctor play it without
knowing that there is a program behind it.
"""

from collections.abc import Callable

from palestra_client.bridge.course_mancala import CourseMancala
from palestra_client.bridge.dialect import SILENT, Dialect
from palestra_client.bridge.lines import Lines
from palestra_client.bridge.player import ProgramBot, kill_all, program_bots
from palestra_client.bridge.program import CannotStart, check_command

DIALECTS: dict[str, Callable[[], Dialect]] = {"lines": Lines, "course-mancala": CourseMancala}
"""By the names that the command line has for them."""

__all__ = [
    "DIALECTS",
    "SILENT",
    "CannotStart",
    "CourseMancala",
    "Dialect",
    "Lines",
    "ProgramBot",
    "check_command",
    "kill_all",
    "program_bots",
]
