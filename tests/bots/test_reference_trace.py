"""The course's verification of a student's alpha-beta: a whole game of desconecta4, value by value, node by node."""

import pytest

from palestra_bots import evaluations
from palestra_bots.search.reference import analyse
from palestra_bots.timeman import Limit
from palestra_games import get_game

# As the course printed it.
FIRST_LINES = """\
11 PUT 3, 11 PUT 3, 11 PUT 4, 11 PUT 4, 13 PUT 3, 13 PUT 3, 15 PUT 3, 15 PUT 3, 17 PUT 1, 17 PUT 1, 19 PUT 3, \
19 PUT 4"""


@pytest.mark.slow
def test_the_whole_verification_game():
    game = get_game("desconecta4")
    evaluation = evaluations.get("desconecta4", "valoracion_test")
    state = game.initial_state()
    lines, nodes = [], []
    while state.returns() is None:
        found = analyse(state, "alphabeta", Limit(depth=8), evaluation=evaluation)
        lines.append(f"{found.value} {game.action_name(found.action)}")
        nodes.append(found.nodes)
        state = state.apply(found.action)
        if len(lines) == 12:
            after_twelve = [game.action_name(action) for action in state.legal_actions()]

    assert ", ".join(lines[:12]) == FIRST_LINES
    assert after_twelve == ["PUT 1", "PUT 2", "PUT 4", "PUT 5", "PUT 6", "PUT 7", "BOOM"]
    assert len(lines) == 61
    assert state.returns() == (1.0, -1.0)
    assert nodes[0] == 75_629
    assert sum(nodes) == 1_052_420
