"""What a student writes: the Bot class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import SupportsIndex

from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_games import Game


class Plain(Exception):
    """A bot's fault that is shown as its message alone, without a traceback."""


class Bot(ABC):
    """A player. Subclass it and write `choose`; the other methods are optional.

    Every match gets an instance of its own, created before the match begins, so whatever a bot stores in `self` is
    about a single match. Its methods are called one at a time, in a thread that belongs to the match, in this order:
    `__init__`, `warm_up`, `on_start` (these three share the time for getting ready, 30 s unless the server says
    otherwise), `choose` once per turn, and `on_end`.

    An exception in any of the first four is shown and saved, and the match is resigned (after one in `choose`, only if
    there is no `fallback`). The next match starts afresh.
    """

    def warm_up(self, game: Game) -> None:  # noqa: B027  (an empty method, optional to override)
        """Called before the match begins, with no move clock running: the place to load tables or compile."""

    def on_start(self, match: Match) -> None:  # noqa: B027
        """Called after `warm_up`; `match` says who plays, on which side and with how much time."""

    @abstractmethod
    def choose(self, turn: Turn) -> SupportsIndex:
        """The action to play, one of `turn.legal`. It may block and compute for `turn.remaining_s` seconds.

        Return an int, or anything that works as one (such as a NumPy integer); an illegal action loses the match.

        The connection runs in another thread and needs the GIL now and then. Python code, NumPy and Numba with `nogil`
        give it a chance; a C extension should release the GIL while it computes, because holding it for more than 10 s
        loses the connection.
        """

    def fallback(self, turn: Turn) -> SupportsIndex | None:  # noqa: ARG002
        """The action to play if `choose` raised an exception or chose an illegal action. Be quick: the clock of the
        same move is still running. Returning None, the default, resigns the match."""
        return None

    def on_end(self, result: Result) -> None:  # noqa: B027
        """Called when the match is over, unless `choose` never returned."""
