"""Random positions in classes like those of Pascal Pons' benchmark, with their exact scores.

His classes: *begin* up to 14 plies, *middle* up to 28, *end* later; *easy* if perfect play ends the game in fewer
than 14 plies, *medium* in fewer than 28, else *hard*. Ours start at ply 8: earlier positions take seconds each. A game
is a sequence of columns, each drawn uniformly from those that neither complete a four nor let the other player do so.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from palestra_bots.solvers.connect4.bitboard import CELLS, COLS, ROWS, Word, has_four
from palestra_bots.solvers.connect4.solver import Solver

# Name -> (first ply, last ply, least and greatest number of plies left).
CLASSES = {
    "end-easy": (29, 36, 0, 13),
    "middle-easy": (15, 28, 0, 13),
    "middle-medium": (15, 28, 14, 27),
    "begin-easy": (8, 14, 0, 13),
    "begin-medium": (8, 14, 14, 27),
    "begin-hard": (8, 14, 28, CELLS),
}

# A position as in `bitboard`: stones of the player to move, all stones.
Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sample:
    """A position with the actions that lead to it (columns from 0) and its exact score."""

    actions: tuple[int, ...]
    position: Position
    score: int


def after(position: Position, action: int) -> Position | None:
    """The position after a stone in a column, in the view of the next player; None if the column is full."""
    own, mask = position
    column = ((1 << ROWS) - 1) << action * (ROWS + 1)
    cell = (mask + (1 << action * (ROWS + 1))) & column
    return (own ^ mask, mask | cell) if cell else None


def is_won(position: Position) -> bool:
    own, mask = position
    return has_four(Word(own ^ mask))


def followers(position: Position) -> list[tuple[int, Position]]:
    """(action, position after it) of all legal actions, ascending; the mover must still be able to move."""
    pairs = ((action, after(position, action)) for action in range(COLS))
    return [(action, following) for action, following in pairs if following is not None]


def wins_at_once(position: Position) -> bool:
    return any(is_won(following) for _, following in followers(position))


def plies_left(score: int, ply: int) -> int:
    """Plies to the end of the game under perfect play, from a position at `ply` with `score` for its mover."""
    if score == 0:
        return CELLS - ply
    # The winner completes a four with ply number `last`, and is the mover if `last - ply` is odd.
    last = CELLS + 2 - 2 * abs(score)
    if (last - ply) % 2 != (score > 0):
        last -= 1
    return last - ply


def random_game(dice: random.Random, plies: int) -> tuple[tuple[int, ...], Position]:
    """(actions, position) of a random game of `plies` plies in which nobody could have won earlier."""
    actions: list[int] = []
    position = (0, 0)
    while len(actions) < plies:
        quiet = [pair for pair in followers(position) if not is_won(pair[1]) and not wins_at_once(pair[1])]
        if quiet:
            action, position = dice.choice(quiet)
            actions.append(action)
        else:
            actions, position = [], (0, 0)
    return tuple(actions), position


def samples(name: str, count: int, seed: int, solver: Solver) -> list[Sample]:
    """`count` positions of a class, the same for the same seed. ValueError for an unknown class."""
    if name not in CLASSES:
        raise ValueError(f"There is no class of positions '{name}'; the classes are {', '.join(CLASSES)}.")
    first, last, least, greatest = CLASSES[name]
    dice = random.Random(f"{name} {seed}")
    found: list[Sample] = []
    while len(found) < count:
        ply = dice.randint(first, last)
        actions, position = random_game(dice, ply)
        score = solver.solve(*position).score
        if least <= plies_left(score, ply) <= greatest:
            found.append(Sample(actions, position, score))
    return found
