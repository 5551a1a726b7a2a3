"""Any history whatever: events in any order and at any nanosecond, and a second clock that keeps the books.

The shell of conftest.py checks at every step that the journal alone leads to the same match, that no more than one
alarm is set and is the right one, that nothing is sent to who is away, and that a result is announced once and only
when durable. The bookkeeper below charges time as it goes by, the plain way, and must come to the verdicts of the
referee's formulas.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from palestra_games import get_game
from palestra_referee import MS, AlarmDue, BecameReady, Resigned, TurnWritten, Voided

SEATS = st.sampled_from([0, 1])
SPANS = st.sampled_from([0, 1, 2, 1000, MS - 1, MS, MS + 1]) | st.integers(0, MS // 4)
RARE = st.integers(0, 19)
"""What ends a match outright happens on 0 only: else most histories are short."""


class Bookkeeper:
    """What the mover has used of this ply and of its bank, counted while time goes by."""

    def __init__(self, config):
        self.limit = (config.move_ms + config.grace_ms) * MS
        self.bank_of_a_restart = config.away_ms * MS
        self.banks = [self.bank_of_a_restart if config.away == "bank" else 0] * 2
        self.used = 0
        self.running_for = None
        self.away = False

    def pass_time(self, span, mover):
        if self.away:
            from_bank = min(span, self.banks[mover])
            self.banks[mover] -= from_bank
            self.used += span - from_bank
        elif self.running_for is not None:
            self.running_for += span
            self.used += span

    def next_ply(self, away):
        self.used = 0
        self.running_for = None if away else 0
        self.away = away


class Histories(RuleBasedStateMachine):
    make_shell = None

    @initialize(
        data=st.data(),
        game=st.sampled_from(["connect4", "connect4-8x8", "desconecta4", "mancala"]),
        opening=st.integers(0, 4),
        limit=st.sampled_from([9, 15, 200]),
        away_ms=st.sampled_from([0, 1, 3]),
        away=st.sampled_from(["bank", "clock"]),
        grace_ms=st.sampled_from([0, 1]),
        begun=st.integers(0, 5),
    )
    def create(self, data, game, opening, limit, away_ms, away, grace_ms, begun):
        state, actions = get_game(game).initial_state(), []
        for _ in range(opening):
            actions.append(data.draw(st.sampled_from(state.legal_actions())))
            state = state.apply(actions[-1])
        self.shell = type(self).make_shell(
            game=game,
            opening=tuple(actions),
            ply_limit=limit,
            move_ms=2,
            grace_ms=grace_ms,
            away_ms=away_ms,
            away=away,
            ready_ms=3,
        )
        self.books = Bookkeeper(self.shell.config)
        if begun and self.match.phase == "starting":
            self.begin()

    @property
    def match(self):
        return self.shell.match

    def watch_start(self, before):
        """The books follow when the phase or the ply changed."""
        mover = self.match.clock.seat
        if self.match.phase == "playing" and before == "starting":
            self.books.next_ply(away=not self.shell.connected[mover])

    @invariant()
    def the_deadline_is_where_the_books_say(self):
        if self.match.phase != "playing":
            return
        books = self.books
        left = books.limit - books.used + (books.banks[self.match.clock.seat] if books.away else 0)
        if books.away or books.running_for is not None:
            assert self.match.clock.deadline == self.shell.now + left
        else:
            assert self.match.clock.deadline is None

    @rule(span=SPANS)
    def time_goes_by(self, span):
        self.shell.now += span
        if self.match.phase == "playing":
            self.books.pass_time(span, self.match.clock.seat)

    @precondition(lambda self: self.match.alarm is not None and self.match.alarm > self.shell.now + 2)
    @rule(short=st.sampled_from([-1, 0, 1, 2]))
    def time_goes_by_up_to_the_deadline(self, short):
        self.time_goes_by(self.match.alarm - short - self.shell.now)

    @rule(seat=SEATS, fresh=st.booleans())
    def attach(self, seat, fresh=False):
        before = self.match
        phase, late = self.match.phase, self.books.used > self.books.limit
        returns = phase == "playing" and self.books.away and seat == self.match.clock.seat
        self.shell.attach(seat, fresh=fresh)
        anew = before.owed[seat] and fresh and self.shell.now <= before.ready_by and phase != "finished"
        if self.match.phase == phase:
            assert self.match.ready[seat] == (before.ready[seat] and not anew)
        if returns and late:
            assert self.match.outcome.reason == "disconnect"
        elif returns:
            self.books.away = False
            self.books.running_for = 0 if self.match.ready[seat] else None
            self.close_bank(seat)
            assert list(self.match.clock.banks) == self.books.banks
            assert self.match.clock.charged(self.shell.now) == self.books.used
        else:
            assert self.match.phase == phase
            self.close_bank(seat)

    def close_bank(self, seat):
        """Where the clock goes on, a bank is for coming back after a restart only."""
        if self.match.config.away == "clock":
            self.books.banks[seat] = 0

    @precondition(lambda self: any(self.shell.connected))
    @rule(seat=SEATS)
    def detach(self, seat):
        if not self.shell.connected[seat]:
            return
        phase = self.match.phase
        mover = phase == "playing" and seat == self.match.clock.seat
        late = self.books.used > self.books.limit
        self.shell.detach(seat)
        if mover and late:
            assert self.match.outcome.reason == "timeout"
        else:
            assert self.match.phase == phase
            if mover:
                self.books.away, self.books.running_for = True, None

    @rule(seat=SEATS)
    def ready(self, seat):
        before = self.match
        self.shell.feed(BecameReady(seat, self.shell.now))
        if before.phase == "starting" and not before.ready[seat] and self.shell.now > before.ready_by:
            assert self.match.outcome.reason == "not_ready"
        if before.waits and seat == before.clock.seat:
            self.books.running_for = 0
        self.watch_start(before.phase)

    @precondition(lambda self: self.match.phase == "starting")
    @rule()
    def begin(self):
        for seat in (0, 1):
            self.attach(seat)
            self.ready(seat)

    @precondition(lambda self: self.match.phase == "playing")
    @rule(data=st.data(), lag=SPANS)
    def act(self, data, lag):
        before, books = self.match, self.books
        seat, attached = before.clock.seat, self.shell.connected[before.clock.seat]
        lag = min(lag, books.running_for or 0)
        effects = self.shell.act(data.draw(st.sampled_from(before.legal)), lag=lag)
        if not attached:
            assert [effect.code for effect in effects] == ["not_in_match"]
        elif before.waits:
            assert [effect.code for effect in effects] == ["not_your_turn"]
        elif books.used - lag > books.limit:
            assert self.match.outcome.reason == "timeout"
            assert self.match.outcome.returns[seat] == -1
        else:
            assert self.match.last.charged_ns == books.used - lag
            assert self.match.ply == before.ply + 1
            assert (self.match.outcome is None) == (
                self.match.state.returns() is None and self.match.ply < before.config.ply_limit
            )
            books.next_ply(away=not self.shell.connected[self.match.clock.seat])
            if self.match.waits:
                books.running_for = None

    @precondition(lambda self: self.match.phase == "playing" and self.shell.connected[self.match.clock.seat])
    @rule(data=st.data(), plies=st.integers(2, 12))
    def play_on(self, data, plies):
        for _ in range(plies):
            if self.match.phase == "playing" and self.shell.connected[self.match.clock.seat]:
                self.act(data, 0)

    @precondition(lambda self: self.match.phase == "playing")
    @rule(action=st.sampled_from([-1, 8, 255]), chance=RARE)
    def act_illegally(self, action, chance):
        if chance:
            return
        late, taken = self.books.used > self.books.limit, self.shell.connected[self.match.clock.seat]
        taken = taken and not self.match.waits
        self.shell.act(action)
        if taken:
            assert self.match.outcome.reason == ("timeout" if late else "illegal")

    @rule(seat=SEATS, ply=st.integers(0, 12), action=st.integers(0, 8))
    def act_out_of_turn(self, seat, ply, action):
        if seat != self.match.clock.seat or ply != self.match.ply or self.match.phase != "playing":
            before = self.match
            effects = self.shell.act(action, seat=seat, ply=ply)
            assert self.match == before
            assert len(effects) <= 1

    @precondition(lambda self: self.match.moves)
    @rule()
    def act_again(self):
        last = self.match.last
        assert self.shell.act(last.action, seat=last.seat, ply=last.ply) == ()

    @rule(ply=st.integers(0, 12))
    def turn_written_again(self, ply):
        assert self.shell.feed(TurnWritten(ply, self.shell.now)) == ()

    @rule(early=st.sampled_from([0, 0, 1, MS]))
    def alarm(self, early):
        phase, waits = self.match.phase, self.match.waits
        at = self.shell.now - early
        if early == 0:
            self.shell.alarm_due()
            if waits:
                assert self.match.waits == (self.shell.now <= self.match.ready_by)
                self.books.running_for = None if self.match.waits else 0
            elif phase == "playing":
                late = self.books.used > self.books.limit
                assert (self.match.phase == "finished") == late
                if late:
                    assert self.match.outcome.reason == ("disconnect" if self.books.away else "timeout")
        elif self.shell.alarm is None or at < self.shell.alarm:
            self.shell.feed(AlarmDue(at))
            assert self.match.phase == phase

    @rule()
    def restart(self):
        self.shell.restart()
        if self.match.phase == "playing":
            self.books = Bookkeeper(self.shell.config)
            self.books.away = True
            self.books.banks = [self.books.bank_of_a_restart] * 2

    @rule()
    def durable(self):
        self.shell.durable()

    @rule(seat=SEATS, void=st.booleans(), chance=RARE)
    def end_it(self, seat, void, chance):
        if chance:
            return
        before = self.match
        late = before.alarm is not None and before.alarm <= self.shell.now and not before.waits
        self.shell.feed(
            Voided({"code": "refused", "player": "ada"}, self.shell.now) if void else Resigned(seat, self.shell.now)
        )
        timed_out = "disconnect" if self.books.away else "timeout"
        too_late = {"starting": "not_ready", "playing": timed_out}.get(before.phase)
        if before.phase != "finished":
            assert self.match.outcome.reason == ("void" if void else too_late if late else "resign")


@pytest.mark.slow
def test_any_history(make_shell):
    class Bound(Histories):
        pass

    Bound.make_shell = staticmethod(make_shell)
    run_state_machine_as_test(
        Bound,
        settings=settings(
            max_examples=80, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
