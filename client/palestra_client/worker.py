"""The thread that runs the bot of one match, so that a heavy `choose` never holds up the connection.

A thread suffices: Python code releases the GIL every 5 ms, and compiled code with `nogil` (Numba, NumPy) doesn't hold
it at all. A C extension that keeps it for its whole computation stops the connection for that long, which a server
tolerates for 10 s: more than the time for a move. What a thread can't do is end a `choose` that never returns: it runs
until the program ends, its `turn.remaining_s` at 0.
"""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from queue import SimpleQueue
from types import FrameType
from typing import TypeAlias

from palestra_client.bot import Bot
from palestra_client.choices import BadChoice, as_action
from palestra_client.debugging import asked
from palestra_client.factories import BotFactory
from palestra_client.match import Match, Result
from palestra_client.reports import to_info, to_note
from palestra_client.turn import Turn
from palestra_games import Game
from palestra_protocol.messages import Info


@dataclass(frozen=True, slots=True)
class BotReady:
    """The bot has been created and warmed up."""


@dataclass(frozen=True, slots=True)
class Chose:
    """The answer to question `number`, given at `at` on the worker's clock."""

    number: int
    action: int
    info: Info | None
    at: float
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The bot raised `error` in its method `where`, over question `number` if it was in `choose`. `instead` is the
    action to play in its place; without one the match can't go on.
    """

    where: str
    error: BaseException
    number: int | None
    turn: Turn | None
    instead: int | None = None


Outcome: TypeAlias = BotReady | Chose | Failed


@dataclass(eq=False)
class Worker:
    """Runs the bot of one match. `post` is called in the worker's thread with each outcome.

    If `choose` raises or returns an illegal action, the bot's `fallback` is asked for one instead; with `never_resign`,
    the first legal action is played if it has none.

    The thread is a daemon: a bot that hangs doesn't keep the program from ending.
    """

    factory: BotFactory
    match: Match
    game: Game
    _: KW_ONLY
    clock: Callable[[], float]
    post: Callable[[Outcome], None]
    never_resign: bool = False

    def __post_init__(self) -> None:
        # Questions, each with its number, and then how the match ended.
        self._jobs: SimpleQueue[tuple[int, Turn] | Result | None] = SimpleQueue()
        self._busy = ""
        self._thread = threading.Thread(target=self._run, name=f"palestra {self.match.id}", daemon=True)

    def start(self) -> None:
        """Create the bot and warm it up; posts BotReady or Failed."""
        self._thread.start()

    def ask(self, number: int, turn: Turn) -> None:
        """Have the bot choose, once it has finished what it is doing; posts Chose or Failed."""
        self._jobs.put((number, turn))

    def end(self, result: Result | None) -> None:
        """Tell the bot how the match ended (unless nobody knows) and end the thread, after what it is doing now."""
        self._jobs.put(result)

    def join(self, timeout_s: float) -> None:
        """Wait for the thread to end, for at most this long."""
        self._thread.join(timeout_s)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def busy(self) -> str:
        """The bot's method that is running right now, "" if none."""
        return self._busy

    def frame_of_choose(self) -> FrameType | None:
        """The frame that the thread is executing, if the bot is choosing."""
        ident = self._thread.ident
        return sys._current_frames().get(ident) if ident is not None and self._busy == "choose" else None

    # Anything can come out of a student's code, SystemExit from a forgotten exit() included: hence BaseException.

    def _run(self) -> None:
        bot = self._prepared()
        while isinstance(job := self._jobs.get(), tuple):
            if bot is not None:
                self._choose(bot, *job)
        if bot is not None and job is not None:
            self._tell_end(bot, job)

    def _prepared(self) -> Bot | None:
        try:
            self._busy = "__init__"
            bot = self.factory()
            if not isinstance(bot, Bot):
                raise TypeError(f"{self.factory!r} made a {type(bot).__name__}, which is not a palestra_client.Bot")
            self._busy = "warm_up"
            bot.warm_up(self.game)
            self._busy = "on_start"
            bot.on_start(self.match)
        except BaseException as error:
            self.post(Failed(self._busy, error, None, None))
            return None
        finally:
            self._busy = ""
        self.post(BotReady())
        return bot

    def _choose(self, bot: Bot, number: int, turn: Turn) -> None:
        self._busy = "choose"
        asked.set(turn)
        try:
            # A copy, which the bot may modify as it likes: what is judged, and kept after a crash, is ours.
            action = as_action(bot.choose(copy.copy(turn)))
            if action not in turn.legal and (self.never_resign or type(bot).fallback is not Bot.fallback):
                raise BadChoice(f"choose returned {action}, which is not legal: {', '.join(map(str, turn.legal))} are")
        except BaseException as error:
            instead = self._fallback(bot, turn)
            if instead is not None:
                # The opponent shouldn't wait while we write files.
                self.post(Chose(number, instead, None, self.clock()))
            self.post(Failed("choose", error, number, turn, instead))
        else:
            at = self.clock()
            self.post(Chose(number, action, to_info(turn.reported), at, to_note(turn.reported)))
        finally:
            self._busy = ""

    def _fallback(self, bot: Bot, turn: Turn) -> int | None:
        """The action to play when `choose` gave none; None resigns the match."""
        self._busy = "fallback"
        try:
            choice = bot.fallback(copy.copy(turn))
            action = None if choice is None else as_action(choice)
        except BaseException as error:
            self.post(Failed("fallback", error, None, turn))
            action = None
        if action in turn.legal:
            return action
        return turn.legal[0] if self.never_resign else None

    def _tell_end(self, bot: Bot, result: Result) -> None:
        self._busy = "on_end"
        try:
            bot.on_end(result)
        except BaseException as error:
            self.post(Failed("on_end", error, None, None))
        finally:
            self._busy = ""
