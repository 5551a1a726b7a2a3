"""One match in progress: performs the referee's effects in order.

The referee decides; this shell owns the alarm, the connections of the two seats and the journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, assert_never

import palestra_referee as referee
from palestra_games import Seat, State, get_game
from palestra_games.interface import SEATS
from palestra_protocol.messages import Action, Message, Resign
from palestra_referee import (
    Acted,
    AlarmDue,
    Attached,
    AwaitDurable,
    BecameReady,
    Detached,
    Durable,
    Effect,
    Event,
    Finish,
    Match,
    Outcome,
    Reject,
    Resigned,
    SendEnd,
    SendPlayed,
    SendStart,
    SendTurn,
    SetAlarm,
    TurnWritten,
    Voided,
    link,
    receipt,
    record_line,
    step,
)
from palestra_referee.frames import Wire, end_message, move_fields, played_message, start_message, turn_message
from palestra_server.gateway import Arrival, Hub, PlayerConnection
from palestra_server.runtime.boards import Board
from palestra_server.runtime.reference import References
from palestra_server.runtime.snapshots import BoardHistory, match_snapshot, watched_message
from palestra_server.store import Journal, JournalBroken, Note
from palestra_server.supervision import Supervisor

FAILURES_MAX: Final = 3  # a match that fails more often is given up: not even its end can be announced


@dataclass(frozen=True, slots=True)
class MatchShell:
    """What all matches in progress share. `now` reads the monotonic clock in ns."""

    journal: Journal
    hub: Hub
    now: Callable[[], int]
    supervisor: Supervisor
    references: References
    moved: Callable[[LiveMatch], None]
    announced: Callable[[LiveMatch], None]
    abandoned: Callable[[LiveMatch], None]
    storage_failed: Callable[[BaseException], None]


class LiveMatch:
    """A match in progress. `kept`: its records that are in the journal already, as canonical JSON; `offset`: from the
    shell's clock to the match's own, in ns.

    `finished` is set to the outcome when the result is announced,
    which is when it is durable; `announced_at`, by the shell's clock, is just before the players are told.
    """

    def __init__(self, shell: MatchShell, match: Match, kept: Sequence[bytes], offset: int) -> None:
        self._shell = shell
        self.match = match
        self.game = get_game(match.config.game)
        self.topic = f"match:{match.config.match}"
        self.finished: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.announced_at = 0
        self._seats: list[PlayerConnection | None] = [None, None]
        self._records = len(kept)
        self._chain = bytes.fromhex(receipt(kept))
        self._unkept: TurnWritten | None = None
        self.notes: list[Note] = []  # what bots noted here since it runs, which may not be on disk yet
        self._note: Note | None = None  # of the bot whose action is being taken
        self._offset = offset
        self._failures = 0
        self._alarm: int | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._told_of: State | None = None
        self._told: tuple[Wire, Wire | None] = {}, None
        self._boards: BoardHistory | None = None
        self._viewed: State | None = None
        self._view: Board | None = None

    @property
    def id(self) -> str:
        return self.match.config.match

    @property
    def players(self) -> tuple[str, str]:
        return self.match.config.players

    @property
    def receipt(self) -> str:
        """Of all that was journalled so far: the match's, once it is over."""
        return self._chain.hex()

    def now(self) -> int:
        return self._shell.now() + self._offset

    def seats_of(self, player: str, guest: bool) -> tuple[Seat, ...]:
        """The seats of this player: a guest's are for a guest, all others for who has proved to be that player."""
        config = self.match.config
        return tuple(seat for seat in SEATS if (config.players[seat], config.guests[seat]) == (player, guest))

    def holds(self, peer: PlayerConnection) -> tuple[Seat, ...]:
        """The seats that this connection plays."""
        return tuple([seat for seat in SEATS if self._seats[seat] is peer])

    def attach(self, peer: PlayerConnection, at: int | None = None) -> None:
        """The player is connected; `at`: when its `hello` arrived (ns, monotonic), for a new connection."""
        for seat in self.seats_of(peer.player, peer.guest):
            self._seats[seat] = peer
            began = self.now() if at is None else at + self._offset
            self.feed(Attached(seat, began, not peer.continued, peer.version))

    def detach(self, peer: PlayerConnection) -> None:
        """The player's connection ended, at the time the peer says, not when the server noticed."""
        for seat in self.holds(peer):
            self._seats[seat] = None
            self.feed(Detached(seat, peer.left_at + self._offset))

    def ready(self, peer: PlayerConnection, arrival: Arrival) -> None:
        for seat in self.holds(peer):
            self.feed(BecameReady(seat, arrival.at + self._offset))

    def act(self, peer: PlayerConnection, message: Action, arrival: Arrival) -> None:
        info = None if message.info is None else message.info.model_dump(exclude_none=True)
        for seat in self.holds(peer):
            self._note = None if not message.note else Note(message.ply, seat, message.note)
            self.feed(
                Acted(
                    seat,
                    message.ply,
                    message.action,
                    arrival.at + self._offset,
                    arrival.seen + self._offset,
                    arrival.stamp,
                    info,
                )
            )
            self._note = None

    def resign(self, peer: PlayerConnection, message: Resign, arrival: Arrival) -> None:
        at = arrival.at + self._offset
        if self._alarm is not None and at >= self._alarm:
            # The verdict is the alarm's, and so is reading what has arrived before it.
            self._drain()
        for seat in self.holds(peer)[:1]:
            self.feed(Resigned(seat, at, message.crashed))

    def feed(self, event: Event) -> None:
        self._shell.supervisor.run("match event", self, self._feed, event)

    def _feed(self, event: Event) -> None:
        before = self.match
        after, effects = step(before, event)
        late = self._late_bot_of_ours(before, after, event)
        if late is not None:
            # The host's own machine was slow to start it: nobody wins or loses by that.
            after, effects = step(before, Voided({"code": "house_late", "player": late}, self.now()))
        self.match = after
        self.perform(effects)

    def failed(self, work: str, error: Exception) -> None:
        """Something of this match failed, most likely its game: it counts for nobody, and its players are free.

        A result that stands already is announced all the same.
        """
        self._shell.supervisor.failed(f"{work}, {self.game.name}", error)
        self._failures += 1
        if self._failures > FAILURES_MAX:
            self._abandon()
        elif self.match.outcome is None:
            why = {"code": "failed", "game": self.game.name, "error": type(error).__name__}
            self.feed(Voided(why, self.now()))
        elif not self.match.announced:
            self._shell.journal.when_durable(self._durable)

    def _abandon(self) -> None:
        """Not even its end can be announced: it stays in the journal as it is, and its players are free."""
        self.close()
        if not self.finished.done():
            self.finished.cancel()
            self._shell.abandoned(self)

    def _late_bot_of_ours(self, before: Match, after: Match, event: Event) -> str | None:
        """A bot of this server that is missing or not ready, and would lose by that now."""
        if after.outcome is None and type(event) is not AlarmDue:
            return None
        missing: tuple[Seat, ...] = ()
        if after.outcome is not None and before.outcome is None:
            if after.outcome.reason == "not_ready":
                missing = tuple(seat for seat in SEATS if not after.ready[seat])
            elif after.outcome.reason == "disconnect":
                missing = (after.clock.seat,)
        elif before.waits and not after.waits:
            missing = (before.clock.seat,)
        return next(
            (self.players[seat] for seat in missing if self.players[seat] in self._shell.references.names), None
        )

    def perform(self, effects: tuple[Effect, ...]) -> None:
        """Perform the effects in order; then, if a turn was among them, tell the referee that it was sent.

        A message that can't be made keeps no other effect from being performed.
        """
        match = self.match
        written: TurnWritten | None = None
        broken: Exception | None = None
        for effect in effects:
            try:
                if type(effect) is referee.Append:
                    if type(effect.event) is TurnWritten:
                        # Useless after a crash (the mover then has a full clock): it is journalled with the next event.
                        self._unkept = effect.event
                    elif not self._keep(match, effect.event):
                        return
                elif type(effect) is SendTurn:
                    if self._send_turn(match, effect):
                        written = TurnWritten(effect.ply, self.now())
                elif type(effect) is SendPlayed:
                    self._send_played(match, effect)
                elif type(effect) is SetAlarm:
                    self._set_alarm(effect.at)
                elif type(effect) is SendStart:
                    self._send(effect.seat, start_message(match, effect.seat))
                elif type(effect) is Reject:
                    peer = self._seats[effect.seat]
                    if peer is not None:
                        peer.reject(effect.code, effect.message, match=self.id, ply=effect.ply, legal=effect.legal)
                elif type(effect) is AwaitDurable:
                    self._shell.journal.when_durable(self._durable)
                elif type(effect) is Finish:
                    self._announce(effect.outcome)
                elif type(effect) is SendEnd:
                    assert match.outcome is not None
                    self._send(effect.seat, end_message(match, match.outcome, self.receipt))
                else:
                    assert_never(effect)
            except Exception as error:
                broken = error
        if written is not None:
            self.feed(written)
        if broken is not None:
            self._shell.supervisor.report("match message", self, broken)

    def close(self) -> None:
        if self._unkept is not None and not self._shell.journal.broken:
            self._keep(self.match)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        # Its players may be told of it again for long, but who watches it now reads the journal.
        self._boards = self._viewed = self._view = None

    def _keep(self, match: Match, *events: Event) -> bool:
        """Journal these events, after the one held back; False if the journal is broken."""
        if self._unkept is not None:
            events = (self._unkept, *events)
            self._unkept = None
        lines = []
        for event in events:
            line = record_line(event)
            self._chain = link(self._chain, line)
            lines.append(line)
        over = (match, self.receipt) if match.phase == "finished" else None
        note, self._note = self._note, None
        try:
            self._shell.journal.append(match.config.match, self._records, *lines, finished=over, note=note)
        except JournalBroken as error:
            # What can't be kept must not be announced either.
            self._shell.storage_failed(error)
            return False
        self._records += len(lines)
        if note is not None:
            self.notes.append(note)
        return True

    # Sending:

    def _send(self, seat: Seat, message: Message | Wire) -> None:
        peer = self._seats[seat]
        if peer is not None:
            peer.send(message)

    def _send_turn(self, match: Match, effect: SendTurn) -> bool:
        peer = self._seats[effect.seat]
        if peer is None:
            return False
        peer.send(turn_message(match, effect, *self._position(match)))
        # The bot's clock starts only when the frame is with the socket: building it was our time.
        peer.flush()
        return True

    def _send_played(self, match: Match, effect: SendPlayed) -> None:
        if effect.to is None:
            self._tell_watchers(match)
            return
        peer = self._seats[effect.to]
        if peer is not None:
            state, move = self._position(match)
            assert move is not None
            peer.send(played_message(match, move, state))

    def _tell_watchers(self, match: Match) -> None:
        if self._shell.hub.watched(self.topic):
            # Made when it is delivered: the next player's move does not wait for a drawing of this one.
            self._shell.hub.publish(self.topic, partial(self._watched, match, *self._position(match)))
        self._shell.moved(self)

    def _watched(self, match: Match, state: Wire, move: Wire | None) -> Wire:
        assert move is not None
        return watched_message(match, move, state, self.view_of(match.state))

    def snapshot(self, title: str | None) -> Wire | None:
        """`title` is the tournament's. None if the game can't draw it, which ends the match."""
        if self._boards is None:
            self._boards = BoardHistory(self.match.config.game)
        return self._shell.supervisor.run(
            "match snapshot", self, match_snapshot, self.match, self.now(), title, self._boards
        )

    @property
    def view(self) -> Board | None:
        """The current `BoardView`, made once for all watchers; None if the game can't draw it, which ends the match."""
        return self.view_of(self.match.state)

    def view_of(self, state: State) -> Board | None:
        if self.finished.done():  # who is still told of it is the last: nothing is kept any more
            return self._drawn(state)
        if state is not self._viewed:
            self._viewed = state
            self._view = self._drawn(state)
        return self._view

    def _drawn(self, state: State) -> Board | None:
        return self._shell.supervisor.run("match board", self, lambda: Board(self.game.view(state)))

    def _position(self, match: Match) -> tuple[Wire, Wire | None]:
        """The position as it is sent and the move that led to it, made once for everybody."""
        if match.state is not self._told_of:
            last = match.last
            self._told = match.state.to_wire(), None if last is None else move_fields(last, self.game)
            self._told_of = match.state
        return self._told

    def _announce(self, outcome: Outcome) -> None:
        self.announced_at = self._shell.now()
        message = end_message(self.match, outcome, self.receipt)
        for seat in SEATS:
            self._send(seat, message)
        if self._shell.hub.watched(self.topic):
            self._shell.hub.publish(self.topic, {**message.fields(), "why": outcome.why})
        self.close()
        if not self.finished.done():
            self.finished.set_result(outcome)
        self._shell.announced(self)

    def peer_of(self, seat: Seat) -> PlayerConnection | None:
        return self._seats[seat]

    # The journal and the alarm:

    def _durable(self, error: BaseException | None) -> None:
        """Called in the journal's thread."""
        self._shell.supervisor.from_thread("match saved", self, self._now_durable, error)

    def _now_durable(self, error: BaseException | None) -> None:
        if error is None:
            self.feed(Durable(self.now()))
        else:
            self._shell.storage_failed(error)

    def _set_alarm(self, at: int | None) -> None:
        # One timer serves many plies: it is rearmed only when the new alarm comes before the timer.
        self._alarm = at
        if at is not None and (self._timer is None or at < self._timer_at):
            self._arm(at)

    def _arm(self, at: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._shell.supervisor.later("match alarm", self, max(0, at - self.now()) / 1e9, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._alarm is None:
            return
        if self.now() < self._alarm:
            self._arm(self._alarm)
            return
        self._drain()
        if self._alarm is not None and self._alarm <= self.now():
            self.feed(AlarmDue(self.now()))

    def _drain(self) -> None:
        """Read what may still wait in the kernel, so that an action sent in time counts before the verdict."""
        for peer in tuple(self._seats):
            if peer is not None:
                peer.drain()
