"""The opening book: positions of the match game that take too long to solve within a move, and what to play there.

The key of a position is the number of its rest (see `endgame`); its value is what the rest is worth to its mover.
`palestra_bots.solvers.mancala.book_builder` makes it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from palestra_bots.solvers import books
from palestra_bots.solvers.mancala.endgame import number_of, numbering
from palestra_bots.solvers.mancala.rows import rest_of
from palestra_games.mancala import MANCALA, MancalaState


def number_of_state(state: MancalaState) -> int:
    with np.errstate(over="ignore"):
        return int(number_of(*rest_of(state), numbering(len(state.pits[0]))))


class Book(books.Book):
    def look_up(self, state: MancalaState) -> books.Entry | None:
        """The entry of a position of the match game in play, or None."""
        if (len(state.pits[0]), state.capture) != (MANCALA.pits, MANCALA.capture):
            return None
        return self.find(number_of_state(state))


@cache
def load_book() -> Book:
    return Book(books.path_of("mancala").read_bytes())
