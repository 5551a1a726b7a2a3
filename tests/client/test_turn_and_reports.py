"""The turn a bot sees, and what becomes of what it reports."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_client import Match, Result, Turn
from palestra_client.choices import BadChoice, as_action
from palestra_client.reports import to_info, to_note
from palestra_client.turn import Deadline
from palestra_games import get_game
from palestra_protocol import limits
from palestra_protocol.codecs import MSGPACK
from palestra_protocol.messages import Action, Info

MATCH = Match("M1", "connect4", 1, ("ana", "bob"), 2.0, 0.1, 30.0, 10.0)


def new_turn(deadline=None, clock=lambda: 0.0):
    state = get_game("connect4").initial_state()
    return Turn(
        MATCH, state, ply=0, legal=state.legal_actions(), last=None, deadline=deadline or Deadline(2.0), clock=clock
    )


def test_remaining_time_counts_down_and_stops_at_zero():
    now = [10.0]
    deadline = Deadline(12.0)
    turn = new_turn(deadline, lambda: now[0])
    assert turn.remaining_s == 2.0
    now[0] = 11.5
    assert turn.remaining_s == 0.5
    now[0] = 13.0
    assert turn.remaining_s == 0.0
    deadline.at = 20.0
    assert turn.remaining_s == 7.0
    deadline.at = -math.inf
    assert turn.remaining_s == 0.0


def test_a_turn_knows_its_seat_and_match():
    turn = new_turn()
    assert (turn.seat, turn.match.opponent) == (1, "ana")


@pytest.mark.parametrize(
    ("returns", "reason", "won", "lost", "drawn"),
    [
        ((1.0, -1.0), "rules", False, True, False),
        ((-1.0, 1.0), "timeout", True, False, False),
        ((0.0, 0.0), "ply_limit", False, False, True),
        ((0.0, 0.0), "void", False, False, False),
        ((0.0, 0.0), "not_ready", False, False, False),
        ((1.0, -1.0), "not_ready", False, True, False),
    ],
)
def test_a_result_is_seen_from_this_players_seat(returns, reason, won, lost, drawn):
    result = Result(MATCH, returns, reason, "", 9)
    assert (result.won, result.lost, result.drawn) == (won, lost, drawn)


def test_nothing_reported_is_no_info():
    assert to_info(new_turn().reported) is None


def test_the_last_report_of_each_thing_counts():
    turn = new_turn()
    turn.report(depth=3, nodes=100, value=0.5)
    line = [1, 2]
    turn.report(depth=np.int64(4), pv=line, text="hm")
    line.append(3)
    assert to_info(turn.reported) == Info(depth=4, nodes=100, value=0.5, pv=(1, 2), text="hm")


def test_what_is_too_much_is_cut():
    turn = new_turn()
    turn.report(depth=10**9, nodes=2**60, value=1e300, pv=[1] * 100, text="x" * 300)
    info = to_info(turn.reported)
    assert (info.depth, info.nodes, info.value) == (limits.DEPTH_MAX, limits.NODES_MAX, limits.VALUE_MAX)
    assert (len(info.pv), len(info.text)) == (limits.PV_MAX, limits.TEXT_MAX)
    assert info.text.endswith("…")


def test_what_makes_no_sense_is_left_out():
    turn = new_turn()
    turn.report(depth="deep", nodes=-1, value=math.nan, pv=5, text=b"no")
    assert to_info(turn.reported) is None
    turn.report(depth=True, nodes=np.array([1, 2]), value="much", pv=[3, None, 4])
    assert to_info(turn.reported) == Info(pv=(3,))


def test_a_won_search_may_say_infinity():
    turn = new_turn()
    turn.report(value=-math.inf, nodes=2.0)
    assert to_info(turn.reported) == Info(value=-limits.VALUE_MAX, nodes=2)


anything = st.one_of(
    st.integers(),
    st.floats(),
    st.text(),
    st.none(),
    st.booleans(),
    st.binary(),
    st.lists(st.integers()),
    st.complex_numbers(),
)


@given(depth=anything, nodes=anything, value=anything, pv=anything | st.lists(anything), text=anything)
def test_no_report_can_lose_a_match(depth, nodes, value, pv, text):
    turn = new_turn()
    turn.report(depth=depth, nodes=nodes, value=value, pv=pv, text=text)
    frame = MSGPACK.encode(Action(match="M1", ply=0, action=0, info=to_info(turn.reported)))
    assert len(frame) <= limits.MAX_FRAME_BYTES
    MSGPACK.decode_client(frame)


@pytest.mark.parametrize("choice", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_whatever_counts_as_an_int_is_an_action(choice):
    assert as_action(choice) == 3
    assert type(as_action(choice)) is int


@pytest.mark.parametrize("choice", [None, True, np.bool_(True), 3.0, np.float64(3.0), "3", [3], -1, 256, 10**30])
def test_what_no_game_can_take_is_an_error_that_says_what_to_return(choice):
    with pytest.raises(BadChoice, match=r"turn\.legal"):
        as_action(choice)


def test_a_forgotten_return_is_guessed():
    with pytest.raises(BadChoice, match="`return` missing"):
        as_action(None)


@pytest.mark.parametrize(
    ("notes", "sent"),
    [((), None), (("",), None), (("a", "b"), "b"), (("ñ" * 81,), "ñ" * 79 + "…"), ((3,), None), (("\ud800",), "?")],
)
def test_a_note_is_cut_and_never_loses_a_match(notes, sent):
    turn = new_turn()
    for note in notes:
        turn.note(note)
    assert to_note(turn.reported) == sent
    assert to_info(turn.reported) is None
    MSGPACK.encode(Action(match="M1", ply=0, action=0, note=to_note(turn.reported)))
