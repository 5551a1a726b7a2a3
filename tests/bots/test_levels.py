"""The levels: how far they look, that only the same match is played alike, and the table that is published."""

import json
from importlib import resources
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from palestra_bots import levels
from palestra_bots.cli import app
from palestra_bots.kernels.load import KERNELS, kernel_for
from palestra_bots.ladder import calibrate
from palestra_bots.ladder.balanced import balanced, judge_of
from palestra_bots.ladder.calibrate import Measured, horizon
from palestra_bots.ladder.games import play, seated
from palestra_games import get_game
from palestra_games.shipped_openings import shipped_openings

run = CliRunner().invoke


def actions_of(match_id, plies=1.5):
    game = get_game("mancala")
    names = ("a", "b")
    players = tuple(seated(horizon(plies)(), game, seat, names, match_id) for seat in (0, 1))
    return play(game, players, (), 200)[1]


def test_the_dice_belong_to_the_match():
    assert actions_of("m-1") == actions_of("m-1")
    assert actions_of("m-1") != actions_of("m-2")


def test_whole_plies_leave_nothing_to_the_dice():
    assert actions_of("m-1", 2.0) == actions_of("m-2", 2.0)


def test_a_level_wins_at_once_where_it_looks_one_ply_ahead():
    game = get_game("connect4")
    state = game.initial_state()
    for action in (3, 0, 3, 0, 3, 0):
        state = state.apply(action)
    assert seated(horizon(1.0)(), game, 0, ("a", "b"))(state) == 3


def test_a_game_that_nobody_calibrated_has_levels_too():
    assert [levels.plies("nim", number) for number in range(1, 8)] == list(levels.UNCALIBRATED)


@pytest.mark.parametrize("game", sorted(levels.table()))
def test_a_calibrated_game_has_eight_levels_that_can_be_told_apart(game):
    ladder = levels.table()[game]
    found = ladder.levels
    assert len(found) == levels.COUNT
    horizons = [level.plies for level in found[:-1]]
    assert horizons == sorted(horizons)
    assert found[-1].plies is None
    assert [level.elo for level in found] == sorted(level.elo for level in found)
    assert all(level.games >= 400 for level in found)
    assert all(0.6 <= level.score <= 0.7 for level in found[1:])
    assert ladder.careful_games >= 400
    assert ladder.careful - ladder.careful_error > 0.5


def test_the_page_is_what_the_command_prints():
    page = Path(__file__).parents[2] / "bots" / "LEVELS.md"
    result = run(app, ["levels", "--markdown"])
    assert result.exit_code == 0, result.output
    assert page.read_text(encoding="utf-8") == result.stdout


def test_the_error_of_a_score_comes_from_its_openings():
    alike = Measured(1.0, np.array([1.0] * 50))
    mixed = Measured(1.0, np.array([0.0, 2.0] * 25))
    assert (alike.score, alike.error) == (0.5, 0.0)
    assert mixed.score == 0.5
    assert mixed.error == pytest.approx(1.96 * 0.5 / 50**0.5, rel=0.02)
    # Each of 25 openings played twice, with the same result: they say no more than 25 pairs do.
    twice = Measured(1.0, np.array([0.0, 2.0, 2.0, 0.0, 1.0] * 10), openings=25)
    once = Measured(1.0, np.array([0.0, 2.0, 2.0, 0.0, 1.0] * 5))
    assert twice.error == pytest.approx(once.error)


@pytest.mark.slow
def test_a_calibration_does_not_depend_on_the_machine_and_keeps_what_will_do(monkeypatch):
    for name, value in {"BATCH": 2, "BATCHES": 2, "MAX_PLIES": 3.0, "TRIES": 1}.items():
        monkeypatch.setattr(calibrate, name, value)

    def ladder(known):
        said = []
        calibration = calibrate.Calibration(
            get_game("mancala"), shipped_openings("mancala")[:30], 8, seed=1, nodes=60, target=0.65, report=said.append
        )
        return calibration.run(known), said

    first, said = ladder({})
    assert (first, said) == ladder({})
    assert len(first.levels) == levels.COUNT
    horizons = [level.plies for level in first.levels[:-1]]
    assert horizons == sorted(horizons)
    assert horizons[-1] <= 3.0
    monkeypatch.setattr(calibrate, "WANTED", (0.0, 1.0))
    again, said = ladder(dict(enumerate(horizons, start=1)))
    assert [level.plies for level in again.levels[:-1]] == horizons
    assert not any("fitted" in line for line in said)


def key_of(kernel, state):
    """One for a position and its mirror image."""
    with np.errstate(over="ignore"):
        board = kernel.from_state(state)
        return min(int(kernel.key(each, True)) for each in (board, kernel.mirror(board)))


@pytest.mark.parametrize("game", [game for game in sorted(KERNELS) if shipped_openings(game)])
def test_the_shipped_openings_are_even_and_no_two_are_one(game):
    rules, judge, kernel = get_game(game), judge_of(get_game(game)), kernel_for(game)
    positions = set()
    for number, opening in enumerate(shipped_openings(game)):
        state = rules.initial_state()
        for action in opening:
            state = state.apply(action)
        assert state.returns() is None
        assert all(state.apply(action).returns() is None for action in state.legal_actions())
        positions.add(key_of(kernel, state))
        if number % 60 == 0:
            assert judge.is_even(state)
    assert len(positions) == len(shipped_openings(game)) >= 150


@pytest.mark.parametrize(("game", "count"), [("connect4", 1), ("connect4-8x8", 5), ("desconecta4", 5), ("mancala", 5)])
@pytest.mark.slow
def test_the_shipped_openings_are_those_that_the_command_finds(game, count):
    file = resources.files("palestra_games") / "openings" / f"{game}.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    judge = judge_of(get_game(game))
    assert content["judged_by"] == judge.name
    assert tuple(islice(balanced(get_game(game), judge, content["seed"]), count)) == shipped_openings(game)[:count]


def test_openings_are_made_by_a_command(tmp_path):
    file = tmp_path / "mancala.json"
    result = run(app, ["openings", "mancala", "--count", "2", "--out", str(file)])
    assert result.exit_code == 0, result.output
    assert len(shipped_openings("mancala")) >= 2
    assert '"judged_by": "mtdf' in file.read_text()
    refused = run(app, ["openings", "nogame", "--out", str(file)])
    assert refused.exit_code == 2
    assert "There is no game 'nogame'" in refused.stderr
