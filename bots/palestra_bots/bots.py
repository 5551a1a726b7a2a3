"""The reference bots. They are ordinary bots: they use what `palestra_client` gives everybody, and nothing else."""

from __future__ import annotations

import random

from palestra_bots import evaluations
from palestra_bots.reports import MAX_DEPTH, ReportPlayer, reference_move
from palestra_bots.search.reference import Algorithm, analyse, best_first
from palestra_client import Bot, Turn
from palestra_games import Game


def thinking_s(remaining_s: float) -> float:
    """How long to search when `remaining_s` seconds are left for the move.

    Held back are 30 ms and a twentieth: for the looks at the clock, for other programs on the machine, and for
    handing over the answer. (Its way through the network is what the server's grace is for.)
    """
    return max(0.0, 0.95 * remaining_s - 0.03)


class RandomBot(Bot):
    """Plays any legal action, all equally likely."""

    def choose(self, turn: Turn) -> int:
        return random.choice(turn.legal)


class GreedyBot(Bot):
    """Plays the action whose next position its evaluation likes best; of equal ones any."""

    def choose(self, turn: Turn) -> int:
        evaluate = evaluations.default(turn.match.game)
        values = {action: evaluate(turn.state.apply(action), turn.seat) for action in turn.legal}
        best = max(values.values())
        turn.report(depth=1, nodes=1 + len(values), value=best)
        return random.choice([action for action, value in values.items() if value == best])


class SearchBot(Bot):
    """Searches deeper and deeper, up to `depth` plies if given, for as long as the clock or `move_s` seconds allow."""

    def __init__(self, algorithm: Algorithm, *, depth: int | None = None, move_s: float | None = None) -> None:
        if depth is not None and depth < 1:
            raise ValueError(f"The depth of a search is 1 or more plies, not {depth}.")
        if move_s is not None and not move_s > 0:
            raise ValueError(f"The time for a move is more than 0 seconds, not {move_s}.")
        self.algorithm = algorithm
        self.depth = depth
        self.move_s = move_s

    def choose(self, turn: Turn) -> int:
        time_s = thinking_s(turn.remaining_s)
        evaluation = evaluations.default(turn.match.game)
        found = analyse(
            turn.state,
            self.algorithm,
            depth=self.depth,
            move_s=time_s if self.move_s is None else min(self.move_s, time_s),
            evaluation=evaluation,
            ordering=best_first(evaluation),
        )
        turn.report(depth=found.depth, nodes=found.nodes, value=found.value, pv=found.pv)
        return found.action


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
