"""The course's verification trace: depth-8 alpha-beta with `valoracion_test` against itself, as the rules list it."""

from palestra_bots.analysis import analyse
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.timeman import Limit
from palestra_games import get_game
from palestra_games.desconecta4 import DESCONECTA4

TRACE = (
    *((11, "PUT 3"), (11, "PUT 3"), (11, "PUT 4"), (11, "PUT 4"), (13, "PUT 3"), (13, "PUT 3")),
    *((15, "PUT 3"), (15, "PUT 3"), (17, "PUT 1"), (17, "PUT 1"), (19, "PUT 3"), (19, "PUT 4")),
)
FIRST_MOVE_NODES = 75_629
GAME_PLIES = 61
GAME_NODES = 1_052_420


def test_the_whole_game_by_the_plain_algorithm():
    state = DESCONECTA4.initial_state()
    moves, nodes = [], []
    while state.returns() is None:
        found = analyse(state, "alphabeta", depth=8, evaluation="valoracion_test")
        moves.append((found.value, DESCONECTA4.action_name(found.action)))
        nodes.append(found.nodes)
        assert found.pv[0] == found.action
        state = state.apply(found.action)
        if len(moves) == len(TRACE):
            assert state.legal_actions() == (0, 1, 3, 4, 5, 6, 7)
    assert tuple(moves[: len(TRACE)]) == TRACE
    assert len(moves) == GAME_PLIES
    assert state.returns() == (1.0, -1.0)
    assert nodes[0] == FIRST_MOVE_NODES
    assert sum(nodes) == GAME_NODES


def test_the_whole_game_by_the_ordered_search_and_the_table():
    """The same actions and values from fewer nodes; MTD(f) finds the same values."""
    alphabeta = Searcher("desconecta4", "alphabeta", evaluation="valoracion_test", table_bits=16)
    mtdf = Searcher("desconecta4", "mtdf", evaluation="valoracion_test", table_bits=16)
    state = DESCONECTA4.initial_state()
    plies = nodes = 0
    while state.returns() is None:
        expected = analyse(state, "alphabeta", depth=8, evaluation="valoracion_test")
        found = alphabeta.analyse(state, Limit(depth=8))
        assert (found.value, found.action) == (expected.value, expected.action)
        assert mtdf.analyse(state, Limit(depth=8)).value == expected.value
        nodes += found.nodes
        plies += 1
        state = state.apply(expected.action)
    assert plies == GAME_PLIES
    assert nodes < GAME_NODES / 2


def test_the_principal_variation_leads_to_the_value():
    for game in ("connect4", "mancala", "desconecta4"):
        state = get_game(game).initial_state()
        found = analyse(state, "alphabeta", depth=7)
        assert len(found.pv) == 7
        for action in found.pv:
            state = state.apply(action)
        leaf = analyse(state, "alphabeta", depth=1)
        assert leaf.depth == 1
        assert state.returns() is None
