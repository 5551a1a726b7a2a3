"""Bots whose search is broken on purpose, one fault each, and the healthy one that they are made of.

They are what a student hands in: iterative deepening with alpha-beta in plain Python, for any game, as deep as 0.75 of
the clock allows.
"""

import random
import time
from math import inf

from palestra_bots import evaluations
from palestra_bots.solving import perfect_player
from palestra_client import Bot

NODES_AT_ONCE = 32  # between two looks at the clock


class OutOfTime(Exception):
    pass


class Healthy(Bot):
    share = 0.75  # of the clock
    clock = staticmethod(time.monotonic)

    def warm_up(self, game):
        self.worth = evaluations.default(game.name)

    def choose(self, turn):
        self.until, self.nodes, self.seat = self.clock() + self.share * turn.remaining_s, 0, turn.seat
        chosen = turn.legal[0]
        for depth in range(1, 60):
            self.cut, self.table = False, {}
            try:
                value, action = self.search(turn.state, self.plies(depth), -inf, inf)
            except OutOfTime:
                break
            chosen = action
            turn.report(depth=depth, nodes=self.nodes, value=value, pv=(action,))
            if not self.cut or self.worth.decides(value):
                break
        return chosen

    def search(self, state, depth, alpha, beta):
        """The value for `self.seat`, and an action that gives it."""
        self.nodes += 1
        if self.nodes % NODES_AT_ONCE == 0 and self.clock() > self.until:
            raise OutOfTime
        if state.returns() is not None:
            return self.worth(state, self.seat), None
        if depth <= 0:
            self.cut = True
            return self.estimate(state), None
        known = self.known(state, depth, alpha, beta)
        if known is not None:
            return known
        asked = alpha, beta
        own = state.to_move == self.seat
        best = (-inf if own else inf), None
        for action in self.ordered(state.legal_actions()):
            value = self.search(self.after(state, action), depth - 1, alpha, beta)[0]
            if value > best[0] if own else value < best[0]:
                best = value, action
            if own:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
        self.keep(state, depth, best, asked)
        return best

    # What goes wrong below:

    def plies(self, depth):
        return depth

    def estimate(self, state):
        return self.worth(state, self.seat)

    def ordered(self, actions):
        return actions

    def after(self, state, action):
        return state.apply(action)

    def known(self, state, depth, alpha, beta):
        low, high, action = self.table.get((state, depth), (-inf, inf, None))
        if low >= beta or low == high:
            return low, action
        return (high, action) if high <= alpha else None

    def keep(self, state, depth, best, asked):
        value, action = best
        low, high, _ = self.table.get((state, depth), (-inf, inf, None))
        self.table[state, depth] = value if value > asked[0] else low, value if value < asked[1] else high, action


class DepthOffByOne(Healthy):
    """Says one ply more than it searched."""

    def plies(self, depth):
        return depth - 1 if depth > 1 else depth


class SignError(Healthy):
    """Likes what is good for its opponent, but for the end of the game."""

    def estimate(self, state):
        return -self.worth(state, self.seat)


class IgnoresExtraTurns(Healthy):
    """Thinks that the turn passes with every move (mancala)."""

    def after(self, state, action):
        child = state.apply(action)
        if child.returns() is None and child.to_move == state.to_move:
            return type(child).of(child.pits, child.stores, 1 - child.to_move, child.capture)
        return child


class StopsEarly(Healthy):
    """Stops deepening at a tenth of its clock."""

    share = 0.1


class KeepsItsTable(Healthy):
    """No fault: what it knows of deeper searches serves it in later, shallower ones."""

    def warm_up(self, game):
        super().warm_up(game)
        self.deeper = {}

    def known(self, state, depth, alpha, beta):
        low, high, action, searched = self.deeper.get(state, (-inf, inf, None, -1))
        if searched < depth:
            return None
        self.cut = True
        if low >= beta or low == high:
            return low, action
        return (high, action) if high <= alpha else None

    def keep(self, state, depth, best, asked):
        value, action = best
        low, high = self.bounds(value, asked)
        self.deeper[state] = low, high, action, depth

    def bounds(self, value, asked):
        return value if value > asked[0] else -inf, value if value < asked[1] else inf


class WrongBounds(KeepsItsTable):
    """Takes the bounds in its table for values."""

    def bounds(self, value, _):
        return value, value


class DropsLastMove(Healthy):
    """Its ordering loses the last move of the list."""

    def ordered(self, actions):
        return actions[:-1] or actions


class NotTheSameTwice(Healthy):
    """Adds chance to its evaluation."""

    def estimate(self, state):
        return self.worth(state, self.seat) + random.choice((-2, -1, 0, 1, 2))


class PerfectButSlow(Bot):
    """Plays perfectly, and takes no notice of the clock once the match is under way."""

    sleep = staticmethod(time.sleep)
    nodes = None

    def warm_up(self, game):
        self.perfect = perfect_player(game.name, 20)
        self.perfect.perfect_move(game.initial_state(), 0.5)

    def choose(self, turn):
        found = self.perfect.perfect_move(turn.state, turn.remaining_s / 2, self.nodes)
        if turn.ply > 12:
            self.sleep(4 * turn.remaining_s + 0.5)
        return turn.legal[0] if found is None else found.action


BOTS = {
    bot.__name__: bot
    for bot in (
        Healthy,
        KeepsItsTable,
        DepthOffByOne,
        SignError,
        IgnoresExtraTurns,
        StopsEarly,
        WrongBounds,
        DropsLastMove,
        NotTheSameTwice,
        PerfectButSlow,
    )
}
