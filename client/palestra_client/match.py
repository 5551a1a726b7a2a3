"""A match as its bot sees it: who is playing, the actions, and how it ended."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from palestra_games import Seat


class Match(NamedTuple):
    """A match, as this player sees it.

    `id` is the server's name for the match, `game` the name of the game, `seat` this player's side (0 moves first), and
    `players` the names by seat. A move may take `move_s` seconds; the server allows `grace_s` more for the network.
    Getting ready may take `ready_s`. Lost connections cost nothing until they add up to `away_s`. `opening` has the
    actions already played when the match began. `rated` says whether the result counts for the ratings.
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
    rated: bool = False

    @property
    def opponent(self) -> str:
        return self.players[1 - self.seat]


def file_name(match: str) -> str:
    """The id of a match as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", match)


class LastMove(NamedTuple):
    """An action that the server accepted, which took `charged_s` seconds off the mover's clock."""

    ply: int
    seat: Seat
    action: int
    name: str
    charged_s: float


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended. `returns` is (1, -1), (-1, 1) or (0, 0) by seat.

    `reason` is "rules", "timeout", "illegal", "resign", "disconnect", "not_ready", "ply_limit" or "void" (nobody won,
    and the match doesn't count). `detail` explains it in a sentence; `ply` is the number of actions played.
    """

    match: Match
    returns: tuple[float, float]
    reason: str
    detail: str
    ply: int

    @property
    def won(self) -> bool:
        return self.returns[self.match.seat] > self.returns[1 - self.match.seat]

    @property
    def lost(self) -> bool:
        return self.returns[self.match.seat] < self.returns[1 - self.match.seat]

    @property
    def drawn(self) -> bool:
        """Whether the match counts and nobody won."""
        return self.counts and self.returns[0] == self.returns[1]

    @property
    def counts(self) -> bool:
        """Whether the result means anything: not if it is void, or if nobody was ready."""
        return self.reason != "void" and not (self.reason == "not_ready" and self.returns[0] == self.returns[1])
