"""The clock of the fast search: with a clock of the test's own, so that nothing depends on the machine's speed."""

import threading

import pytest

from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.search.fast.slices import SMALLEST_SLICE, Slices
from palestra_bots.timeman import MARGIN_S, Limit, thinking_s
from palestra_games import get_game

GAMES = ("connect4", "connect4-8x8", "desconecta4", "mancala")


class Ticking:
    """A clock that goes on by `step_s` whenever it is read."""

    def __init__(self, step_s):
        self.now = 100.0
        self.step_s = step_s
        self.reads = 0

    def __call__(self):
        self.reads += 1
        self.now += self.step_s
        return self.now


def test_slices_fit_the_time_that_is_left():
    clock = Ticking(0.0)
    slices = Slices(clock)
    slices.start(clock.now + 1.0)
    first = slices.next()
    clock.now += 0.0005
    slices.look(first)
    assert slices.next() == 4 * first
    clock.now += 0.998
    slices.look(4 * first)
    assert slices.next() == SMALLEST_SLICE
    assert not slices.expired
    clock.now += 0.0115
    slices.look(SMALLEST_SLICE)
    assert slices.expired
    assert slices.late_s == pytest.approx(0.01)


def test_many_depths_that_end_at_once_do_not_overrun_the_clock():
    """Each depth ends within its slice here: the deadline counts between depths too."""
    state = get_game("mancala").from_wire(
        {"pits": [[0, 0, 1, 0, 0, 1], [0, 1, 0, 0, 0, 1]], "stores": [22, 22], "to_move": 0}
    )
    for algorithm in ("alphabeta", "mtdf"):
        clock = Ticking(0.005)
        began = clock.now
        Searcher("mancala", algorithm, table_bits=12, clock=clock).analyse(state, Limit(move_s=0.012))
        assert clock.now - began <= 0.012 + 4 * 0.005


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "mtdf"])
def test_a_timed_search_gives_what_the_finished_depth_gives(game, algorithm):
    state = get_game(game).initial_state()
    for ticks in (3, 30):
        timed = Searcher(game, algorithm, table_bits=16, clock=Ticking(0.005)).analyse(
            state, Limit(move_s=ticks * 0.005)
        )
        assert timed.depth >= 1
        assert timed.action in state.legal_actions()
        assert timed.pv[0] == timed.action
        assert timed.value == Searcher(game, algorithm, table_bits=16).analyse(state, Limit(depth=timed.depth)).value


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("algorithm", ["alphabeta", "mtdf"])
def test_a_search_of_so_many_nodes_does_not_depend_on_the_clock(game, algorithm):
    state = get_game(game).initial_state()
    seen = []
    for step_s in (0.0, 0.001, 0.1):
        found = Searcher(game, algorithm, table_bits=16, clock=Ticking(step_s)).analyse(state, Limit(nodes=20_000))
        seen.append((found.action, found.value, found.depth, found.pv, found.nodes))
    assert seen[0] == seen[1] == seen[2]
    assert 20_000 <= found.nodes < 20_200


def test_what_a_broken_off_depth_leaves_is_never_worse():
    """An action that replaced the last depth's is better at the depth that was broken off, by the plain search."""
    replaced = 0
    for game in GAMES:
        state = get_game(game).initial_state()
        for algorithm in ("alphabeta", "mtdf", "minimax"):
            for ticks in range(3, 120, 4):
                timed = Searcher(game, algorithm, table_bits=16, clock=Ticking(0.005)).analyse(
                    state, Limit(move_s=ticks * 0.005, depth=7)
                )
                if timed.depth == 7 or timed.pv != (timed.action,) or timed.depth == 1:
                    continue
                replaced += 1
                judge = Searcher(game, "alphabeta", plain=True)
                before = Searcher(game, algorithm, table_bits=16).analyse(state, Limit(depth=timed.depth))

                def worth(action, root=state, judge=judge, plies=timed.depth):
                    after = root.apply(action)
                    value = judge.analyse(after, Limit(depth=plies)).value
                    return value if after.to_move == root.to_move else -value

                if game != "desconecta4":  # its evaluation looks at the searching player only
                    assert worth(timed.action) >= worth(before.action)
    assert replaced > 0


def test_a_search_ends_on_time_and_earlier_on_a_machine_that_was_late():
    clock = Ticking(0.005)
    searcher = Searcher("connect4", "mtdf", table_bits=16, clock=clock)
    state = get_game("connect4").initial_state()
    for late_s, within_s in ((0.0, 1.0 - MARGIN_S), (0.2, 0.6 - MARGIN_S)):
        began = clock.now
        searcher.analyse(state, Limit(move_s=thinking_s(1.0, late_s)))
        assert clock.now - began <= within_s + 0.02


def test_the_shortest_win_is_played_and_a_lost_game_held_out():
    """Connect four: column 3 wins at once; a search that has seen every line loses as late as it can."""
    state = get_game("connect4").initial_state()
    for action in (3, 2, 3, 2, 3, 2):
        state = state.apply(action)
    for algorithm in ("alphabeta", "mtdf"):
        found = Searcher("connect4", algorithm, table_bits=16).analyse(state, Limit(move_s=5.0))
        assert (found.action, found.depth, found.value, found.exact) == (3, 1, 10_000, True)


def test_two_searches_at_once_do_not_disturb_each_other():
    state = get_game("mancala").initial_state()
    alone = Searcher("mancala", "mtdf", table_bits=16).analyse(state, Limit(depth=11))
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(Searcher("mancala", "mtdf", table_bits=16).analyse(state, Limit(depth=11)))
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(one.value, one.action, one.nodes) for one in found] == 3 * [(alone.value, alone.action, alone.nodes)]
