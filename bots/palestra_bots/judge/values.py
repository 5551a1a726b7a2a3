"""Values of positions, for the player to move: proved where the game is solved, else estimates.

Limited by nodes and never by time, and with tables that begin empty with each match: the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, cast

from palestra_bots import evaluations
from palestra_bots.judge.chances import chance_of
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.timeman import Limit
from palestra_games import State
from palestra_games.connect4 import Connect4State
from palestra_games.mancala import MancalaState

ESTIMATE_NODES: Final = 200_000  # for a position that is estimated: about 0.05 s


@dataclass(frozen=True, slots=True)
class Value:
    """`score` is above 0 for a position that is won, in the game's unit (see `palestra_bots.solving`), or, if it is not
    `proved`, that of the evaluation. `chance`: of winning, a draw counting half.
    """

    score: int
    chance: float
    proved: bool
    best: int
    nodes: int
    plies: int | None = None
    depth: int = 0
    line: tuple[int, ...] = ()


class Prover(Protocol):
    """Proves values of one game."""

    def solve(self, state: State, nodes: int) -> Value | None:
        """The value; None if `nodes` don't suffice."""

    def reaches(self, state: State, score: int, nodes: int) -> tuple[bool | None, int | None, int]:
        """Whether it is worth at least `score` (None if `nodes` don't suffice), an action that reaches it, and the
        nodes that this took.
        """

    def final(self, state: State) -> int:
        """The score of a finished game for the player "to move"."""


def sign(score: float) -> int:
    return (score > 0) - (score < 0)


def proved(score: int, best: int, nodes: int, plies: int | None = None) -> Value:
    return Value(score, (1 + sign(score)) / 2, True, best, nodes, plies)


class Connect4:
    """Scores as of Pascal Pons."""

    def __init__(self) -> None:
        from palestra_bots.solvers.connect4.book import load_book
        from palestra_bots.solvers.connect4.solver import Solver

        self._book = load_book()
        self._solver = Solver()

    def reaches(self, state: State, score: int, nodes: int) -> tuple[bool | None, int | None, int]:
        found = self.solve(state, nodes, score)
        return (None, None, nodes) if found is None else (found.score >= score, found.best, found.nodes)

    def solve(self, state: State, nodes: int, at_least: int | None = None) -> Value | None:
        from palestra_bots.solvers.connect4.play import bitboards
        from palestra_bots.solvers.connect4.positions import plies_left
        from palestra_bots.solvers.connect4.solver import OutOfTime

        own, mask = bitboards(cast(Connect4State, state))
        entry = self._book.look_up(own, mask)
        if entry is not None:
            return proved(entry.value, entry.action, 0, plies_left(entry.value, mask.bit_count()))
        try:
            found = self._solver.solve(own, mask, at_least=at_least, node_limit=nodes)
        except OutOfTime:
            return None
        return proved(found.score, found.action, found.nodes, plies_left(found.score, mask.bit_count()))

    def final(self, state: State) -> int:
        stones = sum(each.bit_count() for each in cast(Connect4State, state).stones)
        result = state.returns()
        return 0 if result is None or result == (0, 0) else -((44 - stones) // 2)


class Mancala:
    """Scores are the final difference of the stores."""

    def __init__(self) -> None:
        from palestra_bots.solvers.mancala import book, cache
        from palestra_bots.solvers.mancala.solver import Solver

        self._book = book.load_book()
        # A larger table on this machine would give other answers than elsewhere.
        self._solver = Solver(cache.load(6, "non-empty", most=cache.DEFAULT_SEEDS))

    def solve(self, state: State, nodes: int) -> Value | None:
        board = cast(MancalaState, state)
        entry = self._book.look_up(board)
        if entry is not None:
            return proved(self.final(board) + entry.value, entry.action, 0)
        found = self._solver.solve(board, node_limit=nodes)
        return proved(found.lower, cast(int, found.action), found.nodes) if found.solved else None

    def reaches(self, state: State, score: int, nodes: int) -> tuple[bool | None, int | None, int]:
        board = cast(MancalaState, state)
        if self._book.look_up(board) is not None:
            found = cast(Value, self.solve(state, nodes))
            return found.score >= score, found.best, 0
        result = self._solver.solve(board, guesses=(score,), at_least=score, node_limit=nodes)
        if result.lower >= score and result.action is not None:
            return True, result.action, result.nodes
        return (False if result.upper < score else None), None, result.nodes

    def final(self, state: State) -> int:
        board = cast(MancalaState, state)
        return board.stores[board.to_move] - board.stores[1 - board.to_move]


def prover(game: str) -> Prover | None:
    """A new one, with empty tables; None where the game is not solved."""
    if game == "connect4":
        return Connect4()
    return Mancala() if game == "mancala" else None


class Estimator:
    """What a search of ESTIMATE_NODES nodes says."""

    def __init__(self, game: str) -> None:
        """KeyError if the game has no compiled search."""
        self.game = game
        self._searcher = Searcher(game, "mtdf", table_bits=20)
        self._evaluation = evaluations.default(game)

    def value(self, state: State, nodes: int = ESTIMATE_NODES) -> Value:
        """Proved where the search saw the end of everything that matters."""
        found = self._searcher.analyse(state, Limit(nodes=nodes))
        score = round(found.value)
        known = self._evaluation.decides(score) or (found.exact and self._evaluation.win is not None)
        chance = (1 + sign(score)) / 2 if known else chance_of(self.game, score)
        return Value(score, chance, known, found.action, found.nodes, None, found.depth, found.pv)
