"""What a student writes and is handed: the Bot class, the match it plays, and how the match ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex

from palestra_games import Game, Seat

if TYPE_CHECKING:
    from palestra_client.turn import Turn


class Bot(ABC):
    """A player. Derive from it and write `choose`; the other methods are optional.

    Every match gets a fresh instance, made before the match begins and used for no other, so that what a bot
    remembers in `self` is about one match. All its methods are called one after the other in one thread that
    belongs to the match. Order: `__init__`, `warm_up`, `on_start` (these three share the time the server gives
    for getting ready, 30 s unless it says otherwise), `choose` once a turn, `on_end`.

    An exception in any of the first four gives up this match, is shown and saved, and the next match starts anew.
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

    def on_end(self, result: Result) -> None:  # noqa: B027
        """Called when the match is over. Not called if a `choose` never came back."""


@dataclass(frozen=True, slots=True)
class Match:
    """One match, as this player sees it.

    `id` names the match on the server; `game` is the name of the game, `seat` this player's side (0 moves first)
    and `players` the names by seat. A move may take `move_s` seconds; the server forgives `grace_s` more for the
    network. Getting ready may take `ready_s`; a lost connection costs nothing until it was away for `away_s` in
    all. `opening` are actions that were already played when the match began.
    """

    id: str
    game: str
    seat: Seat
    players: tuple[str, str]
    move_s: float
    grace_s: float
    ready_s: float
    away_s: float
    opening: tuple[int, ...] = ()
    tournament: str | None = None

    @property
    def opponent(self) -> str:
        """The other player's name."""
        return self.players[1 - self.seat]


@dataclass(frozen=True, slots=True)
class LastMove:
    """An action as the server accepted it: `charged_s` seconds of the mover's clock."""

    ply: int
    seat: Seat
    action: int
    name: str
    charged_s: float


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended. `returns` by seat: (1, -1), (-1, 1) or (0, 0).

    `reason` is "rules", "timeout", "illegal", "resign", "disconnect", "not_ready", "ply_limit" or "void" (then
    nobody won and the match doesn't count); `detail` is the server's sentence about it, `ply` the number of
    actions played.
    """

    match: Match
    returns: tuple[float, float]
    reason: str
    detail: str
    ply: int

    @property
    def won(self) -> bool:
        """Whether this player won."""
        return self.returns[self.match.seat] > self.returns[1 - self.match.seat]

    @property
    def lost(self) -> bool:
        """Whether this player lost."""
        return self.returns[self.match.seat] < self.returns[1 - self.match.seat]

    @property
    def drawn(self) -> bool:
        """Whether the match counts and nobody won."""
        return self.reason != "void" and self.returns[0] == self.returns[1]
