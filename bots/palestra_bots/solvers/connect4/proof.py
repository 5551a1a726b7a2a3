"""One question to the solver, answered window by window: what its threads share, and what each has to itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np

from palestra_bots.solvers.connect4.bitboard import CELLS, COLS
from palestra_bots.solvers.connect4.quiet import COUNTERS
from palestra_bots.solvers.connect4.search import FRAME_WORDS


def _first_edges(lower: int, upper: int, ply: int) -> Iterator[int]:
    """Where the first null windows end, of a position whose score is within `lower` and `upper`.

    Is it won or lost within 6 plies, within 12? These are quick to answer, for a search for a short win cannot go deep.
    Then: does the player who began win? He is the one who usually can.
    """
    for stones in (3, 6):
        yield upper - stones
        yield lower + stones + 1
    yield 1 if ply % 2 == 0 else 0


class Worker:
    """What one thread writes while it searches."""

    def __init__(self) -> None:
        self.frames = np.zeros((CELLS + 1, COLS, FRAME_WORDS), np.uint64)
        self.limits = np.zeros((CELLS + 1, COLS, 2), np.int64)
        self.moves = np.zeros((CELLS + 1, COLS), np.uint64)
        self.scores = np.zeros((CELLS + 1, COLS), np.int64)
        self.counters = np.zeros(COUNTERS, np.int64)


class Proof:
    """MTD(f) (Plaat 1996): null windows up or down to the score, or one that tells whether it is `at_least` so much;
    every thread that helps takes the same window.
    """

    def __init__(self, lower: int, upper: int, best: int, ply: int, at_least: int | None = None) -> None:
        self.lock = threading.Lock()
        self.lower, self.upper, self.best = lower, upper, best
        self.stopped = False
        self._at_least = at_least
        self._edges = _first_edges(lower, upper, ply) if at_least is None else iter((at_least,))
        self._step = lower + 1
        self._next()

    def _next(self) -> None:
        self.beta = next((edge for edge in self._edges if self.lower < edge <= self.upper), self._step)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to search."""
        return self.stopped or self.lower >= self.upper or self.reached is not None

    @property
    def reached(self) -> bool | None:
        """Whether it is `at_least` so much, once that is known."""
        if self._at_least is None or self.lower < self._at_least <= self.upper:
            return None
        return self.lower >= self._at_least

    @property
    def score(self) -> int:
        """Once it is done: the score, or a bound that answers `at_least`."""
        return self.upper if self.reached is False else self.lower

    def learn(self, beta: int, value: int, move: int) -> None:
        """Take in what a null window before `beta` found; `move` reaches `value` if that is at least `beta`."""
        if value >= beta:
            self.lower, self.best = value, move
            self._step = value + 1
        else:
            self._step = self.upper = value
        self._next()
