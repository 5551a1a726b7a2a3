"""One match between two guests of a house, under the server's referee and clock; and finished ones as an export."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import palestra_referee as referee
from palestra_client.arena.local_server import SERVER, Arrival, Gone, Guest, Joined, Left
from palestra_games import Game, Seat, get_game
from palestra_games.interface import SEATS
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.messages import Action, Error, Ready, Resign
from palestra_referee.frames import end_message, move_fields, played_message, start_message, turn_message
from palestra_referee.layout import NOWHERE, match_entry


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished match. `events` is its journal, from which `palestra_referee.replay` can rebuild it.

    `started_ms` and `ended_ms` are Unix times in milliseconds.
    """

    match: referee.Match
    outcome: referee.Outcome
    events: tuple[referee.Event, ...]
    started_ms: int
    ended_ms: int

    def entry(self, receipt: str = "") -> dict[str, Any]:
        """As an export has it."""
        return match_entry(self.match, receipt, NOWHERE, self.started_ms, self.ended_ms)


def save(file: Path, played: Sequence[Finished], now_ms: int) -> None:
    """Write an export (RECORDS.md), as a server does. `now_ms` is the Unix time in milliseconds. Raises OSError."""
    # 0.1 s to import, for those who save.
    from palestra_tournament.export import ExportWriter

    records = [[referee.record_line(event) for event in finished.events] for finished in played]
    with file.open("wb") as archive, ExportWriter(archive, SERVER, now_ms) as export:
        export.matches(finished.entry(referee.receipt(lines)) for finished, lines in zip(played, records, strict=True))
        export.journal(
            (finished.match.config.match, seq, line)
            for finished, lines in zip(played, records, strict=True)
            for seq, line in enumerate(lines)
        )


class Table:
    """A match in progress. Feeds what the guests send to the referee, and performs its effects at once.

    There is no disk to wait for, so journalled events are durable immediately.
    """

    def __init__(
        self, config: referee.MatchConfig, guests: tuple[Guest, Guest], now: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._guests = guests
        self._clock = now
        self._begun = now()
        self._game: Game = get_game(config.game)
        self._gone = [False, False]
        self._events: list[referee.Event] = []
        self._heard: asyncio.Queue[tuple[Seat, Arrival]] = asyncio.Queue()
        self._outcome: referee.Outcome | None = None
        self.match, self._opening_effects = referee.start(config, 0)

    def _now(self) -> int:
        """A match has its own time, from 0."""
        return self._clock() - self._begun

    async def play(self) -> Finished:
        started_ms = time.time_ns() // 1_000_000
        for seat, guest in zip(SEATS, self._guests, strict=True):
            guest.matches = (self.match.config.match,)
            guest.listen = partial(self._note, seat)
        self._perform(self._opening_effects)
        for seat in SEATS:
            if self._guests[seat].connected and self._outcome is None:
                self._feed(referee.Attached(seat, self._now(), fresh=True))
        while self._outcome is None:
            await self._next()
        for guest in self._guests:
            guest.matches = ()
            guest.listen = lambda _: None
        return Finished(self.match, self._outcome, tuple(self._events), started_ms, time.time_ns() // 1_000_000)

    def _note(self, seat: Seat, arrival: Arrival) -> None:
        self._heard.put_nowait((seat, arrival))

    async def _next(self) -> None:
        alarm = self.match.alarm
        if alarm is not None and self._nobody_comes_back():
            self._feed(referee.AlarmDue(alarm))
            return
        wait_s = None if alarm is None else (alarm - self._now()) / 1e9
        try:
            seat, arrival = await asyncio.wait_for(self._heard.get(), wait_s)
        except TimeoutError:
            await asyncio.sleep(0)  # an answer that arrived in time may still be in the socket
            if self._heard.empty():
                self._feed(referee.AlarmDue(self._now()))
                return
            seat, arrival = self._heard.get_nowait()  # before Python 3.12 `wait_for` takes nothing without time left
        self._hear(seat, arrival)

    def _nobody_comes_back(self) -> bool:
        """Whether waiting is pointless, because every player being waited for has no process any more."""
        if self.match.phase == "playing":
            return self.match.clock.away and self._gone[self.match.clock.seat]
        return all(gone or ready for gone, ready in zip(self._gone, self.match.ready, strict=True))

    def _hear(self, seat: Seat, arrival: Arrival) -> None:
        at = arrival.at - self._begun
        match arrival.heard:
            case Ready(match=name) if name == self.match.config.match:
                self._feed(referee.BecameReady(seat, at))
            case Action(match=name, ply=ply, action=action, info=info) if name == self.match.config.match:
                told = None if info is None else info.model_dump(exclude_none=True)
                self._feed(referee.Acted(seat, ply, action, at, self._now(), "read", told))
            case Resign(match=name, crashed=crashed) if name == self.match.config.match:
                self._feed(referee.Resigned(seat, at, crashed))
            case Joined(resumed):
                self._feed(referee.Attached(seat, at, fresh=not resumed))
            case Left():
                self._feed(referee.Detached(seat, at))
            case Gone():
                self._gone[seat] = True
            case BadMessage() as fault:
                self._guests[seat].send(Error(code="bad_message", message=str(fault)))
            case _:
                pass  # about a finished match, or meaningless in the arena

    def _feed(self, event: referee.Event) -> None:
        self.match, effects = referee.step(self.match, event)
        self._perform(effects)

    def _perform(self, effects: tuple[referee.Effect, ...]) -> None:
        later: list[referee.Event] = []
        match = self.match
        for effect in effects:
            match effect:
                case referee.Append(event):
                    self._events.append(event)
                case referee.SendStart(seat):
                    self._guests[seat].send(start_message(match, seat))
                case referee.SendTurn(seat, ply):
                    last = None if effect.last is None else move_fields(effect.last, self._game)
                    self._guests[seat].send(turn_message(match, effect, match.state.to_wire(), last))
                    later.append(referee.TurnWritten(ply, self._now()))
                case referee.SendPlayed(to, move) if to is not None:
                    self._guests[to].send(played_message(match, move_fields(move, self._game), match.state.to_wire()))
                case referee.Reject(seat, code, message, ply, legal):
                    error = Error(code=code, message=message, match=match.config.match, ply=ply, legal=legal)
                    self._guests[seat].send(error)
                case referee.AwaitDurable():
                    later.append(referee.Durable(self._now()))
                case referee.Finish(outcome):
                    self._outcome = outcome
                    for guest in self._guests:
                        guest.send(end_message(match, outcome))
                case referee.SendEnd(seat) if match.outcome is not None:
                    self._guests[seat].send(end_message(match, match.outcome))
                case _:
                    # `_next` reads the alarm from the match.
                    assert isinstance(effect, referee.SetAlarm | referee.SendPlayed | referee.SendEnd)
        for event in later:
            self._feed(event)
