"""The players of the 8x8 report: its matches, and the professor's evaluation read literally."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from palestra_bots import reference_move
from palestra_bots.reports import REPORT_PLAYERS, board, esteve_hawking, profe
from palestra_games import get_game
from palestra_lab import study

GAME = get_game("connect4-8x8")

MATCHES = [
    ("esteve_hawking", "profe", "esteve_hawking"),
    ("esteve_hawking", "profe_supported", "esteve_hawking"),
    ("profe", "esteve_hawking", "profe"),
    ("profe_supported", "esteve_hawking", "esteve_hawking"),
]


@pytest.mark.parametrize(("red", "blue", "winner"), MATCHES)
@pytest.mark.slow
def test_the_report_s_matches_end_as_it_says(red, blue, winner):
    state, actions = GAME.initial_state(), ""
    while state.returns() is None:
        action = reference_move((red, blue)[state.to_move], state, 8)
        actions += str(action)
        state = state.apply(action)
    assert state.returns() == ((1.0, -1.0) if winner == red else (-1.0, 1.0))
    if (red, blue) == ("profe", "esteve_hawking"):
        assert actions == study.GAME  # the match in the report's picture


def random_states(count, seed):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        state = GAME.initial_state()
        for _ in range(rng.randrange(62)):
            if state.returns() is None:
                state = state.apply(rng.choice(state.legal_actions()))
        if state.returns() is None:
            found.append(state)
    return found


def test_minimax_chooses_what_alpha_beta_chooses_and_sees_more():
    counts = {prune: np.zeros(2, dtype=np.int64) for prune in (False, True)}
    for state in random_states(40, seed=1):
        cells = board.cells_of(state.cells)
        before = cells.copy()
        for start in (0, 3):
            chosen = {
                esteve_hawking.counted_move(cells, 4, 1 - 2 * state.to_move, start, prune, counts[prune])
                for prune in (False, True)
            }
            assert chosen == {reference_move("esteve_hawking", state, 4)}
        assert (cells == before).all()
    assert (counts[True] < counts[False]).all()


def profe_by_its_words(cells, side, supported):
    """Every piece, all 8 directions, as the rules tell it."""
    total = 0
    for row in range(8):
        for col in range(8):
            colour = cells[8 * row + col]
            for d_row, d_col in ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)):
                four = [(row + k * d_row, col + k * d_col) for k in range(4)]
                if colour == 0 or not all(0 <= r < 8 and 0 <= c < 8 for r, c in four):
                    continue
                held = [cells[8 * r + c] for r, c in four]
                rests = all(r == 0 or cells[8 * (r - 1) + c] != 0 for r, c in four)
                if -colour not in held and (rests or not supported):
                    total += colour * side * {2: 1, 3: 10, 4: 100}.get(held.count(colour), 0)
    return total


@pytest.mark.parametrize("supported", [False, True])
def test_the_professor_s_evaluation_is_what_the_rules_tell(supported):
    room = np.zeros(64, dtype=np.int64)
    values = set()
    for state in random_states(100, seed=2):
        cells = [(0, 1, -1)[cell] for cell in state.cells]
        for side in (1, -1):
            value = profe.score(board.cells_of(state.cells), side, supported, room)
            assert value == profe_by_its_words(cells, side, supported)
            values.add(value)
    assert len(values) > 20
    # The windows of a won game, fours included.
    line = GAME.initial_state()
    for action in (0, 0, 1, 1, 2, 2, 3):
        line = line.apply(action)
    cells = [(0, 1, -1)[cell] for cell in line.cells]
    assert profe.score(board.cells_of(line.cells), 1, supported, room) == profe_by_its_words(cells, 1, supported) > 150


def profe_plainly(state, depth, supported):
    """The professor's search over game states, as the rules tell it."""

    def value(state, depth, alpha, beta):
        side = 1 - 2 * state.to_move
        if depth == 0 or state.returns() is not None:
            return profe_by_its_words([(0, 1, -1)[cell] for cell in state.cells], side, supported)
        for action in state.legal_actions():
            alpha = max(alpha, -value(state.apply(action), depth - 1, -beta, -alpha))
            if beta <= alpha:
                return alpha
        return alpha

    best, chosen = -10_000, 0
    for action in state.legal_actions():
        child = -value(state.apply(action), depth - 1, -10_000, 10_000)
        if child > best:
            best, chosen = child, action
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("supported", [False, True])
def test_the_professor_s_move_is_what_the_rules_tell(supported):
    name = "profe_supported" if supported else "profe"
    for state in random_states(20, seed=3):
        assert reference_move(name, state, 2) == profe_plainly(state, 2, supported)


def test_esteve_hawking_takes_a_win_at_once_and_the_last_of_equal_moves():
    state = GAME.initial_state()
    for action in (0, 7, 1, 7, 2, 6):
        state = state.apply(action)
    assert reference_move("esteve_hawking", state, 8) == 3
    # Whatever red does, blue has two ways to make four: every move is lost, so the last one is played.
    state = GAME.initial_state()
    for action in (0, 3, 0, 4, 7, 5):
        state = state.apply(action)
    assert reference_move("esteve_hawking", state, 4) == 7


def test_the_same_source_plays_the_same_without_the_compiler():
    states = random_states(3, seed=5)
    program = """
import sys
import numba
from palestra_bots import reference_move
from palestra_games import get_game
assert numba.config.DISABLE_JIT
for line in sys.argv[1:]:
    state = get_game("connect4-8x8").from_wire(
        {"rows": 8, "cols": 8, "cells": [int(c) for c in line[1:]], "to_move": int(line[0])})
    print(*[reference_move(name, state, 2) for name in ("esteve_hawking", "profe", "profe_supported")])
"""
    lines = [str(state.to_move) + "".join(map(str, state.cells)) for state in states]
    plain = subprocess.run(
        [sys.executable, "-c", program, *lines],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [" ".join(str(reference_move(name, state, 2)) for name in REPORT_PLAYERS) for state in states]
    assert plain.stdout.split("\n")[:-1] == expected


def test_what_they_can_not_play_is_said_in_a_sentence():
    state = GAME.initial_state()
    with pytest.raises(ValueError, match="no report player 'prof'; there are esteve_hawking, profe, profe_supported"):
        reference_move("prof", state, 8)
    with pytest.raises(ValueError, match="profe plays connect4-8x8 only"):
        reference_move("profe", get_game("connect4").initial_state(), 8)
    with pytest.raises(ValueError, match="1 to 64 plies, not 0"):
        reference_move("profe", state, 0)
    for action in (0, 1, 0, 1, 0, 1, 0):
        state = state.apply(action)
    with pytest.raises(ValueError, match="The game is over"):
        reference_move("profe", state, 8)
