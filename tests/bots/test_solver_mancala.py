"""The exact solver of mancala against the published values, and against minimax over the rules themselves."""

import random
from functools import cache
from math import comb

import numpy as np
import pytest

from palestra_bots.solvers.mancala import endgame, rows
from palestra_bots.solvers.mancala.solver import Solver
from palestra_games.mancala import Mancala, MancalaState

pytestmark = pytest.mark.slow

# The first player's store less the second's, non-empty capture, for 1, 2, 3 and 4 seeds a pit.
SOLVED = {1: (0, -2, 6, -2), 2: (2, -2, -2, -10), 3: (0, 4, 2, 2), 4: (2, 6, 6, 2), 5: (0, 2, 6, 10), 6: (2, 6, 2)}
CAPTURES = ("non-empty", "any")


@cache
def minimax(pits, to_move, capture):
    """The final difference of the stores for the player to move, if both are empty now. Nothing but the rules."""
    state = MancalaState.of(pits, (0, 0), to_move, capture)
    best = -1000
    for action in state.legal_actions():
        after = state.apply(action)
        won = after.stores[to_move] - after.stores[1 - to_move]
        if after.returns() is None:
            rest = minimax(after.pits, after.to_move, capture)
            won += rest if after.to_move == to_move else -rest
        best = max(best, won)
    return best


def value_of(state):
    return (
        state.stores[state.to_move]
        - state.stores[1 - state.to_move]
        + minimax(state.pits, state.to_move, state.capture)
    )


def late_positions(game, most_seeds, count, seed):
    """Positions in play with at most so many seeds in the pits, each from a random game."""
    choose = random.Random(seed)
    found = []
    while len(found) < count:
        state = game.initial_state()
        late = []
        while state.returns() is None:
            if sum(map(sum, state.pits)) <= most_seeds:
                late.append(state)
            state = state.apply(choose.choice(state.legal_actions()))
        if late:
            found.append(choose.choice(late))
    return found


@pytest.mark.parametrize(
    ("pits", "seeds", "capture"),
    [(1, 5, "any"), (3, 4, "any"), (4, 6, "non-empty"), (6, 4, "non-empty"), (6, 8, "any")],
)
def test_a_move_without_stores_is_that_of_the_rules(pits, seeds, capture):
    choose = random.Random(f"{pits} {seeds}")
    sow = rows.sowing(pits, capture)
    for _ in range(30):
        state = Mancala(pits, seeds, capture).initial_state()
        while state.returns() is None:
            own, other = rows.rest_of(state)
            assert tuple(a for a in range(8) if int(rows.filled(own)) >> a & 1) == state.legal_actions()
            assert rows.seeds_in(own) == sum(state.pits[state.to_move])
            action, mover = choose.choice(state.legal_actions()), state.to_move
            after = state.apply(action)
            mine, theirs, won, again = rows.play(own, other, action, sow)
            before = state.stores[mover] - state.stores[1 - mover]
            assert won == after.stores[mover] - after.stores[1 - mover] - before
            if after.returns() is None:
                assert again == (after.to_move == mover)
                assert (mine, theirs)[:: 1 if again else -1] == rows.rest_of(after)
            else:
                assert (mine, theirs) == (0, 0)
            state = after


@pytest.mark.parametrize("pits", [1, 2, 5, 6])
def test_rests_are_numbered_without_gaps(pits):
    numbers = endgame.numbering(pits)
    most = 4 if pits > 2 else 9
    seen = set()
    own = other = np.uint64(0)
    for number in range(endgame.size(pits, most)):
        assert endgame.number_of(own, other, numbers) == number
        assert rows.seeds_in(own) + rows.seeds_in(other) <= most
        seen.add((int(own), int(other)))
        own, other = endgame.successor(own, other, pits)
    assert len(seen) == comb(most + 2 * pits, 2 * pits)


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize(("pits", "most"), [(1, 12), (2, 9), (3, 7), (6, 4)])
def test_the_endgame_table_is_minimax(pits, most, capture):
    table = endgame.build(pits, capture, most)
    own = other = np.uint64(0)
    for value in table.values:
        if own and other:
            both = tuple(tuple(int(row) >> 8 * pit & 255 for pit in range(pits)) for row in (own, other))
            assert value == minimax(both, 0, capture)
        own, other = endgame.successor(own, other, pits)


def test_a_smaller_endgame_table_is_the_head_of_a_greater_one():
    small, great = (endgame.build(6, "non-empty", seeds).values for seeds in (5, 8))
    assert np.array_equal(small, great[: len(small)])


@pytest.mark.parametrize(
    ("pits", "seeds"),
    [(m, n) for m, values in SOLVED.items() for n in range(1, len(values) + 1)],
)
def test_solved_values(pits, seeds):
    game = Mancala(pits, seeds)
    solved = Solver(endgame.build(pits, "non-empty", 11), 20).solve(game.initial_state())
    assert solved.solved
    assert solved.lower == SOLVED[pits][seeds - 1]


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize(("pits", "seeds", "most"), [(2, 3, 99), (3, 2, 99), (4, 2, 12)])
def test_whole_games_are_solved_as_by_minimax(pits, seeds, most, capture):
    """But for the last: minimax takes seconds for all that can follow from its first plies."""
    solver = Solver(endgame.build(pits, capture, 2), 8)
    game = Mancala(pits, seeds, capture)
    states = late_positions(game, most, 30, 1)
    for state in states if most < 99 else [game.initial_state(), *states]:
        found = solver.solve(state, guesses=(3, -1, 9))
        assert found.lower == found.upper == value_of(state)
        after = state.apply(found.action)
        left = after.stores[state.to_move] - after.stores[1 - state.to_move]
        if after.returns() is None:
            left = value_of(after) if after.to_move == state.to_move else -value_of(after)
        assert left == found.lower


@pytest.mark.parametrize("capture", CAPTURES)
def test_late_positions_of_the_match_game_are_solved_as_by_minimax(capture):
    solver = Solver(endgame.build(6, capture, 5), 12)  # little help from either table, so that the search is tried
    for state in late_positions(Mancala(6, 4, capture), 10, 60, 2):
        found = solver.solve(state)
        assert found.lower == found.upper == value_of(state)


def test_a_search_that_is_broken_off_keeps_sound_bounds():
    solver = Solver(endgame.build(6, "non-empty", 6), 16)
    whole = Solver(endgame.build(6, "non-empty", 11), 18)
    broken = 0
    for state in late_positions(Mancala(6, 4), 26, 20, 3):
        solver.clear()
        found = solver.solve(state, node_limit=300)
        value = whole.solve(state).lower
        assert found.lower <= value <= found.upper
        broken += not found.solved
        if found.action is not None and not found.solved:
            after = state.apply(found.action)
            left = whole.solve(after)
            assert (left.lower if after.to_move == state.to_move else -left.lower) >= found.lower
    assert broken


def test_what_the_solver_does_not_take_is_said():
    solver = Solver(endgame.build(6, "non-empty", 2), 4)
    with pytest.raises(ValueError, match="over"):
        solver.solve(MancalaState.of(((0,) * 6, (0,) * 6), (24, 24), 0))
    with pytest.raises(ValueError, match="capture rule"):
        solver.solve(Mancala(6, 4, "any").initial_state())
    with pytest.raises(ValueError, match="6 pits"):
        endgame.build(7, "non-empty", 2)
    with pytest.raises(ValueError, match="seeds"):
        endgame.build(6, "non-empty", 50)
    with pytest.raises(ValueError, match="96 seeds"):
        rows.rest_of(Mancala(6, 9).initial_state())
