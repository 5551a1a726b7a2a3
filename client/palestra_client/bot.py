"""What a student writes: the Bot class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import SupportsIndex

from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_games import Game


class Plain(Exception):
    """A fault of a bot that is told in its own words, without a traceback."""


class Bot(ABC):
    """A player. Derive from it and write `choose`; the other methods are optional.

    Every match gets a fresh instance, made before the match begins and used for no other, so that what a bot
    remembers in `self` is about one match. All its methods are called one after the other in one thread that
    belongs to the match. Order: `__init__`, `warm_up`, `on_start` (these three share the time the server gives
    for getting ready, 30 s unless it says otherwise), `choose` once a turn, `on_end`.

    An exception in any of the first four is shown and saved, and gives up this match (one in `choose` only if there is
    no `fallback`); the next match starts anew.
    """

    def warm_up(self, game: Game) -> None:  # noqa: B027  (an empty method, optional to override)
        """Called before the match begins: the place to load tables or compile, with no clock of a move running."""

    def on_start(self, match: Match) -> None:  # noqa: B027
        """Called when the bot is warm: who plays, on which side, with how much time."""

    @abstractmethod
    def choose(self, turn: Turn) -> SupportsIndex:
        """The action to play, one of `turn.legal`. It may block and compute for `turn.remaining_s` seconds.

        A plain int or anything that counts as one (a NumPy integer); an illegal one loses the match.

        It runs beside the connection, which needs the interpreter now and then: Python code, NumPy and Numba
        with `nogil` let it through. A C extension should release the interpreter lock while it computes; one that
        keeps it for more than 10 s loses the connection.
        """

    def fallback(self, turn: Turn) -> SupportsIndex | None:  # noqa: ARG002
        """The action to play where `choose` raised an exception or chose what is not legal. It should be quick: the
        clock of the same move is running. None, as here, gives the match up."""
        return None

    def on_end(self, result: Result) -> None:  # noqa: B027
        """Called when the match is over. Not called if a `choose` never came back."""
