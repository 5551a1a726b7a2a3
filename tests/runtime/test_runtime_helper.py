"""A process that helps: it answers, it is killed when it does not, and it leaves nothing behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest

from palestra_server import helper
from palestra_server.helper import Helper
from palestra_server.runtime import drawing, pairing
from palestra_server.tables import TablesApart, make
from palestra_tournament import Entrant, Round, begin, pair_round, parse_spec

MODULE = """
import json, os, sys, threading
for line in sys.stdin:
    asked = json.loads(line)
    if asked == "never":
        threading.Event().wait()
    print(json.dumps([asked, os.getpid()]), flush=True)
"""


@pytest.fixture
def echo(tmp_path, monkeypatch):
    (tmp_path / "echo_of_a_test.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    echo = Helper("echo_of_a_test")
    yield echo
    echo.end()


def say(echo, what):
    return json.loads(
        echo.ask(lambda file: file.write(json.dumps(what).encode() + b"\n"), lambda file: file.readline())
    )


def test_one_process_answers_all_until_it_is_ended(echo):
    first = say(echo, "a")
    assert say(echo, "b") == ["b", first[1]]
    process = echo._process
    echo.end()
    assert process.poll() is not None
    again = say(echo, "c")
    assert again[0] == "c"
    assert again[1] != first[1]


def test_one_that_takes_too_long_is_killed(echo, monkeypatch):
    monkeypatch.setattr(helper, "LONGEST_S", 0.01)
    with pytest.raises(ValueError, match="Expecting value"):
        say(echo, "never")
    process = echo._process
    echo.end()
    assert process.poll() is not None


def test_what_stops_the_server_is_not_for_its_helper(echo):
    """Ctrl-C, a terminal that closes and service managers signal every process."""
    before = say(echo, "a")
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        os.kill(before[1], number)
    assert say(echo, "b") == ["b", before[1]]


ASKS = """
import threading
from palestra_server.helper import Helper
held = Helper("held_of_a_test")
held.ask(lambda file: file.write(b"a\\n"), lambda file: file.readline())
print("asked", flush=True)
threading.Event().wait()
"""


def test_it_ends_with_a_server_that_is_killed(tmp_path, monkeypatch):
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    holds = f"import sys\nheld = open({str(fifo)!r}, 'w')\nfor line in sys.stdin:\n    print(line, flush=True)"
    (tmp_path / "held_of_a_test.py").write_text(holds)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    asks = subprocess.Popen([sys.executable, "-c", ASKS], stdout=subprocess.PIPE, text=True)
    with asks as server, fifo.open() as held:
        assert server.stdout.readline() == "asked\n"
        server.kill()
        assert held.read() == "", "its end is the end of the process that held it"


def test_one_that_was_closed_answers_by_exceptions(echo):
    say(echo, "a")
    echo.close()
    echo._process.wait()
    for what in ("b", "never"):
        with pytest.raises((OSError, ValueError)):
            say(echo, what)
        echo.end()


@pytest.fixture
def babble(tmp_path, monkeypatch):
    """`babble(said)`: the processes of this program say that, whatever they are asked."""

    def babble(said):
        (tmp_path / "babble_of_a_test.py").write_text(f"print({said!r}, flush=True); input()")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return Helper("babble_of_a_test")

    return babble


@pytest.mark.parametrize("said", ["5", "{}", '{"pairs": [1], "idle": null}', "hello"])
def test_what_is_no_answer_is_worked_out_here(babble, monkeypatch, said):
    monkeypatch.setattr(pairing, "HERE", 1)
    of = Round(1, 1, 0, ("ana", "bob"), (0, 0), None, (0, 0), ())
    with pairing.PairingApart() as pair:
        pair._helper = babble(said)
        assert pair(of) == pair_round(of)
    t = begin(
        parse_spec('name = "cup"\ngames = ["connect4"]\nformat = "round-robin"'), [Entrant("ana"), Entrant("bob")], 1, 0
    )[0]
    tables = TablesApart()
    tables._helper = babble(said)
    assert tables("cup", "standings", t, True) == make("standings", t, True)
    tables.end()


SAYS_THAT_IT_WAS_ASKED = """
import sys, threading
sys.stdin.readline()
open({!r}, "w").close()
threading.Event().wait()
"""


async def test_a_round_being_drawn_keeps_nobody_from_stopping(tmp_path, monkeypatch):
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    (tmp_path / "never_of_a_test.py").write_text(SAYS_THAT_IT_WAS_ASKED.format(str(asked)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(pairing, "HERE", 1)
    never = Helper("never_of_a_test")
    monkeypatch.setattr(pairing, "Helper", lambda _: never)
    here = []
    monkeypatch.setattr(pairing, "pair_round", here.append)
    of = Round(1, 1, 0, ("ana", "bob"), (0, 0), None, (0, 0), ())
    drawn = drawing.Drawing("cup", here.append, lambda: here.append("stuck"))
    drawn.begin(lambda pair: pair(of), None)
    await asyncio.to_thread(asked.read_bytes)
    drawn.close()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert here == []
