"""Real programs behind the bridge: their lines, their faults and their end."""

from __future__ import annotations

import gc
import io
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from palestra_client import Match, Result, Turn
from palestra_client.bridge import CannotStart, CourseMancala, Lines, check_command, program_bots
from palestra_client.bridge.dialect import NO_ACTION, ProgramFailed
from palestra_client.bridge.program import UNREAD_MAX, Program
from palestra_client.practice import play_random
from palestra_client.turn import Deadline
from palestra_games import get_game

pytestmark = pytest.mark.process

PROGRAMS = Path(__file__).parent / "programs"
MATCH = Match("M1", "connect4", 0, ("ana", "ben"), 60.0, 0.1, 60.0, 10.0)
START = get_game("connect4").initial_state()


@pytest.fixture
def program(tmp_path):
    """Starts a Python program of these lines; what it writes to standard error goes into `errors`."""
    running = []

    def start(source):
        path = tmp_path / "program.py"
        path.write_text(source)
        started = Program([sys.executable, str(path)], errors.append)
        running.append(started)
        return started

    errors = []
    start.errors = errors
    yield start
    for started in running:
        started.kill()


@pytest.fixture
def bot(tmp_path, monkeypatch):
    """A bot that plays with a Python program of these lines."""
    monkeypatch.chdir(tmp_path)

    def make(source, dialect=Lines):
        path = tmp_path / "program.py"
        path.write_text(source)
        return program_bots([sys.executable, str(path)], dialect)()

    return make


def turn(remaining_s=60.0, deadline=None, match=MATCH):
    start = get_game(match.game).initial_state()
    return Turn(
        match,
        start,
        ply=0,
        legal=start.legal_actions(),
        last=None,
        deadline=deadline or Deadline(time.monotonic() + remaining_s),
        clock=time.monotonic,
        history=(),
    )


def an_hour():
    return 3600.0


READY = "while input() != 'start': pass\nprint('ready')\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_program_that_floods_waits_until_it_is_read_and_is_ended_at_any_time(program, tmp_path):
    os.mkfifo(tmp_path / "alive")
    started = program(
        f"import os; os.open({str(tmp_path / 'alive')!r}, os.O_WRONLY)\nimport itertools\n"
        "for n in itertools.count(): print(n)"
    )
    with (tmp_path / "alive").open() as alive:
        read = [started.hear(an_hour) for _ in range(5 * UNREAD_MAX)]
        assert read == [str(n) for n in range(5 * UNREAD_MAX)], "nothing is lost"
        started.kill()
        assert alive.read() == ""
    started._reader.join()
    assert started._lines.qsize() < 2 * UNREAD_MAX


def test_lines_come_without_line_ends_blanks_and_the_programs_buffer(program):
    started = program("import sys\nprint('a  \\r')\nprint()\nsys.stdout.write('b')\nsys.stdout.flush()\ninput()")
    assert [started.hear(an_hour), started.hear(an_hour)] == ["a", "b"]


@pytest.fixture
def late_reader(monkeypatch):
    """What a program writes is read in two pieces, the second of them once the bridge has looked five times in vain."""
    looks, go_on = [], threading.Event()

    class Late(io.FileIO):
        def read(self, _size):
            first, self.first = self.first, False
            if not first:
                go_on.wait()
            return super().read(2 if first else 4096)

        first = True

    def left_s():
        looks.append(None)
        if len(looks) == 6:
            go_on.set()
        return 3600.0

    monkeypatch.setattr("palestra_client.bridge.program.os.fdopen", lambda fd, *_args, **_options: Late(fd))
    yield left_s
    go_on.set()


@pytest.mark.skipif(sys.platform == "win32", reason="nobody can ask a pipe there")
def test_a_line_is_not_taken_for_whole_while_the_rest_waits_to_be_read(late_reader):
    started = Program([sys.executable, "-c", "print('move 3')\ninput()"], lambda _: None)
    try:
        assert started.hear(late_reader) == "move 3"
    finally:
        started.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="nobody can ask a pipe there")
def test_the_last_line_of_a_program_that_has_ended_is_heard_however_late_it_is_read(late_reader):
    started = Program([sys.executable, "-c", "print('a\\nmove 3')"], lambda _: None)
    assert [started.hear(late_reader), started.hear(late_reader)] == ["a", "move 3"]
    started.kill()


def test_a_python_program_in_a_pipe_is_heard(program):
    piped = program("import os, sys\nos.system(sys.executable + ' -c \"print(4); input()\" | cat')")
    assert piped.hear(an_hour) == "4"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: install gcc or clang")
def test_a_c_program_that_never_flushes_is_heard(tmp_path):
    source = tmp_path / "mute.c"
    source.write_text('#include <stdio.h>\nint main(void){char w[80];while(scanf("%79s",w)==1)printf("%s\\n",w);}')
    subprocess.run(["cc", "-o", tmp_path / "mute", source], check=True)
    started = Program([str(tmp_path / "mute")], lambda _: None)
    started.say("hello")
    assert started.hear(an_hour) == "hello"
    started.kill()


def test_no_line_in_time_is_none(program):
    assert program("input()").hear(lambda: 0.0) is None


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("raise SystemExit(3)", "ended with exit code 3."),
        ("pass", "must go on reading"),
        ("import os\nos.abort()", "SIGABRT"),
        ("1/0", "exit code 1. It wrote last:\n  Traceback"),
    ],
)
def test_death_says_how(program, source, says):
    started = program(source)
    with pytest.raises(ProgramFailed, match=says.replace(".", r"\.")):
        started.hear(an_hour)
    with pytest.raises(ProgramFailed):
        started.say("hello")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_program_is_killed_with_its_children(program, tmp_path):
    os.mkfifo(tmp_path / "alive")
    child = f"import os; os.open({str(tmp_path / 'alive')!r}, os.O_WRONLY); input()"
    started = program(
        f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {child!r}], stdin=subprocess.PIPE)\ninput()"
    )
    with (tmp_path / "alive").open() as alive:  # as soon as the child has opened it
        started.kill()
        assert alive.read() == "", "which ends when the child does"


ENDLESS = "import itertools\nfor _ in itertools.repeat(None): print({!r}, flush=True)\n"
WORDY = (
    "for word in iter(input, 'GETMOVE'):\n    if word in ('TIMEOUT', 'SETPLAYER'): input()\n"
    "    print({'PING': 'PONG'}.get(word, 'OK'))\n"
)


@pytest.mark.parametrize(
    ("source", "dialect", "game"),
    [
        (READY + ENDLESS.format("info depth 1"), Lines, "connect4"),
        (READY + ENDLESS.format("well"), Lines, "connect4"),
        (WORDY + ENDLESS.format("well"), CourseMancala, "mancala"),
        (WORDY + "print('well', flush=True)\ninput()\ninput()", CourseMancala, "mancala"),
    ],
)
def test_a_program_that_writes_anything_but_a_move_is_ended_when_its_time_is_up(
    bot, source, dialect, game, monkeypatch
):
    # However slow the machine: what ends it is its time, never the pause after a line.
    monkeypatch.setattr("palestra_client.bridge.course_mancala.AFTER_NONSENSE_S", 3600.0)
    player = bot(source, dialect)
    match = Match("M1", game, 0, ("ana", "ben"), 60.0, 0.1, 60.0, 10.0)
    player.on_start(match)
    with pytest.raises(ProgramFailed, match=r"did not answer in time, and was ended\. .*: end the line, and flush"):
        player.choose(turn(remaining_s=0.0, match=match))


def test_a_whole_match(bot, capfd):
    player = bot(
        READY + "import sys\nprint('thinking aloud', file=sys.stderr)\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('go'):\n"
        "        print('info depth 2 value 0.5 pv 3 3 text so so')\n"
        "        print('move 3')\n"
        "    if line.startswith('end'):\n"
        "        print(line, file=sys.stderr)\n"
        "        break\n"
    )
    player.on_start(MATCH)
    asked = turn()
    assert player.choose(asked) == 3
    assert asked.reported == {"depth": 2, "value": 0.5, "pv": (3, 3), "text": "so so"}
    player.on_end(Result(MATCH, (1.0, -1.0), "rules", "", 9))
    for thread in threading.enumerate():
        if thread.name.startswith("bridge "):
            thread.join(60)  # what the program wrote last is written by another thread
    kept = Path("palestra-stderr/M1.txt").read_text()
    assert "thinking aloud" in kept
    assert "end win rules" in kept
    assert "program" not in capfd.readouterr().out


def test_nonsense_is_illegal_and_told_at_once(bot, capsys):
    player = bot(READY + "input(); input(); input(); input()\nprint('move left')\ninput()")
    player.on_start(MATCH)
    asked = turn()
    assert player.choose(asked) == NO_ACTION
    assert asked.reported["text"] == "answered 'left'"
    assert "answered 'left', which is not an action" in capsys.readouterr().err


def test_death_in_a_turn_fails_and_the_next_turn_has_a_new_program(bot):
    player = bot(READY + "for _ in range(4): input()\nraise SystemExit(9)")
    player.on_start(MATCH)
    for _ in range(2):
        with pytest.raises(ProgramFailed, match="exit code 9"):
            player.choose(turn())


def test_silence_ends_when_the_answer_is_not_wanted(bot):
    player = bot(READY + "while True: input()")
    player.on_start(MATCH)
    assert player.choose(turn(deadline=Deadline(float("-inf")))) in START.legal_actions()


def test_a_program_that_never_gets_ready_fails(bot):
    player = bot("print('hello')\ninput()\nraise SystemExit(0)")
    with pytest.raises(ProgramFailed, match="must go on reading"):
        player.on_start(MATCH)


def test_a_bot_that_is_let_go_takes_its_program_along(bot, tmp_path):
    player = bot(
        READY + f"import os\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nprint('x')\ninput()"
    )
    player.on_start(MATCH)
    process = player._program._process
    del player
    gc.collect()
    process.wait(60)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ([], "Name it after --"),
        (["./none"], "There is no program './none'"),
        (["bot.py"], "write `python bot.py`"),
        (["./bot.cpp"], "compile it"),
        (["./data"], "chmod"),
        (["built"], "the file in this folder is ./built"),
    ],
)
def test_a_command_that_cannot_run_says_what_to_do(tmp_path, monkeypatch, command, says):
    monkeypatch.chdir(tmp_path)
    for name in ("bot.py", "bot.cpp", "data", "built"):
        Path(name).touch()
    Path("built").chmod(0o755)
    with pytest.raises(CannotStart, match=says.replace(".", r"\.")):
        check_command(command)
    check_command([sys.executable])


@pytest.fixture(scope="module")
def quirky(tmp_path_factory):
    if shutil.which("c++") is None:
        pytest.skip("no C++ compiler: install g++ or clang")
    path = tmp_path_factory.mktemp("bin") / "quirky"
    subprocess.run(["c++", "-o", path, PROGRAMS / "quirky.cpp"], check=True)
    return path


def test_programs_of_the_course_play_whole_matches_over_the_wire(server, tmp_path, quirky):
    bridge = [sys.executable, "-m", "palestra_client", "bridge", "--course-mancala", "--server", server.url]
    opponent = subprocess.Popen(
        [*bridge, "--name", "quirky", "--", quirky], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert "Connected" in opponent.stdout.readline()
        words = ["--name", "tidy", "--challenge", "quirky", "--game", "mancala", "--games", "2", "--"]
        done = subprocess.run(
            [*bridge, *words, sys.executable, PROGRAMS / "tidy.py"], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "2 games of mancala against quirky" in done.stdout
        assert done.stdout.count("(by the rules)") == 2, done.stdout
        # The opponent hears of each end by itself, perhaps later.
        ends = (line for line in opponent.stdout if "(by the rules)" in line)
        assert next(ends)
        assert next(ends)
    finally:
        opponent.terminate()
        log, _ = opponent.communicate()
    assert "(by the rules)" not in log
    assert len(list((tmp_path / "palestra-stderr").glob("*.txt"))) == 2


@pytest.mark.parametrize(("name", "seat"), [("tidy.py", 0), ("sloppy.py", 1)])
def test_programs_of_the_course_play_a_whole_game(tmp_path, monkeypatch, capsys, name, seat):
    monkeypatch.chdir(tmp_path)
    factory = program_bots([sys.executable, str(PROGRAMS / name)], CourseMancala)
    result = play_random(factory, "mancala", seat=seat, seed=3, move_s=600.0)
    assert result.reason == "rules"
    assert capsys.readouterr().err.count("where the number of a pit") == (3 if name == "sloppy.py" else 0)
