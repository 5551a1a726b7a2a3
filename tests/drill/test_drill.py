"""`palestra drill`: from lost matches to tests that are red, then green; with a server and in files."""

import json
import os
import random
import runpy
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

from palestra_bots.judge import judge
from palestra_bots.judge.keeping import keepers, separated
from palestra_bots.judge.values import Estimator, prover, sign
from palestra_client import Bot, Match, crashes
from palestra_client.arena import diagnosed
from palestra_client.bridge import Lines, program_bots
from palestra_client.cli import versions
from palestra_client.cli.commands import app
from palestra_client.drill import NotADrill, Position, attempt, making, practise, read
from palestra_client.drill.positions import write
from palestra_games import get_game
from palestra_protocol.analysis import Analysis, Diagnosis, to_json

THREATS = {"game": "connect4", "actions": (6, 1, 6, 2, 6), "keeps": (6,), "value": "won"}
READY = dict.fromkeys(
    ("connect4", "mancala", "connect4-8x8", "desconecta4"), 100
)  # positions that come with the client

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
    assert attempt(Always, to_move).mark == "ok"
    missed = attempt(Always, position(actions=(6, 1, 6, 2, 6, 1), keeps=(0, 3)))
    assert missed.mark == "MISSED"
    assert str(missed).startswith("connect4, move 6: PUT 7 after ")
    assert str(missed).endswith("s; PUT 1 or PUT 4 keep the win.")
    late = attempt(Always, to_move, 1e-9)
    assert late.mark == "MISSED"
    assert "too late for 1e-09 s" in str(late)
    crashed = attempt(Crashes, to_move)
    assert crashed.mark == "MISSED"
    assert "KeyError: 'nothing'" in str(crashed)
    full = position(actions=(6, 6, 6, 6, 6, 6), keeps=(3,), value="better")
    assert "6, which is not legal" in str(attempt(Always, full))
    assert str(attempt(Always, full)).endswith("PUT 4 is clearly better, by an estimate.")


def says(values, action=0):
    class Says(Bot):
        def choose(self, turn):
            for depth, value in values.items():
                turn.report(depth=depth, value=value)
            return action

    return Says


@pytest.mark.parametrize(
    ("values", "came", "told"),
    [
        ({3: 1, 4: 7, 5: 2}, "MISSED", "it says 7, looking 4 moves ahead; a correct search with the same evaluation "),
        ({4: -2, 5: 7}, "ok", "it says -2, looking 4 moves ahead."),
        ({4: 3}, "untold", "it says 3, looking 4 moves ahead: by another evaluation than in the match. Play again"),
        ({2: 0, 3: -2}, "beyond", "needs a search of 4 moves or more; this one looked 3 ahead."),
        ({5: -2}, "untold", "would tell; it does not say it (turn.report after each depth)."),
        ({}, "MISSED", "would tell; it does not say it (turn.report(depth=..., value=...))."),
    ],
)
def test_a_fault_of_a_search_shows_in_what_it_says_at_that_depth_whatever_it_plays(values, came, told):
    asked = position(keeps=(), value="searched", depth=4, told=7.0, sound=-2.0, cause="sign")
    tried = attempt(says(values), asked)
    assert tried.mark == came
    assert told in str(tried)
    assert asked.wanted().endswith(" says -2 (the judge: an evaluation with the wrong sign)")


def test_what_shows_a_fault_comes_first_and_it_is_told_when_that_is_gone(capsys):
    fault = position(keeps=(1, 2, 6), value="other", depth=4, played=0, cause="search")
    other = position(keeps=(3,), value="drawn", played=0, cause="evaluation")
    assert not practise(says({5: 0}), [other, fault])
    first, *_, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("  1 MISSED  connect4, move 5: PUT 1 after ")
    why = "looking 4 moves ahead shows that it is bad (the judge: a bug in search or evaluation)."
    assert first.endswith(why)
    assert second.startswith("  2 weak    connect4, move 5: PUT 1 after ")
    assert second.endswith(
        "PUT 4 keeps the draw: no fault is proved, it may take a better evaluation or a deeper search."
    )
    assert last == "0 of 2 right. 1 weak: that proves no fault."
    assert practise(says({5: 0}, 6), [other, fault])
    gone = "1 of 2 right. Where the judge found a fault there is none now: play again to be sure."
    assert gone in capsys.readouterr().out
    horizon = position(keeps=(3,), value="drawn", played=0, depth=5, cause="horizon")
    assert not practise(says({5: 0}), [horizon]), "it plays the same, and looks far enough"
    assert practise(says({5: 0}, 1), [horizon]), "how deep it lies that another move is worse, nobody knows"


def test_what_needs_a_deeper_search_is_no_fault(capsys):
    deep, seen = position(depth=9), position(depth=3)
    assert practise(says({5: 0}), [deep])
    assert "0 of 1 right. 1 beyond its depth" in capsys.readouterr().out
    assert practise(says({5: 0}, 6), [position(actions=(6, 1, 6, 2, 6, 1)), position(keeps=(3,), depth=9)])
    assert not practise(says({5: 0}), [seen]), "it looked far enough"
    assert not practise(says({}), [deep]), "it does not say how far it looked"


def test_a_named_flaw_is_drilled_by_its_values_and_the_decisive_move_says_how_deep_it_lies():
    moves = [{"ply": ply, "seat": ply % 2, "action": ply, "info": None} for ply in range(6)]
    told = {"match": "m", "game": "connect4", "players": ["ana", "ben"], "opening": [], "moves": moves}
    told |= {"returns": [1.0, -1.0], "reason": "rules", "why": None, "seat_ms": [500, 700]}
    judged = [{"ply": ply, "seat": ply % 2, "action": ply, "value": 0, "best": 3, "class": "good"} for ply in range(6)]
    shown = {"fits": 7, "of": 7, "depth": 6, "told": 3.0, "sound": -1.0}
    analysis = Analysis.model_validate(
        {
            "match": "m",
            "game": "connect4",
            "exact": True,
            "moves": judged,
            "decisive": {"ply": 3, "seat": 1, "action": 3, "better": 4, "keeps": [4]},
            "accuracy": [{"kept": [0, 0, 0], "choices": [0, 0, 0]}] * 2,
            "diagnoses": [
                {"code": "horizon", "seat": 0, "ply": 2, "values": {"depth": 2, "needed": 3}},
                {"code": "sign", "seat": 1, "ply": 1, "values": shown},
                {"code": "horizon", "seat": 1, "ply": 3, "values": {"depth": 6, "needed": 9}},
            ],
            "nodes": 0,
        }
    )
    flaw, decisive = making.positions_of(told, analysis, 1, own=True)
    assert (flaw.actions, flaw.value, flaw.depth, flaw.told, flaw.sound) == ((0,), "searched", 6, 3.0, -1.0)
    assert (decisive.actions, decisive.keeps, decisive.depth, decisive.move_ms) == ((0, 1, 2), (4,), 9, 700)
    assert [each.value for each in making.positions_of(told, analysis, 1, own=False)] == ["drawn"], "no bot of theirs"
    late = {"code": "late", "seat": 1, "ply": 6, "values": {"took_ms": 900, "move_ms": 700, "worth": 0}}
    bug = {"code": "search", "seat": 1, "ply": 5, "values": {"depth": 4, "needed": 4}}
    more = analysis.model_copy(update={"diagnoses": (*analysis.diagnoses, *map(Diagnosis.model_validate, (late, bug)))})
    _, other, _ = making.positions_of(told, more, 1, own=True)
    assert (other.actions, other.value, other.depth) == ((0, 1, 2, 3, 4), "other", 4)
    assert other.keeps == (0, 1, 2, 3, 4, 6)


@pytest.mark.process
def test_a_program_behind_the_bridge_is_asked_in_the_position(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "for line in iter(input, 'end'):\n"
        "    if line.startswith('start'): print('ready', flush=True)\n"
        "    if line.startswith('go'): print('move 6', flush=True)\n"
    )
    factory = program_bots([sys.executable, str(program)], Lines, errors=None)
    assert attempt(factory, position(actions=(6, 1, 6, 2, 6, 1))).mark == "ok"


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
    run, known = CliRunner(), {}

    def judged_once(told, *_others):
        if told["match"] not in known:
            known[told["match"]] = judge(told)
        return known[told["match"]]

    monkeypatch.setattr(diagnosed, "installed_judge", lambda: judged_once)
    with ServerProcess(tmp_path / "data", "--guests") as server:
        with server.join("ana") as ana, server.join("ben") as ben:
            ana.send(type="challenge", opponent="ben", game="connect4")
            with ThreadPoolExecutor() as pool:
                end = next(pool.map(lambda player: (player.ready(), player.play()[0])[1], (ana, ben)))
        loser = "ben" if end["detail"].startswith("ana") else "ana"
        nobody = run.invoke(app, ["drill", "--server", server.url])
        assert (nobody.exit_code, "Whose losses?" in nobody.stderr) == (1, True)
        winner = run.invoke(app, ["drill", "--server", server.url, "--player", "ana" if loser == "ben" else "ben"])
        assert "lost no match." in winner.stderr
        made = run.invoke(app, ["drill", "--server", server.url, "--player", loser])
        assert made.exit_code == 0, made.output
        assert "1 position of 1 lost match of" in made.stdout
        assert "  palestra drill run mybot.py     (or: pytest drill)" in made.stdout
        receipt = {"match": end["match"], "player": loser, "server": server.url, "receipt": "", "tournament": None}
        (tmp_path / "palestra-receipts.jsonl").write_text(json.dumps(receipt | {"when": "2026-11-27T12:00:00Z"}) + "\n")
        for words, says in (["--game", "connect4"], "1 position of 1"), (["--game", "mancala"], "lost no match."):
            remembered = run.invoke(app, ["drill", *words])
            assert says in remembered.output, "the receipt knows the server, and whose losses"
        match = end["match"]
        with monkeypatch.context() as student:  # who has no judge
            student.setattr(diagnosed, "installed_judge", lambda: None)
            alone = run.invoke(app, ["why", match])
            assert (
                f"install the judge: pip install --upgrade palestra-bots --extra-index-url {server.web}" in alone.stderr
            )
            assert server.api("POST", "/judging", {"games": ["connect4"]})["match"] == match

            def judged(_s):
                found = json.loads(to_json(judged_once(server.api("GET", f"/matches/{match}"))))
                server.api("PUT", f"/matches/{match}/analysis", found)

            student.setattr(diagnosed.time, "sleep", judged)
            waited = run.invoke(app, ["why", match])
            assert f"{loser} played" in waited.stdout, waited.output
            assert f"Look there: palestra replay {match} --ply" in waited.stdout
        assert "replay-crash" not in waited.stdout
        said = Match(match, "connect4", 0, ("ana", "ben"), 1.5, 0.1, 30.0, 10.0, opening=(), tournament=None)
        file = crashes.save(crashes.FOLDER, "choose", KeyError("gap"), said, None)
        saved = run.invoke(app, ["why", match])
        assert f"saved here: KeyError: 'gap'. To raise it again: palestra replay-crash {file} BOT" in saved.stdout
        everybody = run.invoke(app, ["drill", "--server", server.url, "--class", "--out", "class"])
        assert everybody.exit_code == 0, everybody.output
    text = (tmp_path / "class" / "positions.jsonl").read_text()
    assert end["match"] not in text
    assert loser not in text
    (own,) = read("drill")
    assert (own.match, own.played) == (end["match"], own.played)
    red = run.invoke(app, ["drill", "run", "mybot.py"])
    assert (red.exit_code, "0 of 1 right." in red.stdout) == (1, True)
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "drill"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    assert subprocess.run(test, capture_output=True, env=environment).returncode == 1
    better = tmp_path / "mybot.py"
    better.write_text(better.read_text().replace("turn.legal[0]", str(own.keeps[0])))
    assert run.invoke(app, ["drill", "run", "mybot.py"]).exit_code == 0
    green = subprocess.run(test, capture_output=True, env=environment)
    assert green.returncode == 0, green.stdout


def test_the_test_that_is_written_skips_what_is_beyond_the_bot(tmp_path, monkeypatch):
    monkeypatch.delenv("PALESTRA_BOT", raising=False)
    bot, deep, seen = tmp_path / "mybot.py", position(depth=9), position(depth=3)
    bot.write_text(BOT.replace("        return", "        turn.report(depth=5, value=0)\n        return"))
    write(tmp_path, [deep, seen], str(bot))
    written = runpy.run_path(str(tmp_path / "test_drill.py"))["test_position"]
    with pytest.raises(pytest.skip.Exception, match="needs a search of 9 moves or more; this one looked 5 ahead"):
        written(deep)
    with pytest.raises(pytest.fail.Exception, match="keeps the win"):
        written(seen)


def test_a_drill_without_positions_of_that_depth_is_no_drill_passed(tmp_path):
    file = tmp_path / "hard.jsonl"
    file.write_text(f"{position(depth=4).model_dump_json(exclude_none=True)}\n")
    found = CliRunner().invoke(app, ["drill", "run", "mybot.py", str(file), "--depth", "3"])
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.endswith("need a search deeper than that: ask for --depth 4 or more.\n")
    file.write_text("")
    empty = CliRunner().invoke(app, ["drill", "run", "mybot.py", str(file)])
    assert (empty.exit_code, empty.stderr) == (1, f"There are no positions in {file}.\n")


def test_a_version_that_nobody_played_is_named(monkeypatch):
    told = {"versions": [{"version": "2", "matches": 1, "score": 1.0, "low": 0.2, "high": 1.0}], "compared": None}
    monkeypatch.setattr(versions, "ask", lambda *_: told)
    monkeypatch.setattr(versions, "find_page", lambda _: "http://page")
    found = CliRunner().invoke(app, ["versions", "ana", "--older", "7"])
    assert (found.exit_code, found.stderr) == (1, "No match of ana has the version 7: there are 2.\n")
    assert " 1 match  100% " in CliRunner().invoke(app, ["versions", "ana", "--newer", "2"]).stdout


@pytest.mark.parametrize("game", READY)
def test_the_ready_positions_of_each_game_are_graded(game):
    there = read(game)
    assert len(there) == len({each.state() for each in there}) >= READY[game]
    for each in there:
        legal = each.state().legal_actions()
        assert each.game == game
        assert set(each.keeps) < set(legal)
        assert len(each.keeps) <= (1 if game in ("connect4", "mancala") else len(legal) // 2)
    depths = Counter(each.depth for each in there)
    assert max(depths.values()) <= 20
    assert [each.depth for each in there] == sorted(each.depth for each in there)
