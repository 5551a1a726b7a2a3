"""`breakpoint()` in a bot's `choose`, with and without a clock; and the challenge that has none."""

import io
import sys

import pytest

from palestra_client import Bot
from palestra_client.debugging import NO_CLOCK_S, asked, breakpoints
from palestra_client.joining import CannotPlay, Options, settings
from palestra_client.practice import turn_after


class Stopping(Bot):
    def choose(self, turn):
        breakpoint()  # noqa: T100
        return turn.legal[0]


@pytest.fixture
def a_turn():
    def a_turn(move_s):
        turn = turn_after("connect4", (3, 3), move_s=move_s)
        asked.set(turn)
        return turn

    yield a_turn
    asked.set(None)


def test_while_the_clock_runs_it_says_once_where_to_stop(a_turn, monkeypatch):
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    said = []
    turn, bot = a_turn(2.0), Stopping()
    before = sys.breakpointhook
    with breakpoints("ws://host:8765/play", "mybot.py", io.StringIO(), said.append):
        assert [bot.choose(turn), bot.choose(turn)] == [0, 0]
    assert sys.breakpointhook is before
    (sentence,) = said
    assert "line 16 of test_debugging.py does not stop" in sentence
    assert "palestra replay practice --ply 2 --server ws://host:8765/play --bot mybot.py" in sentence
    assert "--game connect4 --no-clock" in sentence


def test_without_a_clock_it_stops_in_the_bots_own_line(a_turn, monkeypatch):
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO("p turn.ply * 21\ncontinue\n"))
    terminal, said = io.StringIO(), []
    with breakpoints("ws://host:8765/play", "mybot.py", terminal, said.append):
        assert Stopping().choose(a_turn(NO_CLOCK_S)) == 0
    assert said == []
    assert "42" in terminal.getvalue()
    assert "test_debugging.py(17)choose()" in terminal.getvalue()


def test_a_challenge_without_a_clock_gives_its_own_seat_an_hour_a_move_and_is_not_rated():
    wanted = {"name": "ana", "challenge": "level3", "game": "connect4", "no_clock": True}
    for seat, budgets in (None, (3_600_000, None)), (0, (3_600_000, None)), (1, (None, 3_600_000)):
        challenge = settings(Options(seat=seat, **wanted)).challenge
        assert (challenge.seat, challenge.seat_ms, challenge.rated) == (seat or 0, budgets, False)
    with pytest.raises(CannotPlay, match="--no-clock are for a challenge"):
        settings(Options(name="ana", no_clock=True))
