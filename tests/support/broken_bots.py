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
                value, action = self.look(turn.state, self.plies(depth))
            except OutOfTime:
                break
            chosen = action
            turn.report(depth=depth, nodes=self.nodes, value=value, pv=(action,))
            if not self.cut or self.worth.decides(value):
                break
        return chosen

    def look(self, state, depth):
        return self.search(state, depth, -inf, inf)

    def search(self, state, depth, alpha, beta):
        """The value for `self.seat`, and an action that gives it."""
        self.nodes += 1
        if self.nodes % NODES_AT_ONCE == 0 and self.clock() > self.until:
            raise OutOfTime
        if state.returns() is not None:
            return self.ended(state), None
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

    def ended(self, state):
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


class SwapsWins(Healthy):
    """Reads the result of the other seat where a game is over."""

    def ended(self, state):
        return -self.worth(state, self.seat)


class IgnoresExtraTurns(Healthy):
    """Thinks that the turn passes with every move (mancala)."""

    def after(self, state, action):
        child = state.apply(action)
        if child.returns() is None and child.to_move == state.to_move:
            return type(child).of(child.pits, child.stores, 1 - child.to_move, child.capture)
        return child


class AlternatesSides(Healthy):
    """Maximizes and minimizes in turn, whoever is on the move by the rules (mancala)."""

    def look(self, state, depth):
        return self.turns(state, depth, -inf, inf, True)

    def turns(self, state, depth, alpha, beta, own):
        self.nodes += 1
        if self.nodes % NODES_AT_ONCE == 0 and self.clock() > self.until:
            raise OutOfTime
        if state.returns() is not None or depth == 0:
            self.cut |= state.returns() is None
            return self.leaf(state, own), None
        best = None
        for action in state.legal_actions():
            value = self.turns(state.apply(action), depth - 1, alpha, beta, not own)[0]
            if value > alpha if own else value < beta:
                best = action
                alpha, beta = (value, beta) if own else (alpha, value)
            if alpha >= beta:
                break
        return alpha if own else beta, best

    def leaf(self, state, _own):
        return self.estimate(state)


class NegatesBlindly(AlternatesSides):
    """Negamax that takes each position for the other player's than the one before (mancala)."""

    def leaf(self, state, own):
        value = self.worth(state, state.to_move)
        return value if own else -value


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


class MemoryTest(KeepsItsTable):
    """No fault: MTD(f), which only ever asks whether the value is above or below a guess."""

    guess = 0

    def look(self, state, depth):
        low, high, action = -inf, inf, None
        while low < high:
            asked = self.guess + 1 if self.guess == low else self.guess
            self.guess, found = self.search(state, depth, asked - 1, asked)
            if self.guess < asked:
                high = self.guess
            else:
                low, action = self.guess, found
            action = found if action is None else action
        return self.guess, action


class WrongBounds(MemoryTest):
    """Takes the bounds in its table for values."""

    def bounds(self, value, _):
        return value, value


class DropsLastMove(Healthy):
    """Its ordering loses the last move of the list."""

    def ordered(self, actions):
        return actions[:-1] or actions


class DropsLastReply(Healthy):
    """Leaves out the last move, but for its own next one."""

    def look(self, state, depth):
        self.first = True
        return super().look(state, depth)

    def ordered(self, actions):
        first, self.first = self.first, False
        return actions if first else actions[:-1] or actions


class IgnoresCaptures(Healthy):
    """Sows, and takes nothing from the other side (mancala)."""

    def after(self, state, action):
        child = state.apply(action)
        if child.returns() is not None:
            return child
        me, rival = state.to_move, 1 - state.to_move
        row, stores, seeds = [list(pits) for pits in state.pits], list(state.stores), state.pits[me][action]
        row[me][action] = 0
        for step in range(seeds):
            at = (5 - action + 1 + step) % 13  # along its own row from pit 6 on, its store, the other row
            if at < 6:
                row[me][5 - at] += 1
            elif at == 6:
                stores[me] += 1
            else:
                row[rival][12 - at] += 1
        if not any(row[0]) or not any(row[1]):
            return child
        return type(child).of((tuple(row[0]), tuple(row[1])), tuple(stores), child.to_move, child.capture)


class IgnoresBombs(Healthy):
    """Thinks that nobody ever sets off a bomb (desconecta4)."""

    def ordered(self, actions):
        return [action for action in actions if action != 7] or actions


class PlainPieces(IgnoresBombs):
    """Thinks that there are no bombs at all (desconecta4)."""

    def after(self, state, action):
        child = state.apply(action)
        return child if action == 7 else type(child).of(child.stones, state.bombs, child.round, child.to_move)


class NotTheSameTwice(Healthy):
    """Adds chance to its evaluation: another one each time it is asked, and the same ones in every run."""

    chance = random.Random(1)

    def estimate(self, state):
        return self.worth(state, self.seat) + self.chance.choice((-2, -1, 0, 1, 2))


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
        MemoryTest,
        DepthOffByOne,
        SignError,
        SwapsWins,
        IgnoresExtraTurns,
        AlternatesSides,
        NegatesBlindly,
        StopsEarly,
        WrongBounds,
        DropsLastMove,
        DropsLastReply,
        IgnoresCaptures,
        IgnoresBombs,
        PlainPieces,
        NotTheSameTwice,
        PerfectButSlow,
    )
}
