"""The protocol of lines: what LINES.md says is what is spoken."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import palestra_client.bridge.lines
from palestra_client import Match, Result
from palestra_client.bridge import Lines
from palestra_client.bridge.dialect import NO_ACTION, ProgramFailed
from palestra_client.bridge.lines import position
from palestra_games import game_names, get_game

PAGE = (Path(__file__).parents[2] / "protocol" / "LINES.md").read_text()
TRANSCRIPTS = re.findall(r"```transcript (\S+) (\d)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("game", "seat", "text"), TRANSCRIPTS, ids=[game for game, _, _ in TRANSCRIPTS])
def test_the_transcripts_of_the_page(scripted, after, game, seat, text):
    lines = text.splitlines()
    talk = scripted(*(line[2:] for line in lines if line[0] == ">"))
    program = Lines()
    match = Match("M1", game, int(seat), ("ana", "ana"), 2.0, 0.1, 30.0, 10.0)
    program.start(talk, match)
    for moves in re.findall(r"^< moves(.*)$", text, re.MULTILINE):
        turn = after(game, tuple(map(int, moves.split())), int(seat))
        assert program.ask(talk, turn) in turn.legal
    won = "end win" in text
    program.end(talk, Result(match, (1.0, -1.0) if won == (seat == "0") else (-1.0, 1.0), "rules", "", 9))
    assert talk.said == [line[2:] for line in lines if line[0] == "<"]
    assert talk.answers == talk.told == []


def test_the_bot_of_the_page_is_compiled_and_moves(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: install gcc or clang")
    (source,) = re.findall(r"```c\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "bot.c").write_text(source)
    subprocess.run(["cc", "-o", tmp_path / "bot", tmp_path / "bot.c"], check=True)
    lines = "palestra 1\nstart\nposition x\nlegal 4\ngo 1950\nend win rules\n"
    done = subprocess.run([tmp_path / "bot"], input=lines, capture_output=True, text=True, check=True)
    assert done.stdout == "ready\nmove 4\n"


@pytest.mark.parametrize(
    ("answers", "action", "told"),
    [
        (["move 3"], 3, False),
        (["3"], 3, False),
        (["MOVE  3"], 3, False),
        (["move put 4"], 3, False),
        (["info depth x value", "info", "move 3"], 3, False),
        (["thinking", "still", "move 3"], 3, True),
        (["move 99999999999999"], NO_ACTION, False),
        (["move -1"], NO_ACTION, False),
        (["move 300"], NO_ACTION, False),
        (["move left"], NO_ACTION, True),
        (["move"], NO_ACTION, True),
    ],
)
def test_answers_are_taken_as_they_come(scripted, after, answers, action, told):
    talk = scripted(*answers)
    assert Lines().ask(talk, after("connect4", (), 0)) == action
    assert len(talk.told) == told


def test_a_report_that_makes_no_sense_is_left_out(scripted, after):
    turn = after("connect4", (), 0)
    Lines().ask(scripted("info depth deep nodes 5 value 1e3 pv a b text  pv is a word", "info nodes 7", "move 3"), turn)
    assert turn.reported == {"nodes": 7, "value": 1000.0, "text": "pv is a word"}


def test_a_note_is_the_rest_of_its_line(scripted, after):
    turn = after("connect4", (), 0)
    talk = scripted("note four in a row, soon", "move 3")
    Lines().ask(talk, turn)
    assert (turn.reported, talk.told) == ({"note": "four in a row, soon"}, [])


def test_unknown_moves_are_left_out(scripted, after):
    talk = scripted("0")
    Lines().ask(talk, after("connect4", (3,), 1, known=False))
    assert [line.split()[0] for line in talk.said] == ["position", "legal", "go"]


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_a_position_of_one_line(game):
    words = position(get_game(game).initial_state()).split()
    assert words[0] == "0"
    assert len(words) == {"mancala": 15, "desconecta4": 3}.get(game, 2)


def test_a_game_of_another_form_is_written_as_json():
    class Heaps:
        to_move = 1

        def to_wire(self):
            return {"heaps": [3, 4]}

    assert palestra_client.bridge.lines.position(Heaps()) == '1 {"heaps":[3,4]}'


def test_a_game_of_somebody_elses_is_json_whatever_its_keys_are_called():
    class Chess:
        to_move = 0

        def to_wire(self):
            return {"rows": 1, "cols": 2, "cells": ["rook", "pawn"]}

    assert palestra_client.bridge.lines.position(Chess()) == '0 {"rows":1,"cols":2,"cells":["rook","pawn"]}'


@pytest.mark.parametrize("game", ["mancala", "connect4"])
def test_a_program_that_never_gets_ready_may_speak_the_course_interface(scripted, game):
    talk = scripted("OK", "OK")
    with pytest.raises(ProgramFailed) as failed:
        Lines().start(talk, Match("M1", game, 0, ("ana", "bob"), 2.0, 0.1, 30.0, 10.0))
    assert ("course-mancala:PROGRAM" in str(failed.value)) == (game == "mancala")
