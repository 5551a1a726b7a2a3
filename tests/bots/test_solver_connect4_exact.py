"""The connect-four solver against a plain one: alpha-beta with a dictionary for a table, and nothing else."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from palestra_bots.solvers.connect4 import play, quiet
from palestra_bots.solvers.connect4.bitboard import BOARD, BOTTOM, Word, has_four, mirrored, threats
from palestra_bots.solvers.connect4.bounds import NO_BOUND, live_cells, reply_bound
from palestra_bots.solvers.connect4.keys import key_of
from palestra_bots.solvers.connect4.solver import OutOfTime, Solver

COLUMNS = range(7)
PLAIN_TABLE = np.zeros(1 << 22, np.uint64)


def plain_score(own: int, mask: int) -> int:
    from tests.support.plain_connect4 import alphabeta

    return alphabeta(Word(own), Word(mask), mask.bit_count(), -30, 30, PLAIN_TABLE)


def after(own: int, mask: int, col: int) -> tuple[int, int]:
    """The position after a stone in `col`, in the view of the other player; the same mask if the column is full."""
    cell = (mask + (1 << 7 * col)) & (0b111111 << 7 * col)
    return own ^ mask, mask | cell


def random_position(rng: random.Random, ply: int) -> tuple[int, int]:
    """(own, mask) after `ply` random plies, none of which ends the game."""
    while True:
        own = mask = 0
        for _ in range(ply):
            choices = [
                (rival, filled)
                for rival, filled in (after(own, mask, col) for col in COLUMNS)
                if filled != mask and not has_four(Word(rival ^ filled))
            ]
            if not choices:
                break
            own, mask = rng.choice(choices)
        else:
            return own, mask


def random_positions(seed: int, count: int, plies: range) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    return [random_position(rng, rng.choice(plies)) for _ in range(count)]


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(18)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "plies"),
    [
        pytest.param(2500, range(26, 42), marks=pytest.mark.slow),
        (600, range(20, 26)),
        pytest.param(40, range(16, 20), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_scores_are_those_of_the_plain_solver(solver, count, plies):
    for own, mask in random_positions(len(plies), count, plies):
        assert solver.solve(own, mask).score == plain_score(own, mask), (own, mask)


@pytest.mark.slow
def test_the_action_keeps_the_score(solver):
    for own, mask in random_positions(2, 600, range(20, 41)):
        result = solver.solve(own, mask)
        rival, filled = after(own, mask, result.action)
        assert filled != mask, "the column is full"
        if has_four(Word(rival ^ filled)):
            assert result.score == (43 - mask.bit_count()) // 2
        elif filled.bit_count() == 42:
            assert result.score == 0
        else:
            assert plain_score(rival, filled) == -result.score, (own, mask)


def test_it_tells_whether_the_score_is_at_least_so_much(solver):
    solver.clear()
    for own, mask in random_positions(3, 150, range(20, 38)):
        score = plain_score(own, mask)
        for asked in (score + 2, score + 1, 1, 0, score, score - 1):
            result = solver.solve(own, mask, at_least=asked)
            assert (result.score >= asked) == (score >= asked), (own, mask, asked)
            rival, filled = after(own, mask, result.action)
            if score >= asked and filled.bit_count() < 42 and not has_four(Word(rival ^ filled)):
                assert -plain_score(rival, filled) >= asked, (own, mask, asked)


def quiet_positions(seed: int, games: int, from_ply: int) -> list[tuple[int, int, int]]:
    """(own, mask, rival's threats) of the quiet positions of random games whose players see one turn ahead."""
    rng = random.Random(seed)
    found = []
    counters = np.zeros(quiet.COUNTERS, np.int64)
    for _ in range(games):
        own, mask = Word(0), Word(0)
        while True:
            if threats(own, mask) & (mask + BOTTOM):
                break
            value, *settled = quiet.settle(own, mask, counters)
            own, mask, possible, rival_threats = map(Word, settled)
            if value != quiet.QUIET:
                break
            if int(mask).bit_count() >= from_ply:
                found.append((int(own), int(mask), int(rival_threats)))
            cells = [int(possible) & 63 << 7 * col for col in COLUMNS]
            own, mask = own ^ mask, mask | Word(rng.choice([cell for cell in cells if cell]))
    return found


@pytest.mark.slow
def test_answering_strategies_bound_the_score_from_above():
    tight = {0: 0, 1: 0}
    for own, mask, rival_threats in quiet_positions(3, 1500, 22):
        bound = reply_bound(Word(own), Word(mask), Word(rival_threats))
        if bound != NO_BOUND:
            score = plain_score(own, mask)
            assert score <= bound, (own, mask)
            tight[mask.bit_count() % 2] += score == bound
    # Both sides' strategies were really tried, and are not just loose.
    assert min(tight.values()) > 50, tight


def test_without_an_open_line_nobody_wins():
    seen = 0
    for own, mask, _ in quiet_positions(4, 1500, 26):
        if not live_cells(Word(int(BOARD) & ~(own ^ mask))):
            seen += 1
            assert plain_score(own, mask) <= 0, (own, mask)
    assert seen > 50


def key(own: int, mask: int) -> tuple[int, int]:
    live = (live_cells(Word(int(BOARD) & ~(own ^ mask))), live_cells(Word(int(BOARD) & ~own)))
    stones, dead = key_of(Word(own), Word(mask), Word(live[0]), Word(live[1]))
    return int(stones), int(dead)


def test_mirror_images_have_one_key():
    for own, mask in random_positions(5, 300, range(0, 42)):
        assert key(own, mask) == key(int(mirrored(Word(own))), int(mirrored(Word(mask))))


@pytest.mark.slow
def test_equal_keys_mean_equal_scores():
    """Turn the colour of dead stones over: the key must stay, and with it the score."""
    rng = random.Random(6)
    turned = 0
    for own, mask in random_positions(6, 1500, range(24, 41)):
        recoloured = own
        dead = key(own, mask)[1]
        for cell in (1 << bit for bit in rng.sample(range(49), 49) if dead >> bit & 1):
            other = recoloured ^ cell
            if key(other, mask) == key(own, mask) and not (has_four(Word(other)) or has_four(Word(other ^ mask))):
                recoloured = other
        if recoloured != own:
            turned += 1
            assert plain_score(own, mask) == plain_score(recoloured, mask), (own, recoloured, mask)
    assert turned > 500, turned


def test_the_node_limit_stops_the_search(solver):
    solver.clear()
    with pytest.raises(OutOfTime) as caught:
        solver.solve(0, 0, node_limit=1000)
    assert caught.value.action in COLUMNS
    assert caught.value.lower <= 1


def known_when_stopped(own: int, mask: int, nodes: int) -> OutOfTime | None:
    try:
        Solver(14).solve(own, mask, node_limit=nodes)
    except OutOfTime as stopped:
        return stopped
    return None


def test_what_is_known_when_a_search_is_stopped_is_true_of_the_position_that_was_asked_for(solver):
    """Searched is a mirror image, or what forced moves lead to."""
    found = Counter()
    for own, mask in random_positions(12, 250, range(16, 30)):
        for nodes in (10, 100, 1000):
            known = known_when_stopped(own, mask, nodes)
            if known is not None:
                rival, filled = after(own, mask, known.action)
                assert filled != mask, "the column is full"
                won = has_four(Word(rival ^ filled))
                score = (43 - mask.bit_count()) // 2 if won else -solver.solve(rival, filled).score
                assert score >= known.lower, (own, mask, nodes)
                found[known.lower >= 0] += 1
    assert min(found[True], found[False]) > 5, found


def test_the_clock_stops_the_search(solver):
    solver.clear()
    with pytest.raises(OutOfTime):
        solver.solve(0, 0, seconds=0.0)


def test_two_threads_find_the_same_scores(solver):
    """And a column that keeps the score; which one of several may differ."""
    pair = Solver(18, threads=2)
    helped = 0
    for own, mask in random_positions(8, 60, range(14, 24)):
        alone, together = solver.solve(own, mask), pair.solve(own, mask)
        assert together.score == alone.score, (own, mask)
        helped += pair._workers[1].counters[quiet.NODES]
        rival, filled = after(own, mask, together.action)
        won = has_four(Word(rival ^ filled))
        assert together.score == ((43 - mask.bit_count()) // 2 if won else -solver.solve(rival, filled).score)
    assert helped


def test_two_threads_stop_when_they_are_told(solver):
    pair = Solver(18, threads=2)
    for limits in ({"node_limit": 2000}, {"seconds": 0.0}):
        with pytest.raises(OutOfTime):
            pair.solve(0, 0, **limits)
    own, mask = random_position(random.Random(9), 20)
    assert pair.solve(own, mask).score == solver.solve(own, mask).score


def test_a_stopped_search_leaves_the_table_sound(solver):
    """What was stored before the stop is used afterwards: it must be right."""
    for own, mask in random_positions(7, 25, range(17, 22)):
        solver.clear()
        for limit in (10, 200, 3000):
            try:
                solver.solve(own, mask, node_limit=limit)
            except OutOfTime:
                continue
        assert solver.solve(own, mask).score == plain_score(own, mask)


def test_what_the_quick_solver_leaves_is_solved_all_the_same(solver, monkeypatch):
    asked = []
    monkeypatch.setattr(play, "_QUICK_NODES", 1)
    monkeypatch.setattr(play, "_thorough", lambda: asked.append(None) or solver)
    for own, mask in random_positions(4, 60, range(20, 30)):
        assert play._searched(own, mask)[0] == plain_score(own, mask)
    assert 0 < len(asked) < 60
