"""Balanced openings: positions after a few plies that our own search finds even, for matches played in pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from palestra_bots import evaluations
from palestra_bots.kernels.load import kernel_for
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.solvers.connect4.play import bitboards
from palestra_bots.solvers.connect4.solver import Solver
from palestra_bots.timeman import Limit
from palestra_client.arena.openings import random_plies
from palestra_games import Game, State, positions
from palestra_games.connect4 import Connect4State

PLIES: Final = {"connect4": 8}  # plies of an opening. Connect four is solved quickly enough from the eighth on.
USUAL_PLIES: Final = 6
DEPTH: Final = {"mancala": 14}  # how deep the search judges them, where the game is not solved
USUAL_DEPTH: Final = 10
# The largest value that still counts as even, in the units of the game's evaluation.
NEAR: Final = {"connect4-8x8": 4.0, "desconecta4": 0.0, "mancala": 1.0}
USUAL_NEAR: Final = 0.0


@dataclass(frozen=True, slots=True)
class Judge:
    """Says whether a position is even; `name` says how, for the file."""

    name: str
    is_even: Callable[[State], bool]


def judge_of(game: Game) -> Judge:
    """The judge of a game: exact where the positions are solved quickly, else a search.

    KeyError for a game without a compiled search.
    """
    if game.name == "connect4":
        solver = Solver()

        def is_drawn(state: State) -> bool:
            assert isinstance(state, Connect4State)
            return solver.solve(*bitboards(state)).score == 0

        return Judge("exact solver: a draw", is_drawn)
    depth, near = DEPTH.get(game.name, USUAL_DEPTH), NEAR.get(game.name, USUAL_NEAR)
    searcher = Searcher(game.name, "mtdf")
    evaluation = evaluations.default(game.name).name

    def is_even(state: State) -> bool:
        return abs(searcher.analyse(state, Limit(depth)).value) <= near

    return Judge(f"mtdf, {depth} plies, evaluation {evaluation}: at most {near:g} either way", is_even)


def balanced(game: Game, judge: Judge, seed: int) -> Iterator[tuple[int, ...]]:
    """Openings that the judge finds even, each position (and its mirror image) once. The same seed, the same ones."""
    dice = random.Random(f"{game.name} openings {seed}")
    kernel = kernel_for(game.name)
    seen: set[int] = set()
    while True:
        actions = random_plies(game, PLIES.get(game.name, USUAL_PLIES), dice)
        if actions is None:
            continue
        state = positions(game, actions)[-1]
        with np.errstate(over="ignore"):
            board = kernel.from_state(state)
            key = min(int(kernel.key(board, True)), int(kernel.key(kernel.mirror(board), True)))
        if key not in seen:
            seen.add(key)
            if judge.is_even(state):
                yield actions
