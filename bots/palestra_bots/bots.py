"""The reference bots. They are ordinary bots: they use what `palestra_client` gives everybody, and nothing else."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Literal

from palestra_bots import evaluations
from palestra_bots.analysis_types import Analysis
from palestra_bots.perfect import PERFECT, PerfectPlay
from palestra_bots.reports import MAX_DEPTH, ReportPlayer, reference_move
from palestra_bots.search import reference
from palestra_client import Bot, Turn
from palestra_games import Game, State

if TYPE_CHECKING:
    from palestra_bots.search.fast.searcher import Searcher

SearchAlgorithm = Literal["alphabeta", "mtdf"]
SHORTEST_S = 0.001
WARM_UP_S = 0.5
"""For a first question to a solver, which compiles it; the answer is not wanted."""


class RandomBot(Bot):
    """Plays any legal action, all equally likely."""

    def choose(self, turn: Turn) -> int:
        return random.choice(turn.legal)


class GreedyBot(Bot):
    """Plays the action whose next position its evaluation likes best; of equal ones any."""

    def choose(self, turn: Turn) -> int:
        evaluate = evaluations.default(evaluations.game_of(turn.state))
        values = {action: evaluate(turn.state.apply(action), turn.seat) for action in turn.legal}
        best = max(values.values())
        turn.report(depth=1, nodes=1 + len(values), value=best)
        return random.choice([action for action, value in values.items() if value == best])


class SearchBot(Bot):
    """Searches deeper and deeper, up to `depth` plies if given, for as long as the clock or `move_s` seconds allow.

    It uses the compiled search, and keeps its table from move to move. A game that has none (a plug-in, say) is
    searched by the reference in plain Python. MTD(f) without a limit of depth asks our exact solvers first, where
    there is one for the game.
    """

    def __init__(self, algorithm: SearchAlgorithm, *, depth: int | None = None, move_s: float | None = None) -> None:
        if depth is not None and depth < 1:
            raise ValueError(f"The depth of a search is 1 or more plies, not {depth}.")
        if move_s is not None and not move_s > 0:
            raise ValueError(f"The time for a move is more than 0 seconds, not {move_s}.")
        self.algorithm = algorithm
        self.depth = depth
        self.move_s = move_s
        self._searcher: Searcher | None = None
        self._perfect: PerfectPlay | None = None

    def warm_up(self, game: Game) -> None:
        """Compiles the search of this game, or reads it from the cache, and runs it once."""
        from palestra_bots.search.fast.loops import has_kernel  # brings in Numba
        from palestra_bots.search.fast.searcher import Searcher

        state = game.initial_state()
        name = evaluations.game_of(state)
        if has_kernel(state, evaluations.default(name).name):
            self._searcher = Searcher(name, self.algorithm)
            self._searcher.warm_up(state)
        if self.algorithm == "mtdf" and self.depth is None and name in PERFECT:
            self._perfect = PERFECT[name]()
            self._perfect(state, WARM_UP_S)

    def choose(self, turn: Turn) -> int:
        # With 0 left the answer is no longer wanted, but a search wants a time to be in.
        remaining_s = max(turn.remaining_s, SHORTEST_S)
        clock_s = remaining_s if self.move_s is None else min(remaining_s, self.move_s)
        proved = self._perfect(turn.state, clock_s) if self._perfect else None
        if proved is not None:
            turn.report(nodes=proved.nodes, value=proved.value, pv=proved.pv, text="solved")
            return proved.action
        # A tenth is held back of what the proof took, too, as the search does of its own time.
        spent_s = remaining_s - turn.remaining_s
        found = self._search(turn.state, max(clock_s - 1.1 * spent_s, SHORTEST_S))
        turn.report(depth=found.depth, nodes=found.nodes, value=found.value, pv=found.pv)
        return found.action

    def _search(self, state: State, clock_s: float) -> Analysis:
        if self._searcher is None:
            evaluation = evaluations.default(evaluations.game_of(state))
            return reference.analyse(
                state,
                self.algorithm,
                depth=self.depth,
                move_s=thinking_s(clock_s),
                evaluation=evaluation,
                ordering=reference.best_first(evaluation),
            )
        if self.depth is None:
            return self._searcher.search(state, clock_s)
        return self._searcher.analyse(state, depth=self.depth, move_s=thinking_s(clock_s))


def thinking_s(clock_s: float) -> float:
    """How long to search with `clock_s` seconds on the clock.

    Held back are 50 ms and a tenth, as by the compiled search: for the looks at the clock, for other programs on the
    machine, and for handing over the answer. (Its way through the network is what the server's grace is for.)
    """
    return max(SHORTEST_S, 0.9 * clock_s - 0.05)


class ReportBot(Bot):
    """A player of the 8x8 report (`palestra_bots.reports`): always `depth` plies, whatever the clock says."""

    def __init__(self, player: ReportPlayer, *, depth: int = 8) -> None:
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"The depth is 1 to {MAX_DEPTH} plies, not {depth}.")
        self.player = player
        self.depth = depth

    def warm_up(self, game: Game) -> None:
        """Compiles. Raises ValueError for any other game than connect4-8x8."""
        reference_move(self.player, game.initial_state(), 1)

    def choose(self, turn: Turn) -> int:
        return reference_move(self.player, turn.state, self.depth)
