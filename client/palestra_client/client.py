"""A player at a server: one connection, a worker for each match, and the traffic between them."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from palestra_client import crashes, receipts, traces
from palestra_client.backoff import Backoff
from palestra_client.connection import Connection
from palestra_client.effects import Ask, Effect, Finish, Later, Prepare, SetDeadline, Show, Stop, Withdraw
from palestra_client.factories import BotFactory
from palestra_client.match import Match
from palestra_client.notices import BotCrashed, MatchEnds, Notice, StillRunning, Warned
from palestra_client.session import Session, Settings
from palestra_client.silence import GONE_S
from palestra_client.turn import Deadline, Turn
from palestra_client.worker import BotReady, Chose, Failed, Outcome, Worker
from palestra_games import get_game

# Exceptions here end nothing: the match is over, or the exception in `choose` decides what follows.
_HARMLESS = ("on_end", "fallback")
LAST_WORDS_S = 2.0  # how long `on_end` may run after the connection has ended for good


@dataclass(frozen=True, slots=True)
class Player:
    """What all matches of this program share.

    `show` receives every notice, in the event loop's thread; it must not block. `replay_command` builds the command
    that replays a crash file; `receipts` is the file that match receipts are appended to, if any. With `never_resign`,
    an exception in `choose` costs the move rather than the match. The rest is injected so that tests can do without
    real time and randomness.
    """

    factory: BotFactory
    show: Callable[[Notice], None]
    crash_folder: Path = crashes.FOLDER
    receipts: Path | None = None
    never_resign: bool = False
    replay_command: Callable[[Path], str] | None = None
    clock: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    gone_s: float = GONE_S


@dataclass(slots=True)
class _Seat:
    """The bot of one match, and the deadline of its current question."""

    match: Match
    worker: Worker
    turns: dict[int | None, tuple[Turn, Deadline]] = field(default_factory=dict)


class Client:
    """A session with its connection and the bots of its matches.

    `run` returns when there is nothing left to do; cancel it to leave early.
    """

    def __init__(self, player: Player, settings: Settings) -> None:
        self._player = player
        self._session = Session(settings)
        self._connection = Connection(
            self._session,
            perform=self._perform,
            clock=player.clock,
            backoff=Backoff(player.random),
            sleep=player.sleep,
            gone_s=player.gone_s,
        )
        self._seats: dict[str, _Seat] = {}
        self._pauses: set[asyncio.Task[None]] = set()
        self._workers: list[Worker] = []

    async def run(self) -> Stop:
        """Stay connected and play until the server or a fatal error ends it."""
        self._loop = asyncio.get_running_loop()
        try:
            stop = await self._connection.run()
        finally:
            self._let_go()
        await asyncio.to_thread(self._last_words)
        return stop

    @property
    def busy(self) -> bool:
        return any(worker.busy for worker in self._workers)

    @property
    def playing(self) -> tuple[Match, ...]:
        return self._session.playing

    def _let_go(self) -> None:
        """The connection is gone for good: don't wait for any bot."""
        for match in tuple(self._seats):
            self._finish(Finish(match, None))
        for pause in tuple(self._pauses):
            pause.cancel()

    def _last_words(self) -> None:
        until = time.monotonic() + LAST_WORDS_S
        for worker in self._workers:
            if worker.busy != "choose":
                worker.join(max(0.0, until - time.monotonic()))

    async def _wake(self, after_s: float) -> None:
        await self._player.sleep(after_s)
        self._connection.do(self._session.woken())

    def _keep_receipt(self, end: MatchEnds) -> None:
        path = self._player.receipts
        if path is None:
            return
        server_id = self._session.server_id

        def keep() -> None:
            try:
                sentence = receipts.keep(path, self._session.url, server_id, end)
            except OSError as why:
                sentence = f"The receipt could not be kept in {path}: {why.strerror or why}."
            if sentence is not None:
                self._loop.call_soon_threadsafe(self._player.show, Warned(sentence))

        self._loop.run_in_executor(None, keep)  # the disk may be slow, and must not block the connection

    # --- what the session asks for ----------------------------------------------------------------------------

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Show(notice):
                self._player.show(notice)
                if isinstance(notice, MatchEnds) and notice.receipt is not None:
                    self._keep_receipt(notice)
            case Later(after_s):
                pause = self._loop.create_task(self._wake(after_s))
                self._pauses.add(pause)
                pause.add_done_callback(self._pauses.discard)
            case Prepare(match):
                self._prepare(match)
            case Ask():
                self._ask(effect)
            case SetDeadline(match, number, deadline):
                self._seats[match].turns[number][1].at = deadline
            case Withdraw(match, number):
                self._withdraw(self._seats[match], number)
            case Finish():
                self._finish(effect)
            case _:
                raise TypeError(f"{effect!r} is for the connection")

    def _prepare(self, match: Match) -> None:
        def post(outcome: Outcome) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody needs the outcome
                self._loop.call_soon_threadsafe(self._outcome, match, outcome)

        worker = Worker(
            self._player.factory,
            match,
            get_game(match.game),
            clock=self._player.clock,
            post=post,
            never_resign=self._player.never_resign,
        )
        self._workers = [worker for worker in self._workers if worker.alive] + [worker]
        self._seats[match.id] = _Seat(match, worker)
        worker.start()

    def _ask(self, ask: Ask) -> None:
        seat = self._seats[ask.match.id]
        deadline = Deadline(ask.deadline)
        turn = Turn(
            ask.match,
            ask.state,
            ply=ask.ply,
            legal=ask.legal,
            last=ask.last,
            deadline=deadline,
            clock=self._player.clock,
            history=ask.history,
        )
        seat.turns[ask.number] = turn, deadline
        seat.worker.ask(ask.number, turn)

    def _withdraw(self, seat: _Seat, number: int) -> None:
        _, deadline = seat.turns[number]
        overdue = self._player.clock() > deadline.at
        deadline.at = float("-inf")
        frame = seat.worker.frame_of_choose() if overdue else None
        if frame is not None and (where := traces.stack(frame)):
            self._player.show(StillRunning(seat.match, where))

    def _finish(self, finish: Finish) -> None:
        seat = self._seats.pop(finish.match)
        for _, deadline in seat.turns.values():
            deadline.at = float("-inf")
        seat.worker.end(finish.result)

    # --- what the bots did ------------------------------------------------------------------------------------

    def _outcome(self, match: Match, outcome: Outcome) -> None:
        seat = self._seats.get(match.id)
        if seat is not None and isinstance(outcome, Chose | Failed):
            seat.turns.pop(outcome.number, None)
        match outcome:
            case BotReady():
                self._connection.do(self._session.bot_ready(match.id, self._player.clock()))
            case Chose(number, action, info, at, note):
                self._connection.do(self._session.chose(match.id, number, action, info, at, note))
            case Failed(where=where, number=number, instead=instead):
                if instead is None and where not in _HARMLESS:
                    # Don't keep the opponent waiting while we write files.
                    self._connection.do(self._session.bot_failed(match.id, number))
                self._player.show(self._crashed(match, outcome))

    def _crashed(self, match: Match, failed: Failed) -> BotCrashed:
        where, error, turn = failed.where, failed.error, failed.turn
        file = command = problem = None
        if where not in _HARMLESS:
            try:
                path = crashes.save(self._player.crash_folder, where, error, match, turn)
            except OSError as why:
                problem = f"The crash could not be saved in {self._player.crash_folder}: {why.strerror or why}."
            else:
                file = str(path)
                command = None if self._player.replay_command is None else self._player.replay_command(path)
        return BotCrashed(
            match=match,
            where=where,
            ply=None if turn is None else turn.ply,
            board=None if turn is None else str(turn.state),
            report=traces.report(error),
            file=file,
            command=command,
            problem=problem,
            instead=None if failed.instead is None else get_game(match.game).action_name(failed.instead),
        )
