"""What an exact solver answers."""

from __future__ import annotations

from dataclasses import dataclass


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
