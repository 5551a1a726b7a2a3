"""The course's interface, word by word."""

from __future__ import annotations

import pytest

from palestra_client import Match, Result
from palestra_client.bridge import CourseMancala
from palestra_client.bridge.dialect import NO_ACTION, ProgramFailed

MATCH = Match("M1", "mancala", 1, ("ana", "ben"), 2.0, 0.1, 30.0, 10.0)


def test_a_match_begins_and_ends_as_in_the_course(scripted):
    talk = scripted("PONG", "ants", "OK", "OK", "OK")
    program = CourseMancala()
    program.start(talk, MATCH)
    program.end(talk, Result(MATCH, (1.0, -1.0), "rules", "", 9))
    assert talk.said == ["PING", "GETNAME", "TIMEOUT", "1950", "SETPLAYER", "1", "END"]
    assert talk.told == []


def test_the_example_of_the_course(scripted, after):
    # Seat 0 sowed pits 4 and 1, seat 1 its pits 5 and 1.
    talk = scripted("OK", "PONG", "4")
    assert CourseMancala().ask(talk, after("mancala", (3, 0, 4, 0), 0)) == 3
    assert talk.said[-2:] == ["GETMOVE", "2 5 1 0 2 0 5 6 1 5 5 2 0 5 6 6 0 5"]


def test_in_an_extra_turn_the_opponent_has_done_nothing(scripted, after):
    talk = scripted("OK", "PONG", "1")
    CourseMancala().ask(talk, after("mancala", (3,), 0))
    assert talk.said[-1] == "0 0 1 5 5 5 0 4 4 0 4 4 4 4 4 4"


@pytest.mark.parametrize(
    ("answers", "action"),
    [
        (["4"], 3),
        (["OK", "4"], 3),
        (["+4"], 3),
        (["4.0"], 3),
        (["I think", "of much", "6"], 5),
        (["0"], NO_ACTION),
        (["7"], NO_ACTION),
        (["-1"], NO_ACTION),
        (["99999999999999999999"], NO_ACTION),
        (["four"], NO_ACTION),
        (["4 5"], NO_ACTION),
    ],
)
def test_answers_are_taken_as_they_come(scripted, after, answers, action):
    talk = scripted(*answers)
    program = CourseMancala()
    program._told_ms = 1950
    turn = after("mancala", (), 0)
    assert program.ask(talk, turn) == action
    assert turn.reported.get("text") == (f"answered {answers[0]!r}" if action == NO_ACTION else None)
    assert bool(talk.told) == (action == NO_ACTION or len(answers) == 3)


@pytest.mark.parametrize("again", [["PONG"], ["2", "PONG"], ["OK", "2", "pong"]])
def test_less_time_is_said_before_the_move(scripted, after, again):
    talk = scripted("PONG", "ants", "OK", "OK", *again, "3")
    program = CourseMancala()
    program.start(talk, MATCH)
    assert program.ask(talk, after("mancala", (2,), 1, remaining_s=1.0)) == 2, "a 2 answers TIMEOUT"
    assert talk.said[6:10] == ["TIMEOUT", "950", "PING", "GETMOVE"]


def test_a_program_that_speaks_unasked_is_pinged_before_each_move(scripted, after):
    # Its second guess arrives after the turn has begun: only what follows the PONG is an answer.
    talk = scripted("PONG", "ants", "OK", "ants", "OK", "1", "PONG", "3")
    program = CourseMancala()
    program.start(talk, MATCH)
    assert program.ask(talk, after("mancala", (2,), 1)) == 2
    assert talk.said[6:8] == ["PING", "GETMOVE"]


def test_a_program_that_does_not_answer_ping_is_pinged_once(scripted, after):
    talk = scripted("PONG", "ants", "OK", "ants", "OK", None, "3", "4")
    program = CourseMancala()
    program.start(talk, MATCH)
    assert [program.ask(talk, after("mancala", (2,), 1)) for _ in range(2)] == [2, 3]
    assert talk.said.count("PING") == 2, "one in start()"


@pytest.mark.parametrize("late", [["2", "PONG", "3"], ["OK", "PONG", "3"], ["3", None], ["OK", "3", None]])
def test_a_late_answer_to_the_time_is_not_the_move(scripted, after, late):
    talk = scripted("PONG", "ants", "OK", "OK", None, *late)
    program = CourseMancala()
    program.start(talk, MATCH)
    assert program.ask(talk, after("mancala", (2,), 1, remaining_s=1.0)) == 2
    assert talk.said[6:10] == ["TIMEOUT", "950", "PING", "GETMOVE"]


def test_silence_where_an_answer_is_needed_fails(scripted, after):
    with pytest.raises(ProgramFailed):
        CourseMancala().start(scripted("hello"), MATCH)
    with pytest.raises(ProgramFailed):
        CourseMancala().ask(scripted("OK"), after("mancala", (), 0))


def test_another_game_is_refused_in_one_sentence(scripted):
    with pytest.raises(ProgramFailed, match="can't play connect4, only mancala"):
        CourseMancala().start(scripted(), Match("M1", "connect4", 0, ("a", "b"), 2.0, 0.1, 30.0, 10.0))


def test_a_match_that_was_joined_in_the_middle_has_the_last_move_alone(scripted, after):
    talk = scripted("OK", "PONG", "1")
    CourseMancala().ask(talk, after("mancala", (3, 0, 4, 0), 0, known=False))
    assert talk.said[-1].startswith("0 0 2 0 5")
