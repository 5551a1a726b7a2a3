"""Speed of the games of `palestra_games` in pure Python, and correctness of their move counts at depth.

Random games are played alternately in OpenSpiel's loop over its C++ states, in the same loop over ours, by two random
bots as `palestra arena --in-process` plays them, and by two of OpenSpiel's as its `evaluate_bots` does: the arena and
`evaluate_bots` call a bot for each move, the loops draw the action themselves. Times are CPU seconds of this process,
single-threaded; the last row of each game is by the wall: the whole arena with as many processes as there are
processors, their start included, beside OpenSpiel's loop in one process.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
from collections import Counter
from collections.abc import Callable
from time import perf_counter, process_time

from palestra_client.arena import in_process, pooled, unrefereed
from palestra_client.arena.contenders import contenders
from palestra_client.arena.fixtures import Settings, fixtures
from palestra_games import State, get_game

ROUNDS = 7
"""Repetitions of each loop; the fastest counts, since the others were disturbed."""
GAMES = 1000
"""Games per repetition."""
WALL_ROUNDS = 3
WALL_GAMES = 100_000
"""Enough that starting processes is a small part, as in a real run."""
OPEN_SPIEL = {"connect4": "connect_four", "mancala": "mancala"}
"""OpenSpiel's names for the same games."""

PERFT = {
    "connect4": (8, 5_673_234),
    "connect4-8x8": (8, 16_553_664),
    "desconecta4": (10, 268_208_262),
    "mancala": (9, 2_763_490),
}
"""The deepest published count of each game: (plies, action sequences)."""


def run() -> list[tuple[str, str]]:
    """Rows of (label, figure): random games per second, then the deep counts."""
    rows = [row for name in PERFT for row in (*random_games(name), on_the_wall(name))]
    return rows + [deep_perft(name) for name in PERFT]


def random_games(name: str) -> list[tuple[str, str]]:
    """Play random games from the initial state, in each loop available for this game."""
    loops: dict[str, Callable[[], object]] = {"rules": lambda: _ours(name), "arena": lambda: _arena(name)}
    if name in OPEN_SPIEL and importlib.util.find_spec("pyspiel") is not None:
        loops = {"OpenSpiel": lambda: _theirs(OPEN_SPIEL[name]), **loops}
        loops["OpenSpiel's bots"] = lambda: _their_bots(OPEN_SPIEL[name])
    rates: dict[str, list[float]] = {what: [] for what in loops}
    for _ in range(ROUNDS):
        for what, play in loops.items():
            begun = process_time()
            play()
            rates[what].append(GAMES / (process_time() - begun))
    best = {what: max(rate) for what, rate in rates.items()}
    theirs = best.get("OpenSpiel")
    rows = []
    for what, rate in best.items():
        against = "" if theirs is None or what == "OpenSpiel" else f", {rate / theirs:.2f} of OpenSpiel"
        rows.append((f"{name}: random games, {what}", f"{rate:,.0f}/s{against}"))
    return rows


def on_the_wall(name: str) -> tuple[str, str]:
    """The best of a few runs of the arena as the command starts it, and of OpenSpiel's loop in between."""
    jobs = os.cpu_count() or 1
    arena, theirs = [], []
    for _ in range(WALL_ROUNDS):
        begun = perf_counter()
        played = in_process.play(
            contenders(["random", "random"]), Settings(name, jobs=jobs), fixtures(2, WALL_GAMES, [()])
        )
        games = sum(map(len, played))
        arena.append(games / (perf_counter() - begun))
        if name in OPEN_SPIEL and importlib.util.find_spec("pyspiel") is not None:
            begun = perf_counter()
            _theirs(OPEN_SPIEL[name], WALL_GAMES // 10)
            theirs.append(WALL_GAMES // 10 / (perf_counter() - begun))
    beside = f", {max(arena) / max(theirs):.2f} of OpenSpiel's one ({max(theirs):,.0f}/s)" if theirs else ""
    return f"{name}: arena, wall, {jobs} processes", f"{max(arena):,.0f}/s{beside}"


def _ours(name: str) -> None:
    dice, start = random.Random(1), get_game(name).initial_state()
    for _ in range(GAMES):
        state = start
        while legal := state.legal_actions():
            state = state.apply(dice.choice(legal))


def _theirs(name: str, games: int = GAMES) -> None:
    dice, game = random.Random(1), importlib.import_module("pyspiel").load_game(name)
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(dice.choice(state.legal_actions()))


def _their_bots(name: str) -> None:
    evaluate_bots = importlib.import_module("open_spiel.python.algorithms.evaluate_bots").evaluate_bots
    make = importlib.import_module("open_spiel.python.bots.uniform_random").UniformRandomBot
    dice, game = random.Random(1), importlib.import_module("pyspiel").load_game(name)
    for _ in range(GAMES):
        evaluate_bots(game.new_initial_state(), [make(seat, dice) for seat in (0, 1)], dice)


def _arena(name: str) -> None:
    pair = contenders(["random", "random"])
    names, factories = [each.name for each in pair], [pooled.factory_of(each.words) for each in pair]
    unrefereed.play_here(names, factories, Settings(name), fixtures(2, GAMES, [()]))


def deep_perft(name: str) -> tuple[str, str]:
    """Count action sequences, merging equal states at each ply; raises AssertionError if the count is wrong."""
    plies, published = PERFT[name]
    begun = process_time()
    level: Counter[State] = Counter({get_game(name).initial_state(): 1})
    for _ in range(plies - 1):
        following: Counter[State] = Counter()
        for state, ways in level.items():
            for action in state.legal_actions():
                following[state.apply(action)] += ways
        level = following
    count = sum(ways * len(state.legal_actions()) for state, ways in level.items())
    if count != published:
        raise AssertionError(f"perft {plies} of {name} is {count:,}, not {published:,}")
    return f"{name}: perft {plies}", f"{count:,}, as published, in {process_time() - begun:.1f} s"
