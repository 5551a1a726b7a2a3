"""Perft: the number of action sequences of exactly n plies, against the published counts."""

from collections import Counter

import pytest

from palestra_games import State, get_game

PERFT = {
    "connect4": (7, 49, 343, 2401, 16807, 117649, 823536, 5673234),
    "connect4-8x8": (8, 64, 512, 4096, 32768, 262144, 2097152, 16553664),
    "desconecta4": (7, 49, 343, 2401, 16807, 117649, 823543, 5673570, 39403644),
    "mancala": (6, 35, 185, 942, 4690, 23233, 114430, 563055),
}


def perft(state: State, plies: int) -> int:
    if plies == 1:
        return len(state.legal_actions())
    return sum(perft(state.apply(action), plies - 1) for action in state.legal_actions())


@pytest.mark.parametrize("name", PERFT)
def test_counting_every_sequence(name):
    start = get_game(name).initial_state()
    assert tuple(perft(start, plies) for plies in range(1, 7)) == PERFT[name][:6]


@pytest.mark.parametrize("name", PERFT)
@pytest.mark.slow
def test_counting_with_equal_states_merged(name):
    """Deeper, with each position visited once and weighted by the ways to it: wrong equality would show, too."""
    level = Counter({get_game(name).initial_state(): 1})
    for expected in PERFT[name]:
        following: Counter[State] = Counter()
        count = 0
        for state, ways in level.items():
            for action in state.legal_actions():
                count += ways
                if expected != PERFT[name][-1]:
                    following[state.apply(action)] += ways
        assert count == expected
        level = following
