"""What a search found out about a position: the one result type of every search in this package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of a search.

    `value` is in the units of the evaluation, from the view of the player to move at the root.
    """

    action: int  # the action to play: the first best one in the order the root's actions were tried

    value: float

    depth: int  # plies of the last finished search; 0 if not even one ply was finished before the clock

    nodes: int  # positions visited, the root included, over all iterations; a position visited twice counts twice

    # The principal variation, `action` first. It may be shorter than `depth` (game over, or a table hit).
    pv: tuple[int, ...]

    elapsed_s: float  # wall-clock seconds, on a monotonic clock

    exact: bool  # true if no deeper search can change the value: everything that matters was seen to the game's end
