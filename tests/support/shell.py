"""A shell for the referee without sockets, disk or time: the test moves the clock and reads what was sent."""

from __future__ import annotations

import msgpack

from palestra_referee import (
    MS,
    Acted,
    AlarmDue,
    Append,
    Attached,
    AwaitDurable,
    BecameReady,
    Detached,
    Durable,
    Finish,
    MatchConfig,
    Restarted,
    SendEnd,
    SendPlayed,
    SendStart,
    SendTurn,
    SetAlarm,
    TurnWritten,
    event_from_record,
    event_to_record,
    start,
    step,
)


class Shell:
    """Performs effects as the runtime does, and checks on every step what must hold for any history at all.

    `now` is in ns and moved by hand. `shadow` is the match folded from the journal alone, through msgpack.
    """

    def __init__(self, config: MatchConfig, now: int = 0) -> None:
        self.config = config
        self.now = now
        self.connected = [False, False]
        self.alarm: int | None = None
        self.records: list[bytes] = []
        self.asked_durable = 0
        self.finishes: list[Finish] = []
        self.match, effects = start(config, now)
        self._perform(effects, effects[0].event)
        first = event_from_record(msgpack.unpackb(self.records[0]))
        self.shadow, _ = start(first.config, first.at)
        self._check()

    # events

    def feed(self, event):
        """Hands one event in and returns its effects; a turn that is sent is written at once."""
        before, count = self.match, len(self.records)
        self.match, effects = step(self.match, event)
        journalled = [effect.event for effect in effects if isinstance(effect, Append)]
        assert journalled in ([], [event])
        assert not journalled or isinstance(effects[0], Append)
        if not journalled and not isinstance(event, Durable):
            assert self.match == before, "a change that the journal knows nothing of"
        if isinstance(event, Durable):
            assert not journalled
        self._perform(effects, event)
        for record in self.records[count:]:
            self.shadow, _ = step(self.shadow, event_from_record(msgpack.unpackb(record)))
        self._check()
        turns = [effect for effect in effects if isinstance(effect, SendTurn)]
        if turns:
            return (*effects, *self.feed(TurnWritten(turns[0].ply, self.now)))
        return effects

    def attach(self, seat, *, fresh=False):
        self.connected[seat] = True
        return self.feed(Attached(seat, self.now, fresh))

    def detach(self, seat):
        self.connected[seat] = False
        return self.feed(Detached(seat, self.now))

    def ready(self, seat):
        return self.feed(BecameReady(seat, self.now))

    def act(self, action, *, seat=None, ply=None, lag=0, stamp="read", info=None):
        """`lag`: how long ago the bytes arrived, in ns."""
        seat = self.match.state.to_move if seat is None else seat
        ply = self.match.ply if ply is None else ply
        info = info or {"depth": 3, "pv": [1, 2]}
        return self.feed(Acted(seat, ply, action, self.now - lag, self.now, stamp, info))

    def ring(self):
        """Goes to the alarm that is set, and lets it go off."""
        self.now = max(self.now, self.alarm)
        return self.alarm_due()

    def alarm_due(self):
        if self.alarm is not None and self.alarm <= self.now:
            self.alarm = None
        return self.feed(AlarmDue(self.now))

    def restart(self):
        self.connected = [False, False]
        self.alarm = None
        return self.feed(Restarted(self.now))

    def durable(self):
        return self.feed(Durable(self.now))

    def begin(self):
        """Both seats connected and ready."""
        for seat in (0, 1):
            self.attach(seat)
        for seat in (0, 1):
            self.ready(seat)
        return self

    def begin_with(self, seat):
        """One seat connected and ready; the effects of the latter."""
        self.attach(seat)
        return self.ready(seat)

    # effects

    def _perform(self, effects, event):
        for place, effect in enumerate(effects):
            match effect:
                case Append():
                    assert place == 0
                    self.records.append(msgpack.packb(event_to_record(effect.event)))
                case SetAlarm(at):
                    self.alarm = at
                case SendTurn(seat, ply, remaining_ns, last):
                    assert self.connected[seat]
                    assert seat == self.match.state.to_move
                    assert (ply, last) == (self.match.ply, self.match.last)
                    assert 0 <= remaining_ns <= self.match.clock.budgets[seat]
                case SendStart(seat) | SendEnd(seat):
                    assert self.connected[seat]
                case SendPlayed(to, move):
                    assert to is None or self.connected[to]
                    assert move == self.match.last
                case AwaitDurable():
                    self.asked_durable += 1
                case Finish():
                    assert isinstance(event, Durable)
                    assert self.asked_durable == 1
                    self.finishes.append(effect)

    def _check(self):
        match = self.match
        assert self.shadow == match._replace(announced=False)
        assert self.alarm == match.alarm
        assert (match.phase == "finished") == (match.outcome is not None) == (self.asked_durable == 1)
        assert len(self.finishes) == match.announced
        assert min(match.clock.banks) >= 0
        assert match.phase == "playing" or match.clock.deadline is None
        grace = self.config.grace_ms * MS
        assert all(0 <= move.charged_ns <= match.clock.budgets[move.seat] + grace for move in match.moves)
        if match.phase != "finished":
            assert [match.attached[0], match.attached[1]] == self.connected
        assert match.legal == match.state.legal_actions()
        assert match.clock.seat == match.state.to_move or match.state.returns() is not None


def config(**changes) -> MatchConfig:
    """The usual match: 2 s and 0.1 s grace a move, 10 s bank."""
    values = {
        "match": "m1",
        "game": "connect4",
        "players": ("ada", "bob"),
        "move_ms": 2000,
        "grace_ms": 100,
        "ready_ms": 30_000,
        "away_ms": 10_000,
        "ply_limit": 200,
    }
    return MatchConfig(**{**values, **changes})
