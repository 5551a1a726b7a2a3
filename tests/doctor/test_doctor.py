"""The doctor finds each fault of tests/badbots by its name, and nothing in bots that are well."""

import asyncio
import json
import os
import random
import shutil
import sys
from itertools import islice

import pytest
from tests.support.players import BADBOT
from typer.testing import CliRunner

from palestra_client.arena.contenders import Contender, NoContender, contenders
from palestra_client.cli.commands import app
from palestra_client.doctor import examination, memory
from palestra_client.doctor.examination import (
    Examination,
    connected_after,
    examine,
    grown,
    random_positions,
    surroundings,
)
from palestra_client.doctor.findings import ADVICE, Finding, Report
from palestra_games import game_names, get_game

pytestmark = pytest.mark.process

FAULTS = {
    "honest": None,
    "crashes": "crash",
    "leaves": "crash",
    "hangs": "no-answer",
    "late": "late",
    "garbage": "unreadable-frames",
    "big": "frame-too-big",
    "wrong_ply": "wrong-ply",
    "illegal": "illegal-action",
    "floods": "flood",
    "chatters": "flood",
    "disconnects": "hangs-up",
}
TIDY = BADBOT.parent.parent / "bridge" / "programs" / "tidy.py"
LEISURE = {"move_ms": 30_000, "ready_ms": 60_000, "seconds": 60}
"""So much time that a busy machine is no fault of the bot's."""
INPUT = """
from palestra_client import Bot
class Asks(Bot):
    def choose(self, turn):
        return int(input("your move? "))
"""


def badbot(kind):
    # Those that are about time need no honest turn before, which a slow machine could make late.
    after = "0" if kind in ("hangs", "late") else "1"
    words = (sys.executable, str(BADBOT), kind, "--server", "{url}", "--name", "{name}", "--after", after)
    return Contender(kind, "wire", words)


async def test_each_bad_bot_is_found_out_by_name():
    async def found(kind):
        time = {"move_ms": 300} if kind in ("hangs", "late") else {}
        report = await examine(badbot(kind), ["connect4"], **{**LEISURE, **time}, only=("whole games",))
        return {finding.code for finding in report.findings} - {None, "slow-start", "close-to-the-clock"}

    reports = await asyncio.gather(*map(found, FAULTS))
    expected = [set() if code is None else {code} for code in FAULTS.values()]
    assert dict(zip(FAULTS, reports, strict=True)) == dict(zip(FAULTS, expected, strict=True))


PROGRAMS = {
    "import threading; threading.Event().wait()": ("silent", "`ready` soon after `start`"),
    "raise SystemExit('no table')": ("program-ended", "its last words are below"),
    "while input() != 'start': pass\nprint('ready')\nwhile input(): pass": ("no-answer", "that `go` gave"),
}
"""Programs for the bridge, and what is wrong with them."""


async def test_a_program_that_fails_is_told_in_words_for_a_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    time = {"no-answer": {"move_ms": 100}, "silent": {"ready_ms": 500}}

    async def found(number, source, code):
        (tmp_path / f"{number}.py").write_text(source)
        (contender,) = contenders([f"{sys.executable} {number}.py"])
        games = ["connect4", "mancala"] if code == "silent" else ["connect4"]
        return await examine(contender, games, **{**LEISURE, **time.get(code, {})}, only=("whole games",))

    reports = await asyncio.gather(
        *(found(number, source, code) for number, (source, (code, _)) in enumerate(PROGRAMS.items()))
    )
    for report, (code, advice) in zip(reports, PROGRAMS.values(), strict=True):
        failed = [finding for finding in report.findings if finding.failed]
        assert [finding.code for finding in failed] == [code], "and a silent one is asked for one game alone"
        assert advice in "\n".join(report.lines())
        assert "exception" not in failed[0].detail
    assert "no table" in "\n".join(reports[1].lines())


async def test_a_program_that_plays_one_game_is_well(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (contender,) = contenders([f"course-mancala:{sys.executable} {TIDY}"])
    time = {**LEISURE, "seconds": 1}
    report = await examine(contender, ["connect4", "mancala"], **time, all_games=False, only=("whole games",))
    assert report.passed, report.lines()
    assert report.games == ["mancala"]


async def test_a_reference_bot_passes_all_that_a_server_may_do(monkeypatch):
    monkeypatch.setattr(examination, "LESS_MS", LEISURE["move_ms"] / 2)
    report = await examine(contenders(["greedy"])[0], ["mancala"], **{**LEISURE, "seconds": 1})
    assert report.passed, report.lines()
    assert report.games == ["mancala"]
    assert {finding.check for finding in report.findings} >= {
        "starts",
        "mancala: whole games",
        "mancala: random positions",
        "lost connection",
        "server restart",
        "newer server",
        "match ends in its turn",
    }
    assert report.lines()[-1] == "greedy is well: it plays mancala."
    assert len(report.times_ms) > 5


def test_the_command_says_what_to_do_and_ends_with_1(tmp_path):
    bot = tmp_path / "asks.py"
    bot.write_text(INPUT)
    (tmp_path / "random.py").write_text("")
    few = ["--game", "connect4", "--only", "whole games", "--move-ms", "30000", "--json"]
    ran = CliRunner().invoke(app, ["doctor", str(bot), *few])
    assert ran.exit_code == 1
    report = json.loads(ran.stdout)
    assert not report["passed"]
    found = {finding["code"]: finding for finding in report["findings"] if finding["code"]}
    assert found.keys() - {"slow-start"} == {"input", "hides-a-module"}
    assert "every input()" in found["input"]["advice"]
    assert "random.py" in found["hides-a-module"]["detail"]
    assert "EOFError" in found["input"]["output"]


def test_what_can_not_be_examined_is_a_sentence(tmp_path):
    for words, says in {
        (): "Name your bot",
        ("nobody.py",): "There is no file nobody.py",
        ("random", "--game", "chess"): "There is no game 'chess'",
        ("random", "--only", "memories"): "There is no check 'memories' to run alone; there are whole games, ",
    }.items():
        ran = CliRunner().invoke(app, ["doctor", *words])
        assert ran.exit_code == 1
        assert says in ran.output
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_this_name\n")
    ran = CliRunner().invoke(app, ["doctor", str(broken), "--game", "connect4"])
    assert ran.exit_code == 1
    assert "[does-not-start]" in ran.output
    assert "nothing_of_this_name" in ran.output


def test_random_positions_can_be_played_and_some_leave_one_action():
    for name in game_names():
        game = get_game(name)
        drawn = list(islice(random_positions(game, random.Random(2)), 60))
        for opening, state in drawn:
            assert state.legal_actions()
            again = game.initial_state()
            for action in opening:
                again = again.apply(action)
            assert again == state
    single = [state for _, state in drawn if len(state.legal_actions()) == 1]
    assert single, "mancala has many such positions"


async def test_a_start_that_is_slow_for_a_match_is_told_and_is_no_fault(monkeypatch):
    assert connected_after(4.9).code is None
    slow = connected_after(8.04)
    assert (slow.code, slow.failed, slow.detail) == ("slow-start", False, "connected after 8.0 s")
    assert "10 s to be back" in ADVICE["slow-start"]
    monkeypatch.setattr(examination, "SLOW_START_S", 0.0)
    report = await examine(contenders(["random"])[0], ["mancala"], **LEISURE, only=())
    assert [finding.code for finding in report.findings if finding.check == "starts"] == ["slow-start"]


def exam_with(memory):
    return Examination(None, 1.0, random.Random(1), Report("bot", 2000), memory=memory)


def test_memory_that_grows_with_the_moves_is_a_leak_and_a_table_is_none():
    leak = grown(exam_with([(moves, 40 + moves) for moves in range(0, 400, 10)]))
    assert leak.code == "memory"
    assert "200 MB for 200 moves" in leak.detail
    table = grown(exam_with([(1, 40.0), *((moves, 600.0) for moves in range(60, 400, 10))]))
    assert table.code is None
    assert "not checked" in grown(exam_with([])).detail
    assert "too few moves" in grown(exam_with([(3, 40.0)])).detail


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell it without a further package")
@pytest.mark.skipif(shutil.which("ps") is None, reason="no ps: apt-get install procps")
def test_memory_is_what_ps_says_where_there_is_no_proc(monkeypatch):
    here = memory.memory_mb(os.getpid())
    monkeypatch.setattr(sys, "platform", "darwin")
    assert memory.memory_mb(os.getpid()) == pytest.approx(here, rel=0.5)
    assert memory.memory_mb(2**22 + 1) is None
    assert memory.memory_mb(None) is None


def test_only_names_of_modules_that_matter_are_found_beside_the_bot(tmp_path):
    bot = tmp_path / "mybot.py"
    bot.write_text("")
    (tmp_path / "test.py").write_text("")
    me = Contender("mybot.py", "python", (str(bot),))
    assert [finding.code for finding in surroundings(me)] == [None]
    (tmp_path / "palestra_client.py").write_text("")
    (hidden,) = surroundings(me)
    assert hidden.code == "hides-a-module"
    assert hidden.detail == "palestra_client.py has the name of a module of palestra."
    (tmp_path / "random.py").write_text("")
    (both,) = surroundings(me)
    assert both.detail == "palestra_client.py, random.py have the names of modules of palestra."


def test_a_report_tells_each_fault_with_what_to_do():
    report = Report("mybot.py", 2000, times_ms=[10.0, 20.0, 1990.0], games=["connect4"])
    report.findings = [
        Finding("starts", "connected after 0.5 s"),
        Finding("time in hand", "the slowest answer took 1990 of 2000 ms", "close-to-the-clock"),
    ]
    assert report.passed
    assert f"What to do: {ADVICE['close-to-the-clock']}" in "\n".join(report.lines())
    report.findings.append(Finding("mancala: whole games", "It was so.\n. x .", "late", "my words"))
    assert not report.passed
    text = "\n".join(report.lines())
    assert "[late] It was so." in text
    assert "my words" in text
    assert text.endswith("One thing to mend in mybot.py; begin with [late].")
    assert report.to_json()["time_ms"] == {"p50": 20.0, "p99": 1990.0, "worst": 1990.0}


def test_a_loop_that_never_ends_is_shown_with_its_line_and_a_thread_that_raises_and_a_text_are_faults(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(examination, "OVERRUN_TRIES", 1000)  # however late the loop is let write where it is
    source = """
import threading, time
from palestra_client import Bot

class {name}(Bot):
    def choose(self, turn):
        {does}
        return turn.legal[0]
"""
    loop, thread = tmp_path / "loop.py", tmp_path / "thread.py"
    loop.write_text(source.format(name="Loop", does="while True: time.sleep(0.01)  # for ever"))
    thread.write_text(source.format(name="Thread", does="threading.Thread(target=lambda: [][0]).start()"))
    text = tmp_path / "text.py"
    text.write_text(source.format(name="Text", does="return str(turn.legal[0])"))
    told = {
        loop: ("[no-answer]", "# for ever"),
        thread: ("[thread-raised]", "IndexError"),
        text: ("[wrong-return]", "a str; it must return one of turn.legal"),
    }
    for bot, says in told.items():
        time = ["--move-ms", "200" if bot == loop else str(LEISURE["move_ms"]), "--seconds", "1"]
        ran = CliRunner().invoke(app, ["doctor", str(bot), "--game", "connect4", *time])
        assert ran.exit_code == 1
        assert all(each in ran.output for each in says), ran.output


def test_the_folder_that_palestra_new_made_is_its_bot_and_utf_16_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["new", "ada"]).exit_code == 0
    assert [each.words for each in contenders([str(tmp_path / "ada")])] == [(str(tmp_path / "ada" / "ada.py"),)]
    with pytest.raises(NoContender, match=r"is a folder: name the Python file in it \(there is none\)"):
        contenders([str(tmp_path)])
    wide = tmp_path / "wide.py"
    wide.write_text("from palestra_client import Bot\n", encoding="utf-16")
    ran = CliRunner().invoke(app, ["doctor", str(wide), "--game", "connect4"])
    assert "wide.py is saved as UTF-16, which Python can't read: save it as UTF-8." in ran.output
    assert ran.output.count("UTF-16") == 1
