"""The opening book of connect four, what is built on it, and the commands around them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest
import typer
from tests.support.connect4_positions import CLASSES, random_game, samples
from typer.testing import CliRunner

from palestra_bots.commands.analyse import solve_position
from palestra_bots.commands.book import app as book_commands
from palestra_bots.solvers.books import Entry, to_bytes
from palestra_bots.solvers.connect4.book import Book, key_of, load_book
from palestra_bots.solvers.connect4.book_builder import Builder, all_positions, turns
from palestra_bots.solvers.connect4.play import PerfectPlayer, bitboards
from palestra_bots.solvers.connect4.positions import followers, is_won, plies_left, wins_at_once
from palestra_bots.solvers.connect4.solver import OutOfTime, Solver
from palestra_bots.solving import solve
from palestra_games import get_game

pytestmark = pytest.mark.slow


def state_after(*actions: int):
    state = get_game("connect4").initial_state()
    for action in actions:
        state = state.apply(action)
    return state


def flipped(position: tuple[int, int]) -> tuple[int, int]:
    own, mask = (sum((board >> 7 * col & 127) << 7 * (6 - col) for col in range(7)) for board in position)
    return own, mask


def test_keys_tell_positions_apart_and_join_mirror_images():
    dice = random.Random(1)
    seen = {}
    for _ in range(800):
        _, position = random_game(dice, dice.randint(0, 14))
        key, _ = key_of(*position)
        assert 0 <= key < 1 << 32
        assert key_of(*flipped(position))[0] == key
        assert seen.setdefault(key, position) in (position, flipped(position))


def test_the_first_moves_have_their_published_scores():
    """The empty board is won by the last stone; the replies to each first move are those of Allis and Allen (1988)."""
    assert (solve(state_after()).score, solve(state_after()).action) == (1, 3)
    assert [-solve(state_after(col)).score for col in range(7)] == [-2, -1, 0, 1, 0, -1, -2]


def test_the_book_turns_its_actions_over_with_the_board():
    for actions in ((0,), (1,), (2,), (0, 3)):
        entry = load_book().look_up(*bitboards(state_after(*actions)))
        mirror = load_book().look_up(*bitboards(state_after(*(6 - action for action in actions))))
        if entry is None:
            assert mirror is None
        else:
            assert mirror == Entry(entry.value, 6 - entry.action)


def test_no_entry_of_the_book_contradicts_another():
    """Where the book holds a position and all that can follow it, its score and its action must be the best of them."""
    book = load_book()
    compared = 0
    for ply in range(4):
        for position in all_positions(ply):
            entry = book.look_up(*position)
            scores = {
                action: found.value
                for action, following in followers(position)
                if (found := book.look_up(*following)) is not None
            }
            if entry is None:
                continue
            assert all(-score <= entry.value for score in scores.values()), position
            if entry.action in scores:
                compared += 1
                assert -scores[entry.action] == entry.value, position
    assert compared


def test_entries_of_the_book_are_what_a_search_finds():
    """The last entry of some lines where the bot follows the book, solved anew if that is quick, else bounded."""
    dice = random.Random(2)
    solver = Solver(20)
    for _ in range(12):
        position = (0, 0) if dice.random() < 0.5 else dice.choice(followers((0, 0)))[1]
        while (entry := load_book().look_up(*position)) is not None:
            last = (position, entry)
            position = dice.choice(followers(dict(followers(position))[entry.action]))[1]
            if is_won(position):
                break
        position, entry = last
        low, high = bounds(solver, position)
        assert low <= entry.value <= high, position


def bounds(solver: Solver, position: tuple[int, int]) -> tuple[int, int]:
    try:
        score = solver.solve(*position, node_limit=300_000).score
    except OutOfTime as stopped:
        return stopped.lower, 21
    return score, score


def test_a_damaged_book_is_refused():
    data = to_bytes({5: Entry(-3, 2), 1: Entry(4, 6)})
    assert len(Book(data)) == 2
    for broken in (data[:-1], data[:-1] + b"\x05", b"x" + data, b""):
        with pytest.raises(ValueError, match="book"):
            Book(broken)


def test_the_builder_goes_on_where_it_stopped(tmp_path):
    log = tmp_path / "log"
    _, start = random_game(random.Random(3), 24)
    positions = [following for _, following in followers(start) if not is_won(following)]
    first = Builder(log, (Solver(12), Solver(12)))
    assert not first.solve(positions, lambda: True)
    assert first.solve(positions[:2], lambda: False)
    with log.open("a") as half_written:
        half_written.write("123 4")
    second = Builder(log, (Solver(12), Solver(12)))
    assert second.solved.keys() == first.solved.keys()
    assert second.solve(positions, lambda: False)
    assert len(log.read_text().splitlines()) == len({key_of(*position)[0] for position in positions})
    for position in positions:
        assert second.entry(position).value == Solver(12).solve(*position).score


def test_a_check_solves_afresh_what_the_book_lacks(tmp_path):
    _, start = random_game(random.Random(11), 13)
    positions = [following for _, following in followers(start) if not is_won(following)]
    known = Book(to_bytes({key_of(*position)[0]: Entry(7, 3) for position in positions[:2]}))
    checker = Builder(tmp_path / "log", (Solver(16),), known=known, fresh=True)
    assert checker.solve(positions, lambda: False)
    costs = checker.costs(positions)
    assert sorted((cost.nodes for cost in costs), reverse=True) == [cost.nodes for cost in costs]
    assert len(costs) == len(checker.solved) == len(positions) - 2
    for position in positions[2:]:
        result = Solver(16).solve(*position)
        assert checker.solved[key_of(*position)[0]].nodes == result.nodes
        assert checker.entry(position) == Entry(result.score, result.action)
    dear = sorted(solved.nodes for solved in checker.solved.values())[-1]
    assert len(checker.book(over=dear)) >= 1
    assert checker.book(over=dear + 1) == {}


def test_the_book_holds_all_that_a_bot_can_meet_up_to_ply_9(tmp_path):
    """From the empty board and from every first move; what is left to the solver begins at ply 10."""
    options = ["connect4-check", "--log", str(tmp_path / "log"), "--minutes", "0"]
    result = CliRunner().invoke(book_commands, options)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert len(lines) == 11
    assert all("positions, 0 not in the book, 0 solved" in line for line in lines[:10]), result.output
    assert lines[10].startswith("ply 10: ")
    assert " 0 not in the book" not in lines[10]


def test_what_a_bot_can_meet_is_all_replies_to_its_one_move():
    class Leftmost:
        """A book that always plays the first column with room."""

        def entry(self, position):
            return Entry(0, followers(position)[0][0])

    levels = [level for level, _ in zip(turns(Leftmost(), 1), range(6), strict=False)]
    assert [len(level) for level in levels[:3]] == [1, 4, 7]
    for ply in range(2, 6):
        met = [
            reply
            for position in levels[ply - 2]
            for _, reply in followers(followers(position)[0][1])
            if not is_won(reply) and not wins_at_once(reply)
        ]
        assert {key_of(*position)[0] for position in levels[ply]} == {key_of(*position)[0] for position in met}
        assert len(levels[ply]) == len({key_of(*position)[0] for position in met})
    assert len([*zip(turns(Leftmost(), 2), range(3), strict=False)][2][0]) == 25


@pytest.mark.parametrize("ply", range(4))
def test_all_positions_up_to_mirror_images(ply):
    """1, 7, 49 and 238 positions after 0 to 3 plies, of which 1, 1, 1 and 4 are their own mirror image."""
    assert len(all_positions(ply)) == [1, 4, 25, 121][ply]


def test_mirror_images_cost_the_same_nodes_and_get_the_same_move():
    dice = random.Random(10)
    for _ in range(30):
        _, position = random_game(dice, dice.randint(16, 24))
        there, back = Solver(14).solve(*position), Solver(14).solve(*flipped(position))
        assert (there.score, there.nodes) == (back.score, back.nodes)
        if flipped(position) != position:
            assert there.action == 6 - back.action


def test_plies_left_is_the_distance_that_perfect_play_walks():
    solver = Solver(18)
    dice = random.Random(4)
    for _ in range(60):
        _, position = random_game(dice, dice.randint(20, 34))
        ply = position[1].bit_count()
        expected = plies_left(solver.solve(*position).score, ply)
        walked = 0
        while position[1].bit_count() < 42:
            position = dict(followers(position))[solver.solve(*position).action]
            walked += 1
            if is_won(position):
                break
        assert walked == expected


@pytest.mark.parametrize("name", ["end-easy", "middle-easy", "middle-medium"])
def test_position_sets_keep_to_their_class(name):
    first, last, least, greatest = CLASSES[name]
    solver = Solver(18)
    chosen = samples(name, 15, 5, solver)
    assert chosen == samples(name, 15, 5, solver)
    for sample in chosen:
        assert bitboards(state_after(*sample.actions)) == sample.position
        assert first <= len(sample.actions) <= last
        assert not wins_at_once(sample.position)
        assert least <= plies_left(sample.score, len(sample.actions)) <= greatest


def test_a_perfect_player_loses_to_nobody_and_keeps_the_score():
    """Against random moves, as either seat; every move is proved, so the score never gets worse."""
    dice = random.Random(6)
    player = PerfectPlayer()
    for seat in (0, 1, 0):
        state = state_after()
        best = None
        while state.returns() is None:
            if state.to_move == seat:
                found = player.perfect_move(state, 60.0)
                assert found.exact
                assert best is None or found.score >= best
                best = found.score
                state = state.apply(found.action)
            else:
                state = state.apply(dice.choice(state.legal_actions()))
        assert state.returns()[seat] == (best > 0) - (best < 0)


def test_without_time_a_perfect_player_says_so():
    _, position = random_game(random.Random(8), 10)
    assert load_book().look_up(*position) is None
    state = state_after(*random_game(random.Random(8), 10)[0])
    found = PerfectPlayer().perfect_move(state, 0.0)
    assert found is None or not found.exact


def test_solve_refuses_what_it_cannot_solve():
    with pytest.raises(ValueError, match="8x8"):
        solve(get_game("connect4-8x8").initial_state())
    with pytest.raises(ValueError, match="over"):
        solve(state_after(0, 1, 0, 1, 0, 1, 0))
    with pytest.raises(ValueError, match="Desconecta4"):
        solve(get_game("desconecta4").initial_state())


def test_the_solve_command_prints_one_json_object():
    app = typer.Typer()
    app.command()(solve_position)
    result = CliRunner().invoke(app, ["connect4", "--actions", "3", "--json"])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.output)
    assert (answer["score"], answer["nodes"]) == (-1, 0)
    assert set(answer) == {"score", "action", "nodes", "elapsed_s", "action_name"}
    result = CliRunner().invoke(app, ["connect4", "--actions", "9"])
    assert result.exit_code == 2


def test_the_same_code_runs_without_a_compiler():
    state = state_after(*random_game(random.Random(9), 30)[0])
    own, mask = bitboards(state)
    script = f"from palestra_bots.solvers.connect4.solver import Solver; print(Solver(10).solve({own}, {mask}))"
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.strip() == str(Solver(10).solve(own, mask))
