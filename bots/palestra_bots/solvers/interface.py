"""What exact solvers answer, and how a bot on the clock asks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Solution:
    """The exact result of a position.

    `score` is in the view of the player to move, in the game's own unit (`palestra_bots.solving.solve` says which).
    `action` keeps that score. `nodes` is the number of nodes searched: 0 when an opening book or the rules alone gave
    the answer. `elapsed_s` is wall time in seconds.
    """

    score: int
    action: int
    nodes: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class PerfectMove(Solution):
    """A move for a player on the clock: `action` is proved to reach at least `score`, and no more than that if `exact`.

    If it is not exact the time ran out; then the game's `PerfectPlayer` says what the action is good for.
    """

    exact: bool


class PerfectPlayer(Protocol):
    """Plays one match as well as can be played. Keep it for the match: it remembers what it has proved."""

    def perfect_move(self, state: Any, seconds: float, node_limit: int | None = None) -> PerfectMove | None:
        """A best move for whoever is to move in `state`, found within `seconds` and `node_limit` nodes; None if they do
        not suffice.

        ValueError if the game is over.
        """
