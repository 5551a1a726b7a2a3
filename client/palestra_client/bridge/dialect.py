"""The protocol between the bridge and a program, independent of I/O: a Dialect speaks through a Talk."""

from __future__ import annotations

from typing import Protocol

from palestra_client.bot import Plain
from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_protocol import limits

NO_ACTION = limits.ACTION_MAX  # stands for an answer that isn't an action. The referee rejects it as illegal.
SHOWN_MAX = 60  # how many characters of a bad answer are quoted
SILENT = "did not answer in time"  # part of the error message of a program that timed out. The doctor searches for it.


class Talk(Protocol):
    def say(self, *lines: str) -> None:
        """Write these lines. Raises ProgramFailed if the program is gone."""

    def hear(self) -> str:
        """Return the next non-blank line, stripped. Raises ProgramFailed if none comes in time."""

    def quiet(self, seconds: float) -> str | None:
        """Return the next line, or None if none comes within `seconds`. Raises ProgramFailed once all time is up."""

    def tell(self, sentence: str) -> None: ...


class Dialect(Protocol):
    """A protocol for talking to a program. There is one instance per match."""

    def start(self, talk: Talk, match: Match) -> None:
        """Set up the program before any clock starts. Raises ProgramFailed if it can't play the game."""

    def ask(self, talk: Talk, turn: Turn) -> int:
        """Ask the program for an action. If its answer isn't one, tell the user why and return NO_ACTION."""

    def end(self, talk: Talk, result: Result, /) -> None:
        """Tell the program that the match is over. It is terminated afterwards."""


class ProgramFailed(Plain):
    """The program can't go on. The message says what happened."""


def no_action(turn: Turn, answer: str) -> int:
    """NO_ACTION, reported with what the program wrote: the record and the student's own terminal show it."""
    turn.report(text=f"answered {quoted(answer)}")
    return NO_ACTION


def think_ms(seconds: float) -> int:
    """The time a program is told it has, less a margin for the bridge and the network."""
    return max(1, int((seconds - min(0.05, seconds / 10)) * 1000))


def quoted(answer: str) -> str:
    """Quote an answer for display, truncated if it is long."""
    return repr(answer if len(answer) <= SHOWN_MAX else answer[:SHOWN_MAX] + "...")
