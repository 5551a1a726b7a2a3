"""The reference bots. They are ordinary bots: they use what `palestra_client` gives everybody, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from palestra_bots import evaluations
from palestra_bots.analysis_types import Analysis
from palestra_bots.reports import ReportPlayer, reference_move, report_depth
from palestra_bots.search import reference
from palestra_bots.solving import perfect_player
from palestra_bots.timeman import WARM_UP_S, Limit, left_s, proof_nodes, proof_s, thinking_s
from palestra_client import Bot, Match, Turn
from palestra_games import Game, State

if TYPE_CHECKING:
    from palestra_bots.search.fast.searcher import Searcher
    from palestra_bots.solvers.interface import PerfectPlayer

SearchAlgorithm = Literal["alphabeta", "mtdf"]

TABLE_BITS, SOLVER_TABLE_BITS = 21, 22
# A table has 2 to this power entries of 16 bytes; a level searches few positions, and many play at once.
LEVEL_TABLE_BITS = 16


def table_bits(most: int, nodes: int | None) -> int:
    # Clearing a large table for every match would take longer than a search of few nodes.
    return most if nodes is None else min(most, nodes.bit_length() + 1)


class RandomBot(Bot):
    """Plays a random legal action."""

    def choose(self, turn: Turn) -> int:
        # A third of the time of random.choice. The remainder of 2**30 biases it by less than one in 10**8.
        return turn.legal[random.getrandbits(30) % len(turn.legal)]


class GreedyBot(Bot):
    """Plays the action whose next position its evaluation likes best; ties are broken at random."""

    def choose(self, turn: Turn) -> int:
        evaluate = evaluations.default(evaluations.game_of(turn.state))
        values = {action: evaluate(turn.state.apply(action), turn.seat) for action in turn.legal}
        best = max(values.values())
        turn.report(depth=1, nodes=1 + len(values), value=best)
        return random.choice([action for action, value in values.items() if value == best])


class CarefulBot(Bot):
    """A careful beginner: weighs each of its turns (all its moves, where a player may move again) against every turn of
    the opponent, and plays what looks best in the worst case; ties are broken at random.
    """

    def choose(self, turn: Turn) -> int:
        tree = reference.Tree(turn.seat, evaluations.default(evaluations.game_of(turn.state)))
        values = {action: _after_reply(tree, turn.state.apply(action), False) for action in turn.legal}
        best = max(values.values())
        turn.report(depth=2, nodes=tree.nodes, value=best)
        return random.choice([action for action, value in values.items() if value == best])


def _after_reply(tree: reference.Tree, state: State, replied: bool) -> float:
    """What `state` is worth to `tree.seat` once the opponent has had a turn, which has begun if `replied`."""
    tree.visit()
    own = state.to_move == tree.seat
    if state.returns() is not None or (replied and own):
        return tree.evaluate(state, tree.seat)
    values = [_after_reply(tree, state.apply(action), not own) for action in state.legal_actions()]
    return max(values) if own else min(values)


class SearchBot(Bot):
    """Searches deeper and deeper, for as long as the clock and `limit` allow.

    It uses the compiled search, and keeps its table from move to move. A game without one (a plug-in, say) is searched
    by the reference in plain Python. MTD(f) without a depth limit asks our exact solvers first, where there is one for
    the game, unless it is to play by an `evaluation`.
    """

    def __init__(
        self, algorithm: SearchAlgorithm, limit: Limit, *, evaluation: str | None = None, table_bits: int = TABLE_BITS
    ) -> None:
        self.algorithm = algorithm
        self.limit = limit
        self._evaluation_name = evaluation
        self._table_bits = table_bits
        self._searcher: Searcher | None = None
        self._perfect: PerfectPlayer | None = None

    def warm_up(self, game: Game) -> None:
        """Compiles the search of this game, or reads it from the cache, and runs it once."""
        from palestra_bots.search.fast.loops import has_kernel  # imports Numba
        from palestra_bots.search.fast.searcher import Searcher

        state = game.initial_state()
        name = evaluations.game_of(state)
        evaluation = evaluations.get(name, self._evaluation_name).name
        if has_kernel(state, evaluation):
            bits = table_bits(self._table_bits, self.limit.nodes)
            self._searcher = Searcher(name, self.algorithm, evaluation=evaluation, table_bits=bits)
            self._searcher.warm_up(state)
        if self.algorithm == "mtdf" and self.limit.depth is None and self._evaluation_name is None:
            self._perfect = perfect_player(name, table_bits(SOLVER_TABLE_BITS, self.limit.nodes))
            if self._perfect is not None:
                self._perfect.perfect_move(state, WARM_UP_S)

    def choose(self, turn: Turn) -> int:
        began_s = turn.remaining_s
        late_s = self._searcher.slices.late_s if self._searcher is not None else 0.0
        move_s = thinking_s(self.limit.clock_s(began_s), late_s)
        nodes = self.limit.nodes
        if self._perfect is not None:
            tries = proof_nodes(nodes)
            proved = self._perfect.perfect_move(turn.state, proof_s(move_s), tries)
            if proved is not None:
                turn.report(nodes=proved.nodes, value=proved.score, pv=(proved.action,), text="solved")
                return proved.action
            nodes = max(1, nodes - tries) if nodes is not None and tries is not None else None
        found = self._search(turn.state, Limit(self.limit.depth, left_s(move_s, began_s - turn.remaining_s), nodes))
        turn.report(depth=found.depth, nodes=found.nodes, value=found.value, pv=found.pv)
        return found.action

    def _search(self, state: State, limit: Limit) -> Analysis:
        if len(state.legal_actions()) == 1:
            limit = Limit(depth=1)  # nothing to think about
        if self._searcher is not None:
            return self._searcher.analyse(state, limit)
        evaluation = evaluations.get(evaluations.game_of(state), self._evaluation_name)
        ordering = reference.best_first(evaluation)
        return reference.analyse(state, self.algorithm, limit, evaluation=evaluation, ordering=ordering)


class LevelBot(SearchBot):
    """Looks a fractional number of plies ahead, and sees nothing beyond them (see `levels`).

    `plies` gives the number for the name of a game. Each match has its own random numbers, so that it can be replayed.
    """

    def __init__(self, plies: Callable[[str], float]) -> None:
        super().__init__("mtdf", Limit(depth=1), table_bits=LEVEL_TABLE_BITS)
        self._plies_of = plies
        self._plies = 0.0
        self._dice = random.Random()

    def warm_up(self, game: Game) -> None:
        super().warm_up(game)
        self._plies = self._plies_of(game.name)

    def on_start(self, match: Match) -> None:
        self._dice = random.Random(f"{match.id} {match.seat}")

    def choose(self, turn: Turn) -> int:
        whole = int(self._plies)
        depth = whole + (self._dice.random() < self._plies - whole)
        if depth == 0:
            return self._dice.choice(turn.legal)
        self.limit = Limit(depth)
        return super().choose(turn)


class ReportBot(Bot):
    """A player of the 8x8 report (`palestra_bots.reports`): always `depth` plies, whatever the clock says."""

    def __init__(self, player: ReportPlayer, *, depth: int = 8) -> None:
        self.player = player
        self.depth = report_depth(depth)

    def warm_up(self, game: Game) -> None:
        """Raises ValueError for any other game than connect4-8x8."""
        reference_move(self.player, game.initial_state(), 1)

    def choose(self, turn: Turn) -> int:
        return reference_move(self.player, turn.state, self.depth)
