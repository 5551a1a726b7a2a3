"""Programs written for the course's simulator, with all their habits, play here as they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.compiled import compiled
from tests.support.players import RawPlayer

PROGRAMS = Path(__file__).parent / "programs"
ALL = sorted(path.name for path in PROGRAMS.iterdir() if path.suffix in (".cpp", ".py"))
GRUMBLES = {"sloppy.py", "quirky.cpp"}
"""Whose lines the person at the terminal is told of, as they are none of the interface."""


@pytest.fixture
def command(tmp_path_factory):
    """How a program is started, compiled if need be."""

    def built(name):
        source = PROGRAMS / name
        if source.suffix == ".py":
            return [sys.executable, str(source)]
        if shutil.which("c++") is None:
            pytest.skip("no C++ compiler: install g++ or clang")
        return [str(compiled(tmp_path_factory, "c++", "-std=c++17", source, out=f"course_{source.stem}"))]

    return built


def test_there_are_programs_of_both_languages():
    assert {"scanner.cpp", "early.cpp", "quirky.cpp", "parrot.py", "sloppy.py", "strict.py", "tidy.py"} <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_each_plays_whole_matches_over_the_wire_from_both_seats(server, tmp_path, command, name):
    words = ["--course-mancala", "--server", server.url, "--name", name, "--", *command(name)]
    with (tmp_path / "errors").open("w") as errors:
        bridge = subprocess.Popen(
            [sys.executable, "-m", "palestra_client", "bridge", *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    ends = []
    try:
        assert "Connected" in bridge.stdout.readline()
        with RawPlayer(server.url, f"opponent-of-{name}") as opponent:
            for seat in (0, 1):
                opponent.challenge(name, "mancala", seat=seat)
                opponent.ready()
                end, _ = opponent.play()
                ends.append((end["reason"], end["ply"] > 10))
                if end["reason"] != "rules":
                    break  # the line below would never come
                assert any("(by the rules)" in line for line in iter(bridge.stdout.readline, ""))
    finally:
        bridge.terminate()
        bridge.communicate()
    told = (tmp_path / "errors").read_text()
    assert ends == [("rules", True)] * 2, told
    assert ("expected" in told) == (name in GRUMBLES), told
    assert max(map(len, told.splitlines()), default=0) < 500, "parrot writes 80,000 characters for a move"
