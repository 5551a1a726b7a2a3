"""What the bridge and a program say to each other, without the pipes: a dialect talks through a Talk."""

from __future__ import annotations

from typing import Protocol

from palestra_client.bot import Plain
from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_protocol import limits

NO_ACTION = limits.ACTION_MAX
"""Stands for an answer that is no action at all: the referee finds it illegal, as it is."""
SHOWN_MAX = 60
"""Characters of a bad answer that are quoted."""
SILENT = "did not answer in time"
"""What is said of a program that did not, by which the doctor knows it."""


class Talk(Protocol):
    """One side of the conversation with a program."""

    def say(self, *lines: str) -> None:
        """Writes these lines. Raises ProgramFailed if the program is gone."""

    def hear(self) -> str:
        """The next line that is not blank, without blanks around it. Raises ProgramFailed if none comes in time."""

    def quiet(self, seconds: float) -> str | None:
        """A line that comes within so many seconds, if one does."""

    def tell(self, sentence: str) -> None:
        """Tells the person at the terminal."""


class Dialect(Protocol):
    """A way to talk to a program; one for each match."""

    def start(self, talk: Talk, match: Match) -> None:
        """Before the match begins, while nobody's clock runs. Raises ProgramFailed for a game it can't play."""

    def ask(self, talk: Talk, turn: Turn) -> int:
        """The action that the program chooses; NO_ACTION, after telling why, for an answer that is none."""

    def end(self, talk: Talk, result: Result, /) -> None:
        """The match is over; the program is ended afterwards."""


class ProgramFailed(Plain):
    """The program can't go on; the text says what happened."""


def think_ms(seconds: float) -> int:
    """What a program is told of the time it has: some is kept for the way through the bridge and the network."""
    return max(1, int((seconds - min(0.05, seconds / 10)) * 1000))


def quoted(answer: str) -> str:
    """An answer as it is shown to a person."""
    return repr(answer if len(answer) <= SHOWN_MAX else answer[:SHOWN_MAX] + "...")
