"""`analyse`: what it accepts, what it says, and that it does without a kernel and without a compiler."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from palestra_bots.analysis import analyse
from palestra_bots.search import reference
from palestra_bots.timeman import Limit
from palestra_games import get_game
from palestra_games.mancala import Mancala


def test_without_depth_and_time_it_thinks_for_a_second_at_most():
    state = get_game("connect4").initial_state()
    for action in (3, 2, 3, 2, 3, 2):
        state = state.apply(action)
    assert analyse(state).action == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"algorithm": "negascout"}, "no algorithm 'negascout'"),
        ({"evaluation": "stores"}, "connect4 has no evaluation 'stores'; it has possible_lines"),
        ({"ordering": "best"}, "no ordering 'best'"),
        ({"algorithm": "minimax", "ordering": "dynamic"}, "nothing to order"),
        ({"algorithm": "mtdf", "ordering": "natural"}, "lives on its table"),
        ({"depth": 0}, "1 to 127 plies, not 0"),
        ({"depth": 1000}, "1 to 127 plies, not 1000"),
        ({"move_s": 0.0}, "above 0"),
        ({"move_s": float("nan")}, "above 0"),
    ],
)
def test_nonsense_gets_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        analyse(get_game("connect4").initial_state(), **options)


def test_a_game_that_is_over_gets_a_sentence():
    state = get_game("connect4").initial_state()
    for action in (3, 2, 3, 2, 3, 2, 3):
        state = state.apply(action)
    with pytest.raises(ValueError, match="over"):
        analyse(state)


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "mtdf"])
def test_a_variant_without_kernel_goes_to_the_reference(algorithm):
    state = Mancala(3, 2, "any").initial_state()
    found, expected = analyse(state, algorithm, depth=6), reference.analyse(state, algorithm, Limit(depth=6))
    assert (found.value, found.action, found.nodes) == (expected.value, expected.action, expected.nodes)


@dataclass(frozen=True)
class Nim:
    """A game nobody knows here: take 1 to 3, who takes the last one wins."""

    left: int
    to_move: int = 0

    def legal_actions(self):
        return tuple(range(1, min(3, self.left) + 1))

    def apply(self, action):
        return Nim(self.left - action, 1 - self.to_move)

    def returns(self):
        return None if self.left else ((-1.0, 1.0), (1.0, -1.0))[self.to_move]


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "mtdf"])
def test_a_plug_in_game_is_searched_too(algorithm):
    found = analyse(Nim(10), algorithm, depth=12)
    assert (found.action, found.value, found.exact) == (2, 1, True)


def test_an_ordering_function_is_the_reference_search():
    state = get_game("connect4-8x8").initial_state()
    found = analyse(state, "alphabeta", depth=4, ordering=reference.rotated(3))
    assert found.nodes == reference.analyse(state, "alphabeta", Limit(depth=4), ordering=reference.rotated(3)).nodes


WITHOUT_COMPILER = """
import warnings
warnings.simplefilter("error")
from palestra_bots.analysis import analyse
from palestra_games import get_game
for game in ("connect4", "connect4-8x8", "desconecta4", "mancala"):
    state = get_game(game).initial_state()
    for algorithm in ("alphabeta", "mtdf"):
        for ordering in (None, "dynamic"):
            found = analyse(state, algorithm, depth=3, ordering=ordering)
            print(game, algorithm, found.action, found.value, found.nodes, found.pv)
"""


def outputs(**environment):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_without_the_compiler_the_same_code_says_the_same():
    assert outputs(NUMBA_DISABLE_JIT="1") == outputs()


def test_a_home_that_can_not_be_written_to_does_without_a_cache(tmp_path):
    nowhere = tmp_path / "file"
    nowhere.write_text("not a folder")
    code = "from palestra_bots.kernels.bits import popcount; print(popcount(7))"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(nowhere / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("3\n", "")
