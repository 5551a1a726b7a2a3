"""A sound search agrees with itself, whatever its evaluation and however it counts; one that takes bounds for values
does not.
"""

import random
from math import inf

import pytest

from palestra_client import Bot, Match
from palestra_client.arena.agreement import compared
from palestra_client.arena.replaying import Heard, Played, ask
from palestra_client.bridge.lines import report
from palestra_games import get_game

LINES = {"connect4": (3, 3, 2, 4, 4, 2, 1, 3), "mancala": (2, 1, 0, 3, 5, 4)}
WON = 100_000


class Search:
    """Alpha-beta to each depth up to 4, and one of depth 5 that was broken off, with an evaluation of its own, which
    differs from side to side.
    """

    def __init__(self, game):
        self.game = get_game(game)

    def __call__(self, actions):
        state = self.game.initial_state()
        for action in actions:
            state = state.apply(action)
        self.seat = state.to_move
        return {depth: self.said(self.search(state, depth, -inf, inf)) for depth in range(1, 5)} | {5: 77}

    def said(self, value):
        return value

    def search(self, state, depth, alpha, beta):
        if (result := state.returns()) is not None:
            return result[self.seat] * self.won(depth)
        if depth <= 0:
            return self.worth(state)
        own = state.to_move == self.seat
        best = -inf if own else inf
        for action in self.listed(state, depth):
            child = state.apply(action)
            value = self.search(child, depth - self.cost(state, child), alpha, beta)
            best = max(best, value) if own else min(best, value)
            alpha, beta = (max(alpha, value), beta) if own else (alpha, min(beta, value))
            if alpha >= beta:
                break
        return best

    def won(self, _):
        return WON

    def worth(self, state):
        return hash((state, self.seat)) % 997 - 498

    def listed(self, state, _):
        return state.legal_actions()

    def cost(self, _state, _child):
        return 1


class CountsPliesToTheEnd(Search):
    def won(self, depth):
        return WON + depth


class ForTheOther(Search):
    def said(self, value):
        return -value


class FurtherTurnsAreFree(Search):
    def cost(self, state, child):
        return int(child.to_move != state.to_move)


class BoundsAsValues(Search):
    """Remembers the bounds of searches with a narrow window as values."""

    def __call__(self, actions):
        self.table = {}
        return super().__call__(actions)

    def search(self, state, depth, alpha, beta):
        if depth > 0 and (state, depth) in self.table:
            return self.table[state, depth]
        if beta - alpha == inf + inf and depth > 1:
            super().search(state, depth, -1, 0)  # a first guess
        value = super().search(state, depth, alpha, beta)
        self.table[state, depth] = value
        return value


class LeavesOutAtSomeDepths(Search):
    def listed(self, state, depth):
        return state.legal_actions()[: -1 if depth == 3 else None] or state.legal_actions()


class Chance(Search):
    def worth(self, _):
        return random.random()


def found(search, game):
    states = [get_game(game).initial_state()]
    for action in LINES[game]:
        states.append(states[-1].apply(action))
    return compared(search(game), game, states, LINES[game], (len(LINES[game]), 4, 2))


@pytest.mark.slow
@pytest.mark.parametrize("game", LINES)
@pytest.mark.parametrize("search", [Search, CountsPliesToTheEnd, ForTheOther, FurtherTurnsAreFree])
def test_a_sound_search_agrees_with_itself(search, game):
    assert found(search, game).code == "agree"


@pytest.mark.parametrize("game", LINES)
@pytest.mark.parametrize("search", [BoundsAsValues, LeavesOutAtSomeDepths])
def test_a_search_with_a_fault_contradicts_itself(search, game):
    said = found(search, game)
    assert said.code == "contradict"
    assert said.told != said.own
    assert said.depth in (3, 4)


def test_chance_is_not_taken_for_a_fault_of_the_table():
    assert found(Chance, "connect4").code == "unsteady"


def test_too_few_depths_say_nothing():
    class Shallow(Search):
        def __call__(self, actions):
            return {3: super().__call__(actions)[3]}

    assert found(Shallow, "connect4").code == "incomparable"


def test_a_bot_is_asked_off_the_line_that_was_played():
    class Deepens(Bot):
        def choose(self, turn):
            for depth in (1, 2):
                turn.report(depth=depth, value=10 * depth + turn.last.action)
            turn.report(text="done")
            return turn.legal[0]

    played = Played("m", "connect4", ("a", "b"), (), (), None, "", "")
    assert ask(Deepens, played, (3, 3, 6), 1.0).values == {1: 16, 2: 26}


def test_a_programs_line_is_one_report_in_whatever_order():
    state = get_game("connect4").initial_state()
    match = Match("m", "connect4", 0, ("a", "b"), 1.0, 0.0, 1.0, 0.0)
    turn = Heard.now(match, state, 0)
    report(turn, "value 0.5 depth 2 nodes none")
    report(turn, "depth 3 value -1 text so far")
    assert turn.values == {2: 0.5, 3: -1}
    assert turn.reported["text"] == "so far"
