"""What is shown and kept of an exception in a bot, and playing it again."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from palestra_client import Bot, LastMove, Match, Turn, crashes, traces
from palestra_client.choices import BadChoice
from palestra_client.turn import Deadline
from palestra_games import get_game

MATCH = Match("M/1: x", "connect4", 0, ("ana", "böb"), 1.5, 0.1, 30.0, 10.0, opening=(3,), tournament="T")


def new_turn():
    state = get_game("connect4").initial_state().apply(3).apply(3)
    last = LastMove(1, 1, 3, "PUT 4", 0.25)
    return Turn(
        MATCH,
        state,
        ply=2,
        legal=state.legal_actions(),
        last=last,
        deadline=Deadline(2.0),
        clock=lambda: 0.0,
    )


def raised(source):
    """The exception that a student's `choose` (as source, in student.py) raises."""
    names = {}
    exec(compile(dedent(source), "student.py", "exec"), names)  # noqa: S102
    try:
        names["choose"](new_turn())
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_report_has_the_students_frames_only():
    error = raised(
        """
        def helper(turn):
            return turn.state.apply(99)

        def choose(turn):
            return helper(turn)
        """
    )
    text = traces.report(error)
    assert 'File "student.py", line 6, in choose' in text
    assert 'File "student.py", line 3, in helper' in text
    assert "palestra_games/" not in text
    assert text.splitlines()[-1].startswith("palestra_games.interface.IllegalAction: Action 99 is not legal")


def test_what_led_to_an_exception_is_shown_too():
    error = raised(
        """
        def choose(turn):
            try:
                turn.state.apply(99)
            except ValueError as error:
                raise KeyError("no move") from error
        """
    )
    text = traces.report(error)
    assert "The above exception was the direct cause" in text
    assert "palestra_games/" not in text


def test_an_endless_recursion_is_cut():
    error = raised(
        """
        def ping(n): return pong(n + 1)
        def pong(n): return ping(n + 1)
        def choose(turn): return ping(0)
        """
    )
    text = traces.report(error)
    assert "RecursionError" in text
    assert len(text.splitlines()) < 100
    assert "in choose" in text


def test_a_choice_that_is_none_has_no_traceback():
    assert traces.report(BadChoice("choose returned 'x'")) == "choose returned 'x'"


def test_a_crash_is_saved_and_read_back(tmp_path):
    turn = new_turn()
    path = crashes.save(tmp_path / "a" / "b", "choose", KeyError("x"), MATCH, turn)
    assert path.name.endswith("-M_1__x-ply2.json")
    again = crashes.save(tmp_path / "a" / "b", "choose", KeyError("x"), MATCH, turn)
    assert again != path, "two in the same second"
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["board"] == str(turn.state).splitlines()
    crash = crashes.load(path)
    assert (crash.where, crash.error, crash.match) == ("choose", "KeyError: 'x'", MATCH)
    assert (crash.turn.state, crash.turn.ply, crash.turn.legal) == (turn.state, turn.ply, turn.legal)
    assert crash.turn.last == turn.last


def test_the_replay_runs_choose_on_exactly_that_position(tmp_path):
    seen = []

    class Again(Bot):
        def warm_up(self, game):
            seen.append(game.name)

        def on_start(self, match):
            seen.append(match)

        def choose(self, turn):
            seen.append((turn.state, turn.ply, turn.legal, turn.last, turn.seat, turn.remaining_s))
            if len(seen) == 3:
                raise ZeroDivisionError("again")
            return 5

    turn = new_turn()
    crash = crashes.load(crashes.save(tmp_path, "choose", KeyError("x"), MATCH, turn))
    replay = crashes.replay(crash, Again, clock=lambda: 7.0)
    assert seen == ["connect4", MATCH, (turn.state, 2, turn.legal, turn.last, 0, 1.5)]
    assert (replay.where, type(replay.error)) == ("choose", ZeroDivisionError)
    replay = crashes.replay(crash, Again, clock=lambda: 7.0)
    assert (replay.error, replay.action, replay.took_s) == (None, 5, 0.0)


def test_a_crash_before_the_first_turn_is_replayed_up_to_there(tmp_path):
    class Fails(Bot):
        def warm_up(self, game):
            raise OSError(game.name)

        def choose(self, turn):
            return turn.legal[0]

    class Works(Bot):
        def choose(self, turn):
            raise AssertionError(turn)

    path = crashes.save(tmp_path, "warm_up", OSError("x"), MATCH, None)
    assert path.name.endswith("-start.json")
    crash = crashes.load(path)
    assert crashes.replay(crash, Fails).where == "warm_up"
    replay = crashes.replay(crash, Works)
    assert (replay.error, replay.action) == (None, None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not JSON"),
        ("[1]", "not a crash file"),
        ('{"palestra_crash": 99}', "not a crash file of this version"),
        ('{"palestra_crash": 1}', "can't be replayed"),
        (
            '{"palestra_crash": 1, "where": "choose", "error": "x", "match": {"id": 3}}',
            "its match.id is missing",
        ),
    ],
)
def test_a_file_that_is_no_crash_is_refused_in_a_sentence(tmp_path, text, says):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(crashes.NotACrash, match=says):
        crashes.load(path)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(crashes.NotACrash, match="can't be read"):
        crashes.load(tmp_path / "none.json")


def test_a_damaged_position_is_refused(tmp_path):
    path = crashes.save(tmp_path, "choose", KeyError("x"), MATCH, new_turn())
    content = json.loads(path.read_text())
    content["turn"]["state"]["cells"][0] = 7
    path.write_text(json.dumps(content))
    with pytest.raises(crashes.NotACrash, match="can't be replayed"):
        crashes.load(path)
