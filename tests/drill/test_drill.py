"""`palestra drill`: from lost matches to tests that are red, then green; with a server and in files."""

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

from palestra_bots.judge.keeping import keepers, separated
from palestra_bots.judge.values import Estimator, prover, sign
from palestra_client import Bot
from palestra_client.bridge import Lines, program_bots
from palestra_client.cli.commands import app
from palestra_client.drill import NotADrill, Position, attempt, read
from palestra_games import get_game

THREATS = {"game": "connect4", "actions": (6, 1, 6, 2, 6), "keeps": (6,), "value": "won"}


BOT = """from palestra_client import Bot

class Mine(Bot):
    def choose(self, turn):
        return turn.legal[0]
"""


class Always(Bot):
    def choose(self, _turn):
        return 6


class Crashes(Bot):
    def choose(self, _turn):
        raise KeyError("nothing")


def position(**changed):
    return Position.model_validate(THREATS | changed)


def test_an_answer_that_keeps_the_value_in_time_passes_and_all_else_says_what_was_wrong():
    to_move = position(actions=(6, 1, 6, 2, 6, 1))
    assert attempt(Always, to_move).passed
    missed = attempt(Always, position(actions=(6, 1, 6, 2, 6, 1), keeps=(0, 3)))
    assert not missed.passed
    assert str(missed).startswith("connect4, move 6: PUT 7 after ")
    assert str(missed).endswith("s; PUT 1 or PUT 4 keep the win.")
    late = attempt(Always, to_move, 1e-9)
    assert not late.passed
    assert "too late for 1e-09 s" in str(late)
    crashed = attempt(Crashes, to_move)
    assert not crashed.passed
    assert "KeyError: 'nothing'" in str(crashed)
    full = position(actions=(6, 6, 6, 6, 6, 6), keeps=(3,), value="better")
    assert "6, which is not legal" in str(attempt(Always, full))
    assert str(attempt(Always, full)).endswith("PUT 4 is clearly better, by an estimate.")


@pytest.mark.process
def test_a_program_behind_the_bridge_is_asked_in_the_position(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "for line in iter(input, 'end'):\n"
        "    if line.startswith('start'): print('ready', flush=True)\n"
        "    if line.startswith('go'): print('move 6', flush=True)\n"
    )
    factory = program_bots([sys.executable, str(program)], Lines, errors=None)
    assert attempt(factory, position(actions=(6, 1, 6, 2, 6, 1))).passed


@pytest.mark.parametrize("line", ["{}", "no JSON", json.dumps(THREATS | {"actions": [9]}), json.dumps({"game": "go"})])
def test_what_is_no_drill_costs_one_sentence(tmp_path, line):
    with pytest.raises(NotADrill, match="There are no positions in "):
        read(tmp_path)
    (tmp_path / "positions.jsonl").write_text(f"{line}\n")
    with pytest.raises(NotADrill, match=r"positions\.jsonl, line 1, is no position of a drill"):
        read(tmp_path)


@pytest.mark.slow
def test_keepers_are_those_of_minimax():
    """Against plain minimax over the rules, which shares no code with the solvers."""

    def minimax(state, known):
        if (result := state.returns()) is not None:
            return int(result[state.to_move])
        if state not in known:
            children = [(state.apply(action), state.to_move) for action in state.legal_actions()]
            known[state] = max(
                minimax(child, known) * (1 if child.to_move == mover else -1) for child, mover in children
            )
        return known[state]

    found, proving, known = 0, prover("connect4"), {}
    for seed in range(60):
        chance, state = random.Random(seed), get_game("connect4").initial_state()
        for _ in range(29):
            if state.returns() is None:
                state = state.apply(chance.choice(state.legal_actions()))
        if state.returns() is not None:
            continue
        value = minimax(state, known)
        child = {action: state.apply(action) for action in state.legal_actions()}
        keep = [action for action, after in child.items() if sign(-minimax(after, known)) == value]
        expected = () if value < 0 or len(keep) == len(child) else tuple(keep)
        assert keepers(state, proving, 10**6)[0] == expected
        found += bool(expected)
    assert found >= 5


def test_estimates_ask_only_for_what_is_clearly_better():
    game = get_game("connect4-8x8")
    state = game.initial_state()
    assert separated(state, Estimator("connect4-8x8"))[0] == ()
    for action in (3, 0, 4, 0, 3, 0):
        state = state.apply(action)
    assert separated(state, Estimator("connect4-8x8"))[0] == (0,), "all else loses at once"


@pytest.mark.process
@pytest.mark.slow
def test_from_a_lost_match_to_a_red_test_to_a_green_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mybot.py").write_text(BOT)
    run = CliRunner()
    with ServerProcess(tmp_path / "data", "--guests") as server:
        with server.join("ana") as ana, server.join("ben") as ben:
            ana.send(type="challenge", opponent="ben", game="connect4")
            with ThreadPoolExecutor() as pool:
                end = next(pool.map(lambda player: (player.ready(), player.play()[0])[1], (ana, ben)))
        loser = "ben" if end["detail"].startswith("ana") else "ana"
        nobody = run.invoke(app, ["drill", "--server", server.url])
        assert (nobody.exit_code, "Whose losses?" in nobody.stderr) == (1, True)
        winner = run.invoke(app, ["drill", "--server", server.url, "--player", "ana" if loser == "ben" else "ben"])
        assert "lost 0 matches" in winner.stderr
        made = run.invoke(app, ["drill", "--server", server.url, "--player", loser])
        assert made.exit_code == 0, made.output
        assert "1 position of 1 lost matches" in made.stdout
        assert "palestra drill run mybot.py drill" in made.stdout
        everybody = run.invoke(app, ["drill", "--server", server.url, "--class", "--out", "class"])
        assert everybody.exit_code == 0, everybody.output
    text = (tmp_path / "class" / "positions.jsonl").read_text()
    assert end["match"] not in text
    assert loser not in text
    (own,) = read("drill")
    assert (own.match, own.played) == (end["match"], own.played)
    red = run.invoke(app, ["drill", "run", "mybot.py"])
    assert (red.exit_code, "0 of 1 found." in red.stdout) == (1, True)
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "drill"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    assert subprocess.run(test, capture_output=True, env=environment).returncode == 1
    better = tmp_path / "mybot.py"
    better.write_text(better.read_text().replace("turn.legal[0]", str(own.keeps[0])))
    assert run.invoke(app, ["drill", "run", "mybot.py"]).exit_code == 0
    green = subprocess.run(test, capture_output=True, env=environment)
    assert green.returncode == 0, green.stdout
