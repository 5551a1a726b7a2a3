"""Programs that read and write lines, as bots: any language, on this machine.

`program_bots(command, Lines)` gives a factory as every other one: the client, the arena and the doctor play it without
knowing that there is a program behind it.
"""

from palestra_client.bridge.course_mancala import CourseMancala
from palestra_client.bridge.dialect import Dialect
from palestra_client.bridge.lines import Lines
from palestra_client.bridge.player import ProgramBot, kill_all, program_bots
from palestra_client.bridge.program import CannotStart, check_command

__all__ = [
    "CannotStart",
    "CourseMancala",
    "Dialect",
    "Lines",
    "ProgramBot",
    "check_command",
    "kill_all",
    "program_bots",
]
