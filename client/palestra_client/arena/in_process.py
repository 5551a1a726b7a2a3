"""The arena without processes for the bots and without a clock: for bots that are trusted, and many matches.

Bots and rules run in one loop of one process, or of several, each of which plays a share of the fixtures. An exception
or an illegal action costs the match; a bot that never answers is waited for.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache

from palestra_client.arena.contenders import Contender
from palestra_client.arena.running import Fixture, Result, Settings
from palestra_client.factories import BotFactory
from palestra_client.loading import load_factory
from palestra_client.match import LastMove, Match
from palestra_client.options import bind, read_options
from palestra_client.turn import Deadline, Turn
from palestra_client.worker import as_action
from palestra_games import Game, Seat, get_game
from palestra_games.interface import DRAW, OPPONENT, WIN
from palestra_referee import Outcome

CHUNKS = 20
"""Shares of the work for each process: enough of them for a progress bar that moves."""
NEVER = Deadline(math.inf)


def factory_of(contender: Contender) -> BotFactory:
    """What makes its bots, in this process. Raises NoBot and BadOption."""
    target, *options = contender.words
    return bind(load_factory(target), read_options(options))


def play(contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]) -> Iterator[list[Result]]:
    """The results, some at a time as they come."""
    if settings.jobs == 1:
        factories = [factory_of(contender) for contender in contenders]
        for chunk in _chunks(planned, CHUNKS):
            yield _play(contenders, factories, settings, chunk)
        return
    # A new interpreter each, on every system: a copy of this one would have a copy of its threads' locks.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(settings.jobs, mp_context=spawn) as pool:
        chunks = _chunks(planned, CHUNKS * settings.jobs)
        running = [pool.submit(_load_and_play, contenders, settings, chunk) for chunk in chunks]
        for done in as_completed(running):
            yield done.result()


def _chunks(planned: Sequence[Fixture], count: int) -> list[Sequence[Fixture]]:
    size = max(1, -(-len(planned) // count))
    return [planned[begin : begin + size] for begin in range(0, len(planned), size)]


_loaded: dict[tuple[Contender, ...], list[BotFactory]] = {}
"""What a process of the pool has loaded already."""


def _load_and_play(contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]) -> list[Result]:
    key = tuple(contenders)
    if key not in _loaded:
        _loaded[key] = [factory_of(contender) for contender in contenders]
    return _play(contenders, _loaded[key], settings, planned)


def _play(
    contenders: Sequence[Contender], factories: Sequence[BotFactory], settings: Settings, planned: Sequence[Fixture]
) -> list[Result]:
    game = get_game(settings.game)
    action_name = cache(game.action_name)
    results = []
    for fixture in planned:
        for leg, seats in enumerate(fixture.seatings):
            names = contenders[seats[0]].name, contenders[seats[1]].name
            makers = factories[seats[0]], factories[seats[1]]
            number = fixture.number + leg
            outcome = _match(number, game, action_name, settings, fixture.opening, names, makers)
            results.append(Result(number, seats, outcome))
    return results


def _match(
    number: int,
    game: Game,
    action_name: Callable[[int], str],
    settings: Settings,
    opening: tuple[int, ...],
    names: tuple[str, str],
    makers: tuple[BotFactory, BotFactory],
) -> Outcome:
    first, second = (_match_of(number, seat, settings, opening, names) for seat in (0, 1))
    matches = first, second
    state = game.initial_state()
    for action in opening:
        state = state.apply(action)
    ply, last, history = len(opening), None, opening
    seat: Seat = 0
    clock, ply_limit = time.monotonic, settings.ply_limit
    try:
        bots = makers[0](), makers[1]()
        for seat in (0, 1):
            bots[seat].warm_up(game)
            bots[seat].on_start(matches[seat])
        while legal := state.legal_actions():
            if ply == ply_limit:
                return Outcome(DRAW, "ply_limit", f"A draw: the match came to its ply limit of {ply}.")
            seat = state.to_move
            turn = Turn(
                matches[seat], state, ply=ply, legal=legal, last=last, deadline=NEVER, clock=clock, history=history
            )
            choice = bots[seat].choose(turn)
            action = choice if type(choice) is int else as_action(choice)
            if action not in legal:
                detail = f"{names[seat]} answered ply {ply} with action {action}, which is not legal there."
                return Outcome(WIN[OPPONENT[seat]], "illegal", detail)
            state = state.apply(action)
            last = LastMove(ply, seat, action, action_name(action), 0.0)
            history = (*history, action)
            ply += 1
    except Exception as error:
        detail = f"{names[seat]} raised {type(error).__name__} at ply {ply}: {error}"
        return Outcome(WIN[OPPONENT[seat]], "resign", detail)
    returns = state.returns()
    assert returns is not None
    return Outcome(returns, "rules", "")


def _match_of(number: int, seat: int, settings: Settings, opening: tuple[int, ...], names: tuple[str, str]) -> Match:
    return Match(
        id=f"a-{number}",
        game=settings.game,
        seat=1 if seat else 0,
        players=names,
        move_s=math.inf,
        grace_s=0.0,
        ready_s=math.inf,
        away_s=0.0,
        opening=opening,
    )
