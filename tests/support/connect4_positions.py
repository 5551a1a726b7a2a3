"""Random positions in classes like those of Pascal Pons' benchmark, with their exact scores.

His classes: *begin* up to 14 plies, *middle* up to 28, *end* later; *easy* if perfect play ends the game in fewer
than 14 plies, *medium* in fewer than 28, else *hard*. Ours start at ply 8: earlier positions take seconds each. A game
is a sequence of columns, each drawn uniformly from those that neither complete a four nor let the other player do so.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from palestra_bots.solvers.connect4.bitboard import CELLS
from palestra_bots.solvers.connect4.positions import Position, followers, is_won, plies_left, wins_at_once
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


@dataclass(frozen=True, slots=True)
class Sample:
    """A position with the actions that lead to it (columns from 0) and its exact score."""

    actions: tuple[int, ...]
    position: Position
    score: int


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
