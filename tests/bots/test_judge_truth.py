"""The judge's values against those of other programs, `truth/*.c`, which share nothing with its solvers."""

from pathlib import Path

import pytest

from palestra_bots.judge.values import prover
from palestra_games import get_game

FILES = Path(__file__).parent / "truth"
NODES = 50_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect4", "mancala"])
def test_no_value_is_wrong(name):
    game, judge, wrong = get_game(name), prover(name), []
    lines = (FILES / f"{name}.txt").read_text().splitlines()
    for line in lines:
        actions, value = line.split()
        state = game.initial_state()
        for action in actions:
            state = state.apply(int(action))
        found = judge.solve(state, NODES)
        if found is None or found.score != int(value):
            wrong.append(line)
    assert len(lines) == len(set(lines)) == 500
    assert wrong == []
