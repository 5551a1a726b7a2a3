"""Who is in time: the exact nanosecond, on a clock that the test moves."""

from __future__ import annotations

import pytest

from palestra_referee import MS, AlarmDue, Resigned, SendTurn, SetAlarm, TurnWritten

S = 1000 * MS
BUDGET, GRACE, BANK = 2 * S, 100 * MS, 10 * S
LAST = BUDGET + GRACE
"""The last nanosecond that is in time, counted from the turn."""


def turns(effects):
    return [effect for effect in effects if isinstance(effect, SendTurn)]


def only_turn(effects):
    (turn,) = turns(effects)
    return turn


@pytest.mark.parametrize(
    ("arrives", "ending"),
    [(0, None), (BUDGET, None), (BUDGET + 1, None), (LAST - 1, None), (LAST, None), (LAST + 1, "timeout")],
)
def test_an_action_is_in_time_up_to_budget_and_grace(playing, arrives, ending):
    shell = playing()
    shell.now = arrives
    shell.act(3)
    if ending is None:
        assert shell.match.last.charged_ns == arrives
        assert shell.match.phase == "playing"
    else:
        assert shell.match.outcome.reason == ending
        assert shell.match.outcome.returns == (-1, 1)
        assert not shell.match.moves


@pytest.mark.parametrize("lag", [0, 1, 700 * MS, 5 * S])
def test_only_the_arrival_counts_however_late_the_server_is(playing, lag):
    shell = playing()
    shell.now = LAST + lag
    shell.act(3, lag=lag, stamp="stall")
    assert shell.match.last.charged_ns == LAST
    assert shell.match.last.stamp == "stall"


def test_bytes_that_came_before_the_turn_was_written_cost_nothing(playing):
    shell = playing()
    shell.act(3, lag=5)
    assert shell.match.last.charged_ns == 0


@pytest.mark.parametrize(("at", "over"), [(LAST - 1, False), (LAST, False), (LAST + 1, True), (LAST + S, True)])
def test_the_alarm_is_a_verdict_only_beyond_the_deadline(playing, at, over):
    shell = playing()
    shell.now = at
    effects = shell.feed(AlarmDue(at))
    assert (shell.match.phase == "finished") == over
    if over:
        assert shell.match.outcome.reason == "timeout"
    else:
        assert effects == (SetAlarm(LAST + 1),)


def test_the_alarm_is_set_for_the_first_instant_that_is_late(playing):
    shell = playing()
    assert shell.alarm == LAST + 1
    shell.ring()
    assert shell.match.outcome.reason == "timeout"


def test_the_next_ply_has_a_clock_of_its_own(playing):
    shell = playing()
    shell.now = LAST
    assert only_turn(shell.act(3)).remaining_ns == BUDGET
    shell.now += LAST
    shell.act(3)
    assert [move.charged_ns for move in shell.match.moves] == [LAST, LAST]
    assert shell.match.charged_ns == (LAST, LAST)


def test_a_second_turn_written_does_not_wind_the_clock_back(playing):
    shell = playing()
    shell.now = S
    assert shell.feed(TurnWritten(0, S)) == ()
    assert shell.alarm == LAST + 1


# A connection replaced by a newer one


def test_a_replaced_connection_gets_the_turn_again_with_the_time_that_is_left(playing):
    shell = playing()
    shell.now = 1500 * MS
    assert only_turn(shell.attach(0)).remaining_ns == 500 * MS
    assert shell.alarm == LAST + 1
    shell.now = LAST
    shell.act(3)
    assert shell.match.last.charged_ns == LAST


def test_replacing_the_connection_again_and_again_wins_no_time(playing):
    shell = playing()
    for shell.now in range(0, LAST, 50 * MS):
        assert only_turn(shell.attach(0)).remaining_ns == max(0, BUDGET - shell.now)
    shell.now = LAST + 1
    shell.act(3)
    assert shell.match.outcome.reason == "timeout"


# Away, and back


@pytest.mark.parametrize(("used", "away"), [(0, 0), (0, BANK), (500 * MS, 3 * S), (BUDGET, BANK), (LAST, BANK)])
@pytest.mark.parametrize("late", [0, 1])
def test_after_a_resume_inside_the_bank_the_move_has_what_it_had(playing, used, away, late):
    shell = playing()
    shell.now = used
    shell.detach(0)
    shell.now += away
    assert only_turn(shell.attach(0)).remaining_ns == max(0, BUDGET - used)
    assert shell.match.clock.banks == (BANK - away, BANK)
    shell.now += LAST - used + late
    shell.act(3)
    if late:
        assert shell.match.outcome.reason == "timeout"
    else:
        assert shell.match.last.charged_ns == LAST


@pytest.mark.parametrize("over", [1, S, BUDGET, LAST])
def test_beyond_the_bank_the_move_pays(playing, over):
    shell = playing()
    shell.detach(0)
    shell.now = BANK + over
    assert only_turn(shell.attach(0)).remaining_ns == max(0, BUDGET - over)
    assert shell.match.clock.banks == (0, BANK)
    shell.act(3)
    assert shell.match.last.charged_ns == over


@pytest.mark.parametrize("used", [0, 1, BUDGET, LAST])
@pytest.mark.parametrize("by_alarm", [True, False])
def test_a_player_away_a_nanosecond_too_long_is_disconnected(playing, used, by_alarm):
    shell = playing()
    shell.now = used
    shell.detach(0)
    assert shell.alarm == used + BANK + (LAST - used) + 1
    shell.now = BANK + LAST
    assert shell.alarm_due() == (SetAlarm(BANK + LAST + 1),)
    shell.now = BANK + LAST + 1
    if by_alarm:
        shell.ring()
    else:
        shell.attach(0)
    assert shell.match.outcome.reason == "disconnect"
    assert shell.match.outcome.returns == (-1, 1)


def test_a_bank_is_for_the_whole_match(playing):
    shell = playing(away_ms=3)
    for away in (1 * MS, 2 * MS, 5 * MS):
        shell.detach(0)
        shell.now += away
        shell.attach(0)
        bank = shell.match.clock.banks[0]
        shell.act(shell.match.legal[0])
        shell.act(shell.match.legal[0])
        assert bank == shell.match.clock.banks[0]
    assert bank == 0
    assert [move.charged_ns for move in shell.match.moves] == [0, 0, 0, 0, 5 * MS, 0]


def test_coming_and_going_spends_bank_and_budget_once_each(playing):
    shell = playing()
    for _ in range(20):
        shell.now += 50 * MS
        shell.detach(0)
        shell.now += 500 * MS
        shell.attach(0)
    assert shell.match.clock.banks == (0, BANK)
    shell.now += LAST - S
    shell.act(3)
    assert shell.match.last.charged_ns == LAST


def test_leaving_after_the_deadline_is_a_timeout_and_opens_no_bank(playing):
    shell = playing()
    shell.now = LAST + 1
    shell.detach(0)
    assert shell.match.outcome.reason == "timeout"


def test_being_away_while_the_other_thinks_is_free(playing):
    shell = playing()
    shell.detach(1)
    shell.now = BUDGET
    shell.attach(1)
    assert shell.match.clock.banks == (BANK, BANK)


def test_the_bank_pays_from_the_moment_the_turn_comes(playing):
    shell = playing()
    shell.detach(1)
    shell.now = 2 * S
    assert turns(shell.act(3, lag=S)) == []
    assert shell.alarm == 2 * S + BANK + LAST + 1
    shell.now = 5 * S
    assert only_turn(shell.attach(1)).remaining_ns == BUDGET
    assert shell.match.clock.banks == (BANK, BANK - 3 * S)


@pytest.mark.parametrize("over", [0, 1])
def test_where_the_clock_goes_on_nothing_is_won_by_leaving(playing, over):
    shell = playing(away="clock")
    shell.now = S
    shell.detach(0)
    shell.now = LAST + over
    shell.attach(0)
    if over:
        assert shell.match.outcome.reason == "disconnect"
        return
    shell.act(3)
    assert (shell.match.last.charged_ns, shell.match.last.away_ns) == (LAST, LAST - S)


def test_where_the_clock_goes_on_it_does_for_a_turn_that_finds_nobody(playing):
    shell = playing(away="clock")
    shell.detach(1)
    shell.now = S
    shell.act(3)
    assert shell.alarm == S + LAST + 1


def test_after_a_restart_the_bank_pays_once_even_where_the_clock_goes_on(playing):
    shell = playing(away="clock")
    shell.restart()
    shell.now = BANK
    assert only_turn(shell.attach(0)).remaining_ns == BUDGET
    shell.attach(1)
    assert shell.match.clock.banks == (0, 0)
    shell.detach(0)
    assert shell.alarm == shell.now + LAST + 1


def test_time_away_in_ones_own_turn_is_recorded_whoever_pays(playing):
    shell = playing()
    for _ in range(2):
        shell.detach(0)
        shell.now += 300 * MS
        shell.attach(0)
    shell.act(3)
    shell.detach(0)  # the other one's turn
    shell.now += S
    shell.attach(0)
    shell.act(3)
    assert [move.away_ns for move in shell.match.moves] == [600 * MS, 0]


def test_each_seat_may_have_a_time_of_its_own(playing):
    shell = playing(seat_ms=(500, 60_000))
    shell.now = 600 * MS
    assert only_turn(shell.act(3)).remaining_ns == 60 * S
    shell.now += 60 * S + 100 * MS
    assert only_turn(shell.act(3)).remaining_ns == 500 * MS
    shell.now += 600 * MS + 1
    shell.act(3)
    assert shell.match.outcome.reason == "timeout"


def test_with_both_away_only_the_mover_pays(playing):
    shell = playing()
    shell.detach(1)
    shell.detach(0)
    shell.now = 4 * S
    shell.attach(1)
    shell.attach(0)
    assert shell.match.clock.banks == (BANK - 4 * S, BANK)
    shell.detach(0)
    shell.detach(1)
    shell.now += BANK - 4 * S + LAST + 1
    shell.ring()
    assert shell.match.outcome.returns == (-1, 1)
    assert shell.match.outcome.reason == "disconnect"


def test_each_seat_has_a_bank_of_its_own(playing):
    shell = playing()
    shell.detach(0)
    shell.now = 4 * S
    shell.attach(0)
    shell.act(3)
    shell.detach(1)
    assert shell.alarm == shell.now + BANK + LAST + 1
    shell.attach(1)
    shell.act(3)
    shell.detach(0)
    assert shell.alarm == shell.now + BANK - 4 * S + LAST + 1


def test_without_a_bank_the_move_pays_at_once(playing):
    shell = playing(away_ms=0)
    shell.now = S
    shell.detach(0)
    shell.now = BUDGET
    assert only_turn(shell.attach(0)).remaining_ns == 0
    shell.now = LAST
    shell.act(3)
    assert shell.match.last.charged_ns == LAST


@pytest.mark.parametrize("away", ["bank", "clock"])
def test_who_is_gone_for_good_loses_even_without_a_clock(playing, away):
    """Ten minutes from when it is that player's turn and nobody is there, beyond the bank."""
    shell = playing(seat_ms=(3_600_000, 3_600_000), away=away)
    bank = BANK if away == "bank" else 0
    shell.detach(1)
    shell.now = 1800 * S
    shell.act(3)
    assert shell.alarm == shell.now + bank + 600 * S + GRACE + 1
    shell.now += bank + 599 * S
    # Back in time, it has the rest of its hour, and the next absence is a new one.
    assert only_turn(shell.attach(1)).remaining_ns == 3001 * S
    shell.detach(1)
    assert shell.alarm == shell.now + 600 * S + GRACE + 1
    shell.ring()
    assert (shell.match.outcome.reason, shell.match.outcome.returns) == ("disconnect", (1, -1))
    assert shell.match.outcome.why["left_ms"] == 600_000


def test_a_match_without_a_clock_that_both_have_left_ends(playing):
    shell = playing(seat_ms=(3_600_000, 3_600_000))
    shell.detach(1)
    shell.detach(0)
    shell.restart()
    shell.ring()
    assert shell.now == BANK + 600 * S + GRACE + 1
    assert (shell.match.outcome.reason, shell.match.outcome.returns) == ("disconnect", (-1, 1))


# Resigning: dated like an action


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("at", "reason"), [(0, "resign"), (LAST, "resign"), (LAST + 1, "timeout")])
@pytest.mark.parametrize("handled", [0, S])
def test_resigning_after_the_deadline_is_late_already(playing, seat, at, reason, handled):
    """Whoever resigns then, it was the mover who let its time go by."""
    shell = playing()
    shell.now = at + handled
    shell.feed(Resigned(seat, at))
    loser = 0 if reason == "timeout" else seat
    assert (shell.match.outcome.reason, shell.match.outcome.returns[loser]) == (reason, -1)


@pytest.mark.parametrize(("late", "reason"), [(0, "resign"), (1, "disconnect")])
def test_resigning_when_the_absent_mover_has_used_up_its_bank_has_won(playing, late, reason):
    shell = playing()
    shell.detach(0)
    shell.now = BANK + LAST + late
    shell.feed(Resigned(1, shell.now))
    assert (shell.match.outcome.reason, shell.match.outcome.returns[1]) == (reason, 1 if late else -1)


@pytest.mark.parametrize(("late", "reason"), [(0, "resign"), (1, "not_ready")])
def test_resigning_after_the_ready_deadline_was_not_ready_or_has_won(make_shell, late, reason):
    shell = make_shell()
    shell.begin_with(0)
    shell.now = 30 * S + late
    shell.feed(Resigned(0, shell.now))
    assert (shell.match.outcome.reason, shell.match.outcome.returns[0]) == (reason, 1 if late else -1)


# Ready, and restarts


@pytest.mark.parametrize(("at", "ending"), [(30 * S, None), (30 * S + 1, "not_ready")])
def test_ready_is_in_time_up_to_its_deadline(make_shell, at, ending):
    shell = make_shell()
    for seat in (0, 1):
        shell.attach(seat)
    shell.ready(0)
    shell.now = at
    shell.ready(1)
    assert (shell.match.outcome and shell.match.outcome.reason) == ending
    assert shell.match.phase == ("finished" if ending else "playing")


def test_the_ready_alarm_too_early_is_set_again(make_shell):
    shell = make_shell()
    shell.now = 30 * S
    assert shell.alarm_due() == (SetAlarm(30 * S + 1),)
    shell.ring()
    assert shell.match.outcome.reason == "not_ready"


def test_a_restart_gives_a_full_clock_and_full_banks(playing):
    shell = playing()
    shell.now = S
    shell.detach(0)
    shell.now = 4 * S
    shell.attach(0)
    shell.now = 5 * S
    shell.restart()
    assert shell.match.clock.banks == (BANK, BANK)
    assert shell.alarm == 5 * S + BANK + LAST + 1
    shell.now = 6 * S
    assert only_turn(shell.attach(0)).remaining_ns == BUDGET
    assert shell.match.clock.banks == (BANK - S, BANK)
    shell.now += LAST
    shell.act(3)
    assert shell.match.last.charged_ns == LAST


def test_a_restart_before_the_start_gives_the_whole_ready_time_again(make_shell):
    shell = make_shell()
    shell.attach(0)
    shell.ready(0)
    shell.now = 29 * S
    shell.restart()
    assert shell.alarm == 59 * S + 1
    shell.now = 59 * S
    shell.attach(1)
    shell.ready(1)
    assert shell.match.phase == "playing"
    assert shell.match.clock.away, "seat 0 was ready and is away: its bank pays"
    assert turns(shell.attach(0))


@pytest.mark.parametrize("seat", [0, 1])
def test_after_a_restart_a_new_process_warms_up_for_nothing(playing, seat):
    """Seat 0 to move. The other seat goes on with its session, and is as ready as it was."""
    shell = playing()
    shell.act(3)
    shell.act(3)
    shell.now += 500 * MS
    shell.restart()
    shell.now += 100 * MS
    shell.attach(1 - seat)
    shell.attach(seat, fresh=True)
    if seat == 1:
        shell.act(3)
    assert shell.match.waits
    shell.now += 29_000 * MS
    assert [effect.code for effect in shell.act(4)] == ["not_your_turn"]
    effects = shell.ready(seat)
    assert only_turn(effects).remaining_ns == 2000 * MS
    shell.now += 300 * MS
    shell.act(4)
    assert shell.match.last.charged_ns == 300 * MS


def test_after_a_restart_nobody_is_waited_for_longer_than_ready_ms(playing):
    shell = playing()
    shell.restart()
    restarted = shell.now
    shell.attach(0, fresh=True)
    shell.attach(1)
    assert shell.alarm == restarted + 30_000 * MS + 1
    effects = shell.ring()
    assert only_turn(effects).remaining_ns == 2000 * MS
    shell.ring()
    assert (shell.match.outcome.reason, shell.match.outcome.returns) == ("timeout", (-1, 1))


def test_a_player_who_is_waited_for_and_leaves_pays_for_it(playing):
    shell = playing()
    shell.restart()
    shell.attach(0, fresh=True)
    shell.now += 3000 * MS
    shell.detach(0)
    shell.now += 1000 * MS
    shell.attach(0)
    assert shell.match.waits
    assert shell.match.clock.banks[0] == 9000 * MS
    shell.ready(0)
    assert not shell.match.waits


def test_after_a_restart_time_to_warm_up_is_given_once(playing):
    shell = playing()
    shell.restart()
    shell.attach(1)
    shell.attach(0, fresh=True)
    shell.ready(0)
    shell.now += 1500 * MS
    shell.detach(0)
    effects = shell.attach(0, fresh=True)
    assert not shell.match.waits
    assert only_turn(effects).remaining_ns == 500 * MS


def test_without_a_restart_a_new_process_plays_on_its_own_time(playing):
    shell = playing()
    shell.now += 400 * MS
    shell.detach(0)
    effects = shell.attach(0, fresh=True)
    assert only_turn(effects).remaining_ns == 1600 * MS
