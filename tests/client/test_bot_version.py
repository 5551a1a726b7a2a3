"""Which version of a bot plays, by itself: git, or a hash of what was loaded."""

import subprocess
from functools import partial

import pytest

from palestra_client.bot_version import version_of_bot, version_of_program
from palestra_client.joining import CannotPlay, Options, settings
from palestra_client.loading import load_factory

BOT = "import {}\nfrom palestra_client import Bot\nclass MyBot(Bot):\n    def choose(self, turn):\n        return {}\n"

pytestmark = pytest.mark.process  # it asks git


def git(folder, *words):
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


@pytest.fixture
def write(tmp_path):
    def written(name, answer=0, helper="json"):
        file = tmp_path / f"{name}.py"
        file.write_text(BOT.format(helper, answer))
        return load_factory(str(file))

    return written


def test_without_git_a_version_is_what_the_program_is(write):
    first = version_of_bot(write("one"))
    assert len(first) == 10
    assert version_of_bot(write("one")) == first
    assert version_of_bot(write("one", answer=1)) != first
    assert version_of_bot(partial(write("one"), depth=8)) != first


def test_a_module_beside_the_bot_is_part_of_it(write, tmp_path):
    helper = tmp_path / "beside_the_bot.py"
    helper.write_text("X = 1\n")
    bot = write("two", helper="beside_the_bot")
    first = version_of_bot(bot)
    helper.write_text("X = 2\n")
    assert version_of_bot(bot) != first


def test_git_knows_better(write, tmp_path):
    bot = write("three")
    git(tmp_path, "init")
    assert len(version_of_bot(bot)) == 10, "git knows nothing of this file"
    git(tmp_path, "add", "three.py")
    git(tmp_path, "commit", "-m", "one")
    git(tmp_path, "tag", "v1")
    assert version_of_bot(bot) == "v1"
    dirty = version_of_bot(write("three", answer=1))
    assert dirty.startswith("v1+")
    assert dirty != version_of_bot(write("three", answer=2))


def test_a_program_is_the_files_that_its_command_names(tmp_path):
    file = tmp_path / "bot.lua"
    file.write_text("print(1)")
    first = version_of_program(["lua", str(file)])
    assert len(first) == 10
    assert version_of_program(["lua", str(file), "--deep"]) != first
    assert version_of_program(["no-such-interpreter", "-c", "x"]) == ""


@pytest.mark.parametrize("version", ["ñ", "x" * 41, "a\tb"])
def test_a_version_that_cannot_be_sent_is_refused_in_a_sentence(version):
    with pytest.raises(CannotPlay, match="--version takes up to 40 characters"):
        settings(Options(name="ana", version=version))
