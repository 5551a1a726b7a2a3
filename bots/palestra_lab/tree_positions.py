"""What a drawn search tree is grown from: a game's positions, or a tree written down as numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from palestra_bots.evaluations import Evaluate
from palestra_games import Game, Seat, State

MAX_LEVELS = 12  # of a tree of numbers; a deeper one can't be read as a picture


class Position(Protocol):
    """A position of a search: a leaf with a value, or a choice of the maximizer or the minimizer."""

    @property
    def maximizing(self) -> bool:
        """Whether the maximizer chooses here (of no meaning at a leaf)."""

    def children(self) -> Sequence[tuple[str, Position]]:
        """The choices, each with its name, in the order of the search; none for a leaf."""

    def value(self) -> float:
        """The value of a leaf, from the maximizer's view."""


@dataclass(eq=False)
class GamePosition:
    """A position of a game, searched `depth` plies deep for `seat`, which is the maximizer."""

    game: Game
    state: State
    depth: int
    seat: Seat
    evaluate: Evaluate

    @property
    def maximizing(self) -> bool:
        return self.state.to_move == self.seat

    def children(self) -> list[tuple[str, Position]]:
        if self.depth == 0:
            return []
        return [
            (
                self.game.action_name(action),
                GamePosition(self.game, self.state.apply(action), self.depth - 1, self.seat, self.evaluate),
            )
            for action in self.state.legal_actions()
        ]

    def value(self) -> float:
        return self.evaluate(self.state, self.seat)


@dataclass(eq=False)
class NumberPosition:
    """A tree of numbers: a number is a leaf, a list is a choice. MAX and MIN take turns."""

    tree: object
    maximizing: bool = True

    def children(self) -> list[tuple[str, Position]]:
        if not isinstance(self.tree, list):
            return []
        return [("", NumberPosition(child, not self.maximizing)) for child in self.tree]

    def value(self) -> float:
        if not isinstance(self.tree, int | float):
            raise TypeError("Only a leaf has a value of its own.")
        return self.tree


def read_numbers(text: str) -> NumberPosition:
    """The tree given as JSON, such as "[[8, 9], [6, 3]]", with MAX at the root.

    ValueError, in one sentence, for anything else.
    """

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a value for a leaf; write a number.")

    try:
        tree = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"The tree can't be read ({error.msg.lower()} at character {error.pos + 1}); "
            "write lists of numbers, such as [[8, 9], [6, 3]]."
        ) from None
    except RecursionError:
        raise ValueError(f"A tree of numbers has at most {MAX_LEVELS} levels.") from None
    if not isinstance(tree, list):
        raise ValueError("A tree of numbers begins with a list, such as [[8, 9], [6, 3]].")
    _check(tree, MAX_LEVELS)
    return NumberPosition(tree)


def _check(tree: object, levels: int) -> None:
    if isinstance(tree, list):
        if not tree:
            raise ValueError("An empty list has no value; every list of the tree holds a number or a list.")
        if levels == 0:
            raise ValueError(f"A tree of numbers has at most {MAX_LEVELS} levels.")
        for child in tree:
            _check(child, levels - 1)
    elif isinstance(tree, bool) or not isinstance(tree, int | float):
        raise ValueError(f"The leaves of the tree are numbers, not {json.dumps(tree)[:40]}.")
