"""A process that helps: it answers, it is killed when it does not, and it leaves nothing behind."""

import json

import pytest

from palestra_server import helper
from palestra_server.helper import Helper

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


def test_one_that_was_killed_is_told_by_an_exception(echo):
    say(echo, "a")
    echo.kill()
    echo._process.wait()
    with pytest.raises((OSError, ValueError)):
        say(echo, "b")
