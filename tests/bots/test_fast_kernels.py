"""The kernels play by the rules of palestra_games, and their evaluations are those of palestra_bots.evaluations."""

import random

import numpy as np
import pytest

from palestra_bots import evaluations
from palestra_bots.kernels.interface import DRAWN, IN_PLAY, LOST, WIN, WON
from palestra_bots.kernels.load import KERNELS, kernel_for, load_variant
from palestra_games import get_game

pytestmark = pytest.mark.slow

GAMES = tuple(KERNELS)
OUTCOMES = {WON: 1.0, LOST: -1.0, DRAWN: 0.0}

PERFT = {
    "connect4": (7, 49, 343, 2401, 16807, 117649, 823536, 5673234),
    "connect4-8x8": (8, 64, 512, 4096, 32768, 262144, 2097152, 16553664),
    "desconecta4": (7, 49, 343, 2401, 16807, 117649, 823543, 5673570, 39403644, 268208262),
    "mancala": (6, 35, 185, 942, 4690, 23233, 114430, 563055, 2763490),
}


def playouts(game, seed, count):
    """(state, action, next state) along random games; games that could be endless are left after 150 plies."""
    choose = random.Random(seed)
    for _ in range(count):
        state = get_game(game).initial_state()
        for _ in range(150):
            if state.returns() is not None:
                break
            action = choose.choice(state.legal_actions())
            after = state.apply(action)
            yield state, action, after
            state = after


@pytest.mark.parametrize("game", GAMES)
def test_perft_is_that_of_the_rules(game):
    perft = load_variant("tests.support.perft", game).perft
    with np.errstate(over="ignore"):
        board = kernel_for(game).from_state(get_game(game).initial_state())
        for plies, count in enumerate(PERFT[game], 1):
            assert perft(board, plies) == count


@pytest.mark.parametrize("game", GAMES)
def test_a_kernel_moves_as_the_rules_do(game):
    kernel = kernel_for(game)
    for state, action, after in playouts(game, "moves", 60):
        board = kernel.from_state(state)
        assert tuple(a for a in range(8) if int(kernel.legal(board)) >> a & 1) == state.legal_actions()
        child = kernel.play(board, action)
        assert tuple(map(int, child)) == tuple(map(int, kernel.from_state(after)))
        assert bool(kernel.same_mover(board, child)) == (after.to_move == state.to_move)
        outcome = kernel.outcome(child, action)
        returns = after.returns()
        if returns is None:
            assert outcome == IN_PLAY
        elif game == "mancala":
            assert outcome != IN_PLAY
        else:
            assert OUTCOMES[outcome] == returns[after.to_move]


@pytest.mark.parametrize(("game", "name"), [(game, name) for game in GAMES for name in kernel_for(game).EVALUATIONS])
def test_a_kernel_evaluates_as_the_reference_does(game, name):
    kernel, reference = kernel_for(game), evaluations.get(game, name)
    number, win = kernel.EVALUATIONS[name].number, kernel.EVALUATIONS[name].win
    assert win == reference.win
    for _, action, after in playouts(game, name, 30):
        board = kernel.from_state(after)
        outcome = kernel.outcome(board, action)
        for root_moves in (True, False):
            seat = after.to_move if root_moves else 1 - after.to_move
            sign = 1 if root_moves else -1
            if outcome == IN_PLAY:
                value = kernel.evaluate(board, number, root_moves)
                assert abs(value) < WIN
            else:
                value = kernel.final(board, outcome, number)
                value = value if win is None or abs(value) < WIN else win if value > 0 else -win
            assert sign * value == reference(after, seat)


@pytest.mark.parametrize("game", GAMES)
def test_equal_positions_have_equal_keys_and_others_do_not(game):
    kernel = kernel_for(game)
    keys = {}
    for state, _, _ in playouts(game, "keys", 150):
        board = kernel.from_state(state)
        for root_moves in (True, False):
            # What the value depends on: in mancala all is seen from the mover, whichever seat that is.
            words = tuple(map(int, board))[: 2 if game == "mancala" else None]
            matters = (words, root_moves if game == "desconecta4" else None)
            assert keys.setdefault(int(kernel.key(board, root_moves)), matters) == matters


@pytest.mark.parametrize("game", GAMES)
def test_a_mirror_image_is_worth_the_same_where_the_kernel_says_so(game):
    """The mirror image of a game is the game of the mirrored actions, evaluation by evaluation."""
    kernel = kernel_for(game)
    mirrored = [each.number for each in kernel.EVALUATIONS.values() if each.mirrors]
    assert bool(mirrored) == game.startswith("connect4")
    image = get_game(game).initial_state()
    for state, action, after in playouts(game, "mirror", 60) if mirrored else ():
        if state == get_game(game).initial_state():
            image = state
        board, other = kernel.play(kernel.from_state(state), action), kernel.mirror_action(action)
        image = image.apply(other)
        assert image.returns() == after.returns()
        assert tuple(map(int, kernel.mirror(board))) == tuple(map(int, kernel.from_state(image)))
        if after.returns() is None:
            for number in mirrored:
                assert kernel.evaluate(board, number, True) == kernel.evaluate(kernel.mirror(board), number, True)
