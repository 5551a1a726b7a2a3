"""What each event does in each phase: the effects, and nothing else."""

from __future__ import annotations

import pytest

from palestra_games import UnknownGame, get_game
from palestra_referee import (
    MS,
    Acted,
    AlarmDue,
    Append,
    Attached,
    AwaitDurable,
    BecameReady,
    Created,
    Detached,
    Durable,
    Finish,
    Move,
    Reject,
    Resigned,
    Restarted,
    SendEnd,
    SendPlayed,
    SendStart,
    SendTurn,
    SetAlarm,
    TurnWritten,
    Voided,
    replay,
    start,
    step,
)

BUDGET = 2000 * MS


def over(shell):
    """The match, resigned by seat 1 and announced."""
    shell.feed(Resigned(1, shell.now))
    shell.durable()
    return shell


# starting


def test_a_new_match_waits_for_ready(make_config):
    match, effects = start(make_config(), 5)
    assert effects == (Append(Created(make_config(), 5)), SetAlarm(5 + 30_000 * MS + 1))
    assert (match.phase, match.ply, match.actions, match.last) == ("starting", 0, (), None)


def test_a_seat_that_attaches_is_told_the_match_as_often_as_it_comes(make_shell):
    shell = make_shell()
    assert shell.attach(1) == (Append(Attached(1, 0)), SendStart(1))
    assert shell.attach(1) == (SendStart(1),)
    assert shell.detach(1) == (Append(Detached(1, 0)),)
    assert shell.detach(1) == ()
    assert shell.attach(1) == (Append(Attached(1, 0)), SendStart(1))


def test_the_match_begins_when_both_are_ready(make_shell):
    shell = make_shell()
    shell.attach(0)
    shell.attach(1)
    assert shell.ready(1) == (Append(BecameReady(1, 0)),)
    assert shell.ready(1) == ()
    assert shell.ready(0) == (
        Append(BecameReady(0, 0)),
        SetAlarm(None),
        SendTurn(0, 0, BUDGET, None),
        Append(TurnWritten(0, 0)),
        SetAlarm(2100 * MS + 1),
    )


def test_ready_is_kept_when_the_connection_is_lost(make_shell):
    shell = make_shell()
    for seat in (0, 1):
        shell.attach(seat)
    shell.ready(0)
    shell.detach(0)
    shell.ready(1)
    assert shell.match.phase == "playing"
    assert SendTurn(0, 0, BUDGET, None) in shell.attach(0)


def test_an_action_before_the_start_is_rejected_with_advice(make_shell):
    (error,) = make_shell().act(3)
    assert (error.seat, error.code, error.ply) == (0, "not_your_turn", 0)
    assert "send ready" in error.message


@pytest.mark.parametrize("event", [TurnWritten(0, 5), Durable(5)])
def test_what_means_nothing_before_the_start_does_nothing(make_shell, event):
    assert make_shell().feed(event) == ()


# playing


def test_an_accepted_action_goes_to_the_next_mover_the_other_and_the_watchers(playing):
    shell = playing()
    shell.now = 7
    move = Move(0, 0, 3, 7, "poll")
    acted = Acted(0, 0, 3, 7, 7, "poll")
    assert shell.feed(acted) == (
        Append(acted),
        SetAlarm(None),
        SendTurn(1, 1, BUDGET, move),
        SendPlayed(0, move),
        SendPlayed(None, move),
        Append(TurnWritten(1, 7)),
        SetAlarm(7 + 2100 * MS + 1),
    )
    assert shell.match.actions == (3,)
    assert shell.match.state == get_game("connect4").initial_state().apply(3)


def test_the_opening_counts_as_plies_but_is_nobodys_move(playing):
    shell = playing(opening=(3, 3, 2))
    assert (shell.match.ply, shell.match.last, shell.match.actions) == (3, None, (3, 3, 2))
    effects = shell.act(4)
    assert effects[2].ply == 4
    assert shell.match.actions == (3, 3, 2, 4)
    assert shell.match.moves[0].seat == 1


def test_a_player_who_moves_again_gets_the_turn_and_the_other_played(playing):
    shell = playing(game="mancala")
    effects = shell.act(3)  # the fourth seed falls into the own store
    move = shell.match.last
    assert (SendTurn(0, 1, BUDGET, move), SendPlayed(1, move), SendPlayed(None, move)) == effects[2:5]
    repeated = shell.act(3, ply=0)
    assert repeated == ()


def test_nothing_is_sent_to_who_is_away(playing):
    shell = playing()
    shell.detach(1)
    effects = shell.act(3)
    assert [type(effect) for effect in effects] == [Append, SetAlarm, SendPlayed, SendPlayed]
    shell.attach(1)
    shell.detach(0)
    effects = shell.act(3)
    assert [effect.to for effect in effects if isinstance(effect, SendPlayed)] == [1, None]


def test_a_returning_player_gets_the_match_and_the_turn_with_the_last_move(playing):
    shell = playing()
    shell.detach(1)
    shell.act(3)
    effects = shell.attach(1)
    assert effects[:4] == (
        Append(Attached(1, 0)),
        SetAlarm(None),
        SendStart(1),
        SendTurn(1, 1, BUDGET, shell.match.last),
    )
    assert shell.detach(0) == (Append(Detached(0, 0)),)
    assert shell.attach(0) == (Append(Attached(0, 0)), SendStart(0))


@pytest.mark.parametrize(
    ("seat", "ply", "action", "code"),
    [
        (1, 2, 0, "stale_ply"),
        (1, 0, 3, "stale_ply"),
        (1, 9, 0, "stale_ply"),
        (0, 0, 3, "stale_ply"),
        (0, 2, 0, "stale_ply"),
        (0, 3, 0, "not_your_turn"),
        (0, 4, 0, "not_your_turn"),
    ],
)
def test_a_wrong_ply_or_seat_is_rejected_and_changes_nothing(playing, seat, ply, action, code):
    shell = playing()
    for column in (3, 4, 5):
        shell.act(column)
    shell.now += 1000
    before = shell.match
    (error,) = shell.act(action, seat=seat, ply=ply)
    assert isinstance(error, Reject)
    assert (error.seat, error.code, error.ply, error.legal) == (seat, code, 3, None)
    assert shell.match == before


def test_the_action_accepted_last_may_come_again(playing):
    shell = playing()
    shell.act(3)
    assert shell.act(3, seat=0, ply=0) == ()
    (error,) = shell.act(4, seat=0, ply=0)
    assert error.code == "stale_ply"


def test_an_action_without_a_connection_is_rejected(playing):
    shell = playing()
    shell.detach(0)
    (error,) = shell.act(3)
    assert error.code == "not_in_match"


def test_an_illegal_action_is_explained_and_ends_the_match(playing):
    shell = playing(opening=(3, 3, 3, 3, 3, 3))
    effects = shell.act(3)
    assert [type(effect) for effect in effects] == [Append, SetAlarm, Reject, AwaitDurable]
    assert effects[2].code == "illegal_action"
    assert effects[2].legal == (0, 1, 2, 4, 5, 6)
    assert "4" in effects[2].message
    assert shell.match.actions == (3,) * 6


@pytest.mark.parametrize("event", [BecameReady(0, 5), TurnWritten(4, 5), Durable(5)])
def test_what_means_nothing_in_play_does_nothing(playing, event):
    assert playing().feed(event) == ()


def test_an_alarm_while_no_clock_runs_does_nothing(make_config):
    match, _ = start(make_config(), 0)
    for event in (Attached(0, 0), Attached(1, 0), BecameReady(0, 0), BecameReady(1, 0)):
        match, effects = step(match, event)
    assert isinstance(effects[-1], SendTurn)
    assert step(match, AlarmDue(10**15)) == (match, ())


def test_an_action_between_the_turn_and_its_writing_costs_nothing(make_config):
    match, _ = start(make_config(), 0)
    for event in (Attached(0, 0), Attached(1, 0), BecameReady(0, 0), BecameReady(1, 0), Acted(0, 0, 3, 50, 60)):
        match, _ = step(match, event)
    assert match.last.charged_ns == 0


# finished


def test_the_last_action_goes_to_both_before_the_end(playing):
    shell = playing(opening=(0, 1, 0, 1, 0, 1))
    effects = shell.act(0)
    move = shell.match.last
    assert effects[1:] == (
        SetAlarm(None),
        SendPlayed(0, move),
        SendPlayed(1, move),
        SendPlayed(None, move),
        AwaitDurable(),
    )
    assert shell.match.state.returns() == (1, -1)


def test_a_result_is_announced_once_and_only_when_durable(playing):
    shell = playing()
    effects = shell.feed(Resigned(0, 0))
    assert effects == (Append(Resigned(0, 0)), SetAlarm(None), AwaitDurable())
    assert not shell.match.announced
    outcome = shell.match.outcome
    assert (outcome.returns, outcome.reason, outcome.detail) == ((-1, 1), "resign", "ada resigned at move 0.")
    assert shell.durable() == (Finish(outcome),)
    assert outcome.why is not None
    assert shell.match.announced
    assert shell.durable() == ()


def test_a_player_returning_after_the_end_hears_it_once_announced(playing):
    shell = playing()
    shell.detach(1)
    shell.feed(Resigned(0, 0))
    assert shell.attach(1) == (SendStart(1),)
    shell.durable()
    assert shell.attach(1) == (SendStart(1), SendEnd(1))


@pytest.mark.parametrize(
    "event",
    [
        Detached(0, 9),
        BecameReady(0, 9),
        TurnWritten(0, 9),
        Resigned(0, 9),
        Resigned(1, 9),
        AlarmDue(9),
        Restarted(9),
        Voided({"code": "refused", "player": "ada"}, 9),
        Durable(9),
    ],
)
def test_a_match_that_is_over_stays_as_it_is(playing, event):
    shell = over(playing())
    before = shell.match
    assert step(before, event) == (before, ())


def test_an_action_after_the_end_is_rejected_without_telling_the_result(playing):
    shell = playing()
    shell.act(3)
    shell.feed(Resigned(1, 0))
    (error,) = shell.act(3)
    assert (error.code, error.ply) == ("not_your_turn", 1)
    assert "over" in error.message
    assert "resign" not in error.message
    assert shell.act(3, seat=0, ply=0) == ()


# openings and replays that make no sense


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"opening": (3, 3, 3, 3, 3, 3, 3)}, "ply 6"),
        ({"opening": (9,)}, "ply 0"),
        ({"opening": (0, 1, 0, 1, 0, 1, 0, 1)}, "over at ply 7"),
        ({"opening": (0, 1, 2), "ply_limit": 2}, "3 opening actions"),
        ({"ply_limit": 0}, "limit of 0"),
        ({"move_ms": 0}, "above 0"),
        ({"ready_ms": 0}, "above 0"),
        ({"grace_ms": -1}, "at least 0"),
        ({"away_ms": -1}, "at least 0"),
        ({"seat_ms": (100, 0)}, "both seats"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused_in_one_sentence(make_config, changes, words):
    with pytest.raises(ValueError, match=words) as caught:
        start(make_config(**changes), 0)
    assert str(caught.value).endswith(".")


def test_an_unknown_game_is_refused(make_config):
    with pytest.raises(UnknownGame):
        start(make_config(game="chess"), 0)


def test_an_opening_may_end_the_game(make_shell):
    shell = make_shell(opening=(0, 1, 0, 1, 0, 1, 0))
    assert shell.match.outcome.reason == "rules"
    assert shell.durable()[0].outcome.returns == (1, -1)


def test_created_comes_first_and_once(make_config):
    match, _ = start(make_config(), 0)
    with pytest.raises(ValueError, match="once"):
        step(match, Created(make_config(), 0))
    with pytest.raises(ValueError, match="begins with Created"):
        replay([Resigned(0, 0)])
    with pytest.raises(ValueError, match="empty"):
        replay([])
