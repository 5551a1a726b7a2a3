"""However a command ends, no process that it started is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from palestra_client.tied import Tied

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")

DEAF = """
import os, subprocess, sys, threading
pipe = os.open(sys.argv[1], os.O_WRONLY)
subprocess.Popen(["sleep", "600"], pass_fds=[pipe])  # what reads the pipe comes to its end when both are gone
threading.Event().wait()
"""
"""A program that reads no line and ends by nothing but a signal."""
HANGING_BOT = """
import os, threading
from palestra_client import Bot
os.open(os.environ["ALIVE"], os.O_WRONLY)
class Hangs(Bot):
    def choose(self, turn):
        threading.Event().wait()
"""
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL]


@pytest.fixture
def alive(tmp_path):
    """A named pipe that a program opens when it has begun."""
    path = tmp_path / "alive"
    os.mkfifo(path)
    (tmp_path / "deaf.py").write_text(DEAF)
    (tmp_path / "hangs.py").write_text(HANGING_BOT)
    return path


def with_all_signals():
    """What runs in the background, as these tests may, has some of them ignored."""
    for number in SIGNALS[:-1]:
        signal.signal(number, signal.SIG_DFL)


def left_by(words, how, alive):
    """Starts `palestra`, ends it by a signal once its program has begun, and waits until that is gone."""
    command = subprocess.Popen(
        [sys.executable, "-m", "palestra_client", *words],
        cwd=alive.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "ALIVE": str(alive)},
        start_new_session=True,
        preexec_fn=with_all_signals,
    )
    try:
        with alive.open() as pipe:
            command.send_signal(how)
            return pipe.read()
    finally:
        command.kill()
        command.wait()


def deaf(alive):
    return f"{sys.executable} {alive.parent / 'deaf.py'} {alive}"


@pytest.mark.parametrize("how", SIGNALS)
def test_a_doctor_takes_the_program_along(alive, how):
    assert left_by(["doctor", deaf(alive), "--game", "connect4"], how, alive) == ""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_arena_takes_its_bots_along(alive, how):
    assert left_by(["arena", deaf(alive), "hangs.py", "--game", "connect4"], how, alive) == ""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_arena_in_process_takes_its_processes_along(alive, how):
    words = ["arena", "hangs.py", "hangs.py", "--game", "connect4", "--in-process", "--jobs", "2"]
    assert left_by(words, how, alive) == ""


@pytest.mark.parametrize("how", SIGNALS)
def test_what_is_tied_to_a_process_ends_with_it_and_with_its_own_children(alive, how):
    script = (
        "import subprocess, sys, threading; from palestra_client.tied import Tied; "
        "tied = Tied(); subprocess.Popen(sys.argv[1:], process_group=tied.group); threading.Event().wait()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, *deaf(alive).split()],
        start_new_session=True,
        preexec_fn=with_all_signals,
        stderr=subprocess.DEVNULL,
    )
    with alive.open() as pipe:
        holder.send_signal(how)
        assert pipe.read() == ""
    holder.wait()


def test_what_is_killed_leaves_no_guard(alive):
    tied = Tied()
    program = subprocess.Popen(deaf(alive).split(), process_group=tied.group)
    guard = tied._guard
    with alive.open() as pipe:
        tied.kill(program.pid)
        tied.kill(program.pid)
        assert pipe.read() == ""
    program.wait()
    assert guard.returncode == -signal.SIGKILL


def test_a_process_of_ours_ends_when_its_standard_input_does():
    """As where there is no guard."""
    script = (
        "import sys, threading; from palestra_client.tied import end_with_parent\n"
        "end_with_parent(lambda: print('last', flush=True))\n"
        "print(sys.stdin.read() + 'ready', flush=True); threading.Event().wait()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "ready\n"
    said, _ = child.communicate()
    assert (said, child.returncode) == ("last\n", 1)
