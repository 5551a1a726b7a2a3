"""Finding the bot that a command line names, and handing it its options."""

from __future__ import annotations

import random
import sys
from textwrap import dedent

import pytest

from palestra_client import Bot
from palestra_client.factories import NoBot, check_factory
from palestra_client.loading import load_factory
from palestra_client.options import BadOption, bind, read_options

BOT = """
from palestra_client import Bot
class MyBot(Bot):
    def choose(self, turn):
        return turn.legal[0]
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file and returns its path; modules and paths of the test are forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)

    def write_file(name, text=BOT):
        path = tmp_path / name
        path.write_text(dedent(text))
        return str(path)

    yield write_file
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_file_with_one_bot_needs_no_name(write):
    factory = load_factory(write("mybot.py"))
    assert factory.__name__ == "MyBot"
    assert isinstance(factory(), Bot)


def test_a_name_may_be_a_class_or_a_function(write):
    file = write("mybot.py", BOT + "\nclass Other(MyBot): pass\ndef make():\n    return Other()\n")
    assert load_factory(f"{file}:Other").__name__ == "Other"
    assert type(load_factory(f"{file}:make")()).__name__ == "Other"


@pytest.mark.parametrize("name", ["random.py", "client.py", "json.py", "palestra_client.py", "bot.py", "typing.py"])
def test_a_file_may_be_called_like_a_module(write, name):
    factory = load_factory(write(name, BOT + "\nimport random\nDRAW = random.random()\n"))
    assert isinstance(factory(), Bot)
    assert sys.modules["random"] is random


def test_its_neighbours_can_be_imported(write):
    write("heuristics.py", "WEIGHT = 7")
    factory = load_factory(write("mybot.py", "import heuristics\n" + BOT + "    weight = heuristics.WEIGHT\n"))
    assert factory.weight == 7


def test_dataclasses_find_their_module(write):
    text = """
    from __future__ import annotations
    from dataclasses import dataclass
    from typing import ClassVar
    @dataclass
    class Note:
        best: ClassVar[int] = 1
    """
    assert load_factory(write("mybot.py", dedent(text) + BOT))


def test_modules_are_found_from_the_current_folder(write):
    write("mymodule.py")
    assert load_factory("mymodule").__name__ == "MyBot"
    assert load_factory("mymodule:MyBot").__name__ == "MyBot"


def test_run_at_the_end_of_the_file_does_not_run(write):
    file = write("mybot.py", BOT + "\nfrom palestra_client import run\nrun(MyBot, server='ftp://nowhere')\n")
    assert load_factory(file)


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("x = 1", "", "has no bot"),
        ("from palestra_client import Bot", "", "has no bot"),
        ("class A:\n    def choose(self, turn): ...", "", "write `class A(Bot):`"),
        (BOT + "class Two(MyBot): pass", "", "several bots (MyBot, Two)"),
        ("from palestra_client import Bot\nclass A(Bot): pass", "", "A has no choose(self, turn)"),
        ("from palestra_client import Bot\nclass A(Bot): pass", ":A", "A has no choose(self, turn)"),
        (BOT, ":MyBott", "Did you mean MyBot?"),
        (BOT, ":Bot2", "has no bot called Bot2"),
        (BOT + "class X: pass", ":X", "write `class X(Bot):`"),
        (BOT + "size = 3", ":size", "3 makes no bots"),
        (BOT + "async def make(): return MyBot()", ":make", "not `async def`"),
        (BOT + "one = MyBot()", ":one", "give its class, MyBot without ()"),
        (BOT.replace("def choose", "async def choose"), "", "not `async def`"),
        ("def f(:\n  pass", "", "line 1"),
        ("import nonsense_that_is_not_there", "", "No module named 'nonsense_that_is_not_there'"),
        ("import nonsense_that_is_not_there.part", "", "-m pip install nonsense_that_is_not_there"),
        ("def f():\n    return 1 / 0\nf()", "", "line 2, in f"),
        ("import sys\nsys.exit(3)", "", "ended the program"),
    ],
)
def test_says_what_is_wrong_with_a_file(write, text, name, says):
    with pytest.raises(NoBot) as caught:
        load_factory(write("mybot.py", text) + name)
    assert says in str(caught.value)
    assert "palestra_client/" not in str(caught.value), "no frame of ours"
    assert "importlib" not in str(caught.value)


def test_a_slip_in_the_name_of_a_file_is_guessed(write):
    write("mybot.py")
    with pytest.raises(NoBot, match=r"Did you mean mybot\.py\?"):
        load_factory("mybotx.py")


def test_the_reference_bots_are_said_to_be_a_package_of_their_own(monkeypatch):
    monkeypatch.delitem(sys.modules, "palestra_bots", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(NoBot, match="It is in palestra-bots: install that as you did palestra-client"):
        load_factory("palestra_bots:mtdf")


def test_a_module_that_is_not_there_is_said(write):
    write("other.py")
    with pytest.raises(NoBot, match="no module 'no_such_module'"):
        load_factory("no_such_module")
    write("broken.py", "1 / 0")
    with pytest.raises(NoBot, match=r"(?s)broken.part can't be loaded.*line 1, in <module>") as caught:
        load_factory("broken.part")
    assert "importlib" not in str(caught.value)
    with pytest.raises(NoBot, match=r"No module named 'other\.part'"):
        load_factory("other.part")
    with pytest.raises(NoBot, match="name the bot first"):
        load_factory("--depth")


class Tuned(Bot):
    def __init__(self, depth: int = 4, margin: float = 0.1, table=None, *, quiet: bool = False):
        self.given = (depth, margin, table, quiet)

    def choose(self, turn):
        return turn.legal[0]


def test_options_are_read_as_the_kind_they_have():
    words = ["--depth", "8", "--margin=1", "--table", "big", "--quiet"]
    assert bind(Tuned, read_options(words))().given == (8, 1.0, "big", True)
    assert bind(Tuned, read_options(["--table", "64", "--quiet", "no"]))().given == (4, 0.1, 64, False)
    assert bind(Tuned, {}) is Tuned


def test_options_reach_a_function_that_takes_any():
    def make(**options):
        return Tuned(**options)

    assert bind(make, read_options(["--depth", "-3", "--table", "0.5"]))().given == (-3, 0.1, 0.5, False)


def test_dashes_are_underscores():
    def make(move_margin=0):
        return Tuned(depth=move_margin)

    assert bind(make, read_options(["--move-margin", "9"]))().given[0] == 9


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--dept", "8"], "Did you mean --depth?"),
        (["--sever", "x"], "Did you mean --server?"),
        (["--depth", "deep"], "must be a whole number"),
        (["--depth"], "needs a value"),
        (["--quiet", "perhaps"], "yes or no"),
        (["8"], "one word too many"),
        (["--depth", "8", "9"], "one word too many"),
    ],
)
def test_says_what_is_wrong_with_an_option(words, says):
    with pytest.raises(BadOption) as caught:
        bind(Tuned, read_options(words))
    assert says in str(caught.value)


def test_a_missing_option_is_said():
    def make(depth):
        return Tuned(depth)

    with pytest.raises(BadOption, match="make needs the option --depth"):
        bind(make, {})


def test_a_choose_that_does_not_take_the_turn_is_refused():
    class Two(Bot):
        def choose(self, state, legal):  # noqa: ARG002
            return legal[0]

    with pytest.raises(NoBot, match=r"^Two .* write `def choose\(self, turn\):`"):
        check_factory(Two)

    class More(Bot):
        def choose(self, turn, depth=4):  # noqa: ARG002
            return turn.legal[0]

    class Static(Bot):
        @staticmethod
        def choose(turn):
            return turn.legal[0]

    check_factory(More)
    check_factory(Static)
