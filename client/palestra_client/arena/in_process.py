"""The in-process arena, for many matches between trusted bots: no subprocess per bot, and no enforced clock.

Bots and rules share one loop in a single process, or in several that split the fixtures between them. For bots that
answer in time, matches end as they do under the referee: an exception or an illegal action loses the match, unless the
bot has a fallback. A bot that is late, or never answers, is waited for.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from time import monotonic
from typing import TypeAlias

from palestra_client.arena.contenders import Contender
from palestra_client.arena.running import Fixture, Result, Settings
from palestra_client.bot import Bot
from palestra_client.factories import BotFactory, NoBot
from palestra_client.loading import load_factory
from palestra_client.match import LastMove, Match
from palestra_client.match import Result as Ended
from palestra_client.options import bind, read_options
from palestra_client.turn import Turn
from palestra_client.worker import as_action
from palestra_games import Game, IllegalAction, State, get_game
from palestra_games.interface import DRAW, OPPONENT, WIN
from palestra_referee import Outcome

CHUNKS = 20
"""Chunks of work per process: enough to keep the progress bar moving."""
FAULTS = (Exception, SystemExit)
"""What counts as a bot's failure: a bot that calls `exit()` must not end the arena."""
new = object.__new__
Makers: TypeAlias = tuple[BotFactory, BotFactory]


def factory_of(contender: Contender) -> BotFactory:
    """Load the contender's factory into this process. Raises NoBot and BadOption."""
    target, *options = contender.words
    return bind(load_factory(target), read_options(options))


def play(contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]) -> Iterator[list[Result]]:
    """Play the fixtures, yielding results in batches as they come in."""
    if settings.jobs == 1:
        factories = [factory_of(contender) for contender in contenders]
        for chunk in _chunks(planned, CHUNKS):
            yield _play(contenders, factories, settings, chunk)
        return
    # Never fork: the child would inherit locks held by this process's threads.
    spawn = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(settings.jobs, mp_context=spawn, initializer=_end_with_parent) as pool:
        try:
            with _deaf_to_ctrl_c():
                chunks = _chunks(planned, CHUNKS * settings.jobs)
                running = [pool.submit(_load_and_play, contenders, settings, chunk) for chunk in chunks]
            for done in as_completed(running):
                yield done.result()
        except BrokenProcessPool:
            raise NoBot(
                "One of the bots ended its process (os._exit, or a crash in a library); without --in-process you see "
                "which."
            ) from None
        except BaseException:  # on Ctrl-C or an early stop, don't wait for matches in progress
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Make processes started in this context ignore Ctrl-C.

    The arena handles it and terminates them; otherwise each would print a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _end_with_parent() -> None:
    """Exit this pool process when the arena is gone; otherwise it would wait for work forever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="palestra parent", daemon=True).start()


def _chunks(planned: Sequence[Fixture], count: int) -> list[Sequence[Fixture]]:
    size = max(1, -(-len(planned) // count))
    return [planned[begin : begin + size] for begin in range(0, len(planned), size)]


_loaded: dict[tuple[Contender, ...], list[BotFactory]] = {}
"""The factories this pool process has already loaded."""


def _load_and_play(contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]) -> list[Result]:
    key = tuple(contenders)
    if key not in _loaded:
        _loaded[key] = [factory_of(contender) for contender in contenders]
    return _play(contenders, _loaded[key], settings, planned)


def _play(
    contenders: Sequence[Contender], factories: Sequence[BotFactory], settings: Settings, planned: Sequence[Fixture]
) -> list[Result]:
    game = get_game(settings.game)
    results = []
    for fixture in planned:
        for leg, seats in enumerate(fixture.seatings):
            names = contenders[seats[0]].name, contenders[seats[1]].name
            makers = factories[seats[0]], factories[seats[1]]
            number = fixture.number + leg
            outcome = _match(number, game, settings, fixture, names, makers)
            results.append(Result(number, seats, outcome))
    return results


class _Turn(Turn):
    """A turn that computes its history and clock lazily, and discards reports.

    The time for the move starts running when the bot first asks how much is left.
    """

    __slots__ = ("action", "before", "until")

    action: int
    """The action actually played."""
    before: _Turn | None
    until: float

    @property
    def wanted(self) -> bool:
        return True

    @property
    def remaining_s(self) -> float:
        now = monotonic()
        if not hasattr(self, "until"):
            self.until = now + self.match.move_s
        return max(0.0, self.until - now)

    @property
    def last(self) -> LastMove | None:
        if self.before is None:
            return None
        name = get_game(self.match.game).action_name(self.before.action)
        return LastMove(self.before.ply, self.before.seat, self.before.action, name, 0.0)

    @property
    def history(self) -> tuple[int, ...]:
        actions, turn = [], self.before
        while turn is not None:
            actions.append(turn.action)
            turn = turn.before
        return (*self.match.opening, *reversed(actions))

    def report(self, **found: object) -> None:
        """Do nothing: there are no spectators."""


def _match(
    number: int, game: Game, settings: Settings, fixture: Fixture, names: tuple[str, str], makers: Makers
) -> Outcome:
    matches = _matches(number, settings, fixture.opening, names)
    bots: list[Bot] = []
    for match, maker in zip(matches, makers, strict=True):
        try:
            bots.append(maker())
            bots[-1].warm_up(game)
            bots[-1].on_start(match)
        except FAULTS as error:
            return _resigned(match, f"before the match: {_words(error)}")
    ply, outcome = _moves(game, matches, (bots[0], bots[1]), settings.ply_limit)
    for match, bot in zip(matches, bots, strict=True):
        if type(bot).on_end is not Bot.on_end:
            with suppress(*FAULTS):
                bot.on_end(Ended(match, outcome.returns, outcome.reason, outcome.detail, ply))
    return outcome


def _moves(game: Game, matches: tuple[Match, Match], bots: tuple[Bot, Bot], limit: int) -> tuple[int, Outcome]:
    """Play the match. Returns the number of plies and the outcome."""
    opening = matches[0].opening
    state, ply = _after(game.name, opening), len(opening)
    choosers = bots[0].choose, bots[1].choose
    turn: _Turn | None = None
    while legal := state.legal_actions():
        if ply == limit:
            return ply, Outcome(DRAW, "ply_limit", f"A draw: the match came to its ply limit of {ply}.")
        seat = state.to_move
        # Calling the constructor would take twice as long.
        before, turn = turn, new(_Turn)
        turn.match = matches[seat]
        turn.state = state
        turn.ply = ply
        turn.legal = legal
        turn.before = before
        # Judge by our own `state` and `legal`: the bot may have modified its turn.
        try:
            choice = choosers[seat](turn)
            action = choice if type(choice) is int else as_action(choice)
        except FAULTS as error:
            instead = _fallback(bots[seat], turn, legal)
            if instead is None:
                return ply, _resigned(matches[seat], f"at ply {ply}: {_words(error)}")
            action = instead
        try:
            state = state.apply(action)
        except IllegalAction as error:
            instead = _fallback(bots[seat], turn, legal)
            if instead is None:
                who = matches[seat].players[seat]
                return ply, Outcome(WIN[OPPONENT[seat]], "illegal", f"{who} at ply {ply}: {error}")
            action = instead
            state = state.apply(action)
        turn.action = action
        ply += 1
    returns = state.returns()
    assert returns is not None
    return ply, _by_rules(returns)


@lru_cache(maxsize=1)
def _after(game: str, opening: tuple[int, ...]) -> State:
    """The position after an opening. Cached, because consecutive matches share it."""
    state = get_game(game).initial_state()
    for action in opening:
        state = state.apply(action)
    return state


def _fallback(bot: Bot, turn: Turn, legal: tuple[int, ...]) -> int | None:
    """The bot's fallback action after `choose` failed; None if it resigns."""
    try:
        choice = bot.fallback(turn)
        action = None if choice is None else as_action(choice)
    except FAULTS:
        return None
    return action if action in legal else None


def _resigned(match: Match, why: str) -> Outcome:
    return Outcome(WIN[OPPONENT[match.seat]], "resign", f"{match.players[match.seat]} {why}")


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


@cache
def _by_rules(returns: tuple[float, float]) -> Outcome:
    return Outcome(returns, "rules", "")


def _matches(number: int, settings: Settings, opening: tuple[int, ...], names: tuple[str, str]) -> tuple[Match, Match]:
    """The match as seen from each seat."""
    name, game, move_s, ready_s = f"a-{number}", settings.game, settings.move_ms / 1000, settings.ready_ms / 1000
    return (
        Match(name, game, 0, names, move_s, 0.0, ready_s, 0.0, opening),
        Match(name, game, 1, names, move_s, 0.0, ready_s, 0.0, opening),
    )
