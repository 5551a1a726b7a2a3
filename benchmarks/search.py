"""The searches: nodes a second and time to depth, reference and fast; depth in 2 s; the clock under load."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from palestra_bots import evaluations
from palestra_bots.analysis_types import Analysis
from palestra_bots.kernels.load import KERNELS
from palestra_bots.search import reference
from palestra_bots.search.fast.searcher import Algorithm, Searcher
from palestra_games import State, get_game

MOVE_S = 2.0
TABLE_BITS = 21
"""32 MB."""
REFERENCE_DEPTH = {"connect4": 6, "connect4-8x8": 5, "desconecta4": 6, "mancala": 7}
DEEP = {"connect4": 10, "connect4-8x8": 9, "desconecta4": 10, "mancala": 11}
VERIFICATION = ("desconecta4", "valoracion_test", 8)
LOADED_MOVES = 1_000
LOADED_REMAINING_S = 0.15


def best_of(runs: int, searcher: Searcher, state: State, depth: int) -> Analysis:
    """The fastest of several equal searches, each with an empty table."""
    found = []
    for _ in range(runs):
        searcher.table[:] = 0
        found.append(searcher.analyse(state, depth=depth))
    return min(found, key=lambda one: one.elapsed_s)


def rate(found: Analysis) -> float:
    """Nodes a second."""
    return found.nodes / max(found.elapsed_s, 1e-9)


def verification() -> list[tuple[str, str]]:
    """The course's depth-8 search of the empty board."""
    game, evaluation, depth = VERIFICATION
    state = get_game(game).initial_state()
    rows = []
    for name, searcher in (
        ("plain alpha-beta", Searcher(game, "alphabeta", evaluation=evaluation, plain=True)),
        ("alpha-beta, ordered, with table", Searcher(game, "alphabeta", evaluation=evaluation, table_bits=14)),
        ("MTD(f)", Searcher(game, "mtdf", evaluation=evaluation, table_bits=14)),
    ):
        found = best_of(20, searcher, state, depth)
        rows.append(
            (
                f"verification search, {name}",
                f"value {found.value}, {found.nodes:,} nodes, {1000 * found.elapsed_s:.2f} ms, "
                f"{rate(found) / 1e6:.1f} M nodes/s",
            )
        )
    return rows


def speeds() -> list[tuple[str, str]]:
    """Plain alpha-beta, the same nodes in Python and compiled, and how soon a greater depth is reached."""
    rows = []
    for game in KERNELS:
        state = get_game(game).initial_state()
        depth, deep = REFERENCE_DEPTH[game], DEEP[game]
        slow = reference.analyse(state, "alphabeta", depth=depth)
        plain = Searcher(game, "alphabeta", plain=True)
        fast = best_of(5, plain, state, depth)
        if fast.nodes != slow.nodes:
            raise AssertionError(f"{game}: {fast.nodes} nodes, and {slow.nodes} by the reference")
        far = best_of(3, plain, state, deep)
        rows.append(
            (
                f"{game}, plain alpha-beta: reference -> fast",
                f"{rate(slow):,.0f} -> {rate(far):,.0f} nodes/s; "
                f"depth {depth} in {slow.elapsed_s:.2f} s -> {1000 * fast.elapsed_s:.2f} ms",
            )
        )
        times = [f"plain {far.elapsed_s:.3f} s"]
        algorithms: tuple[Algorithm, ...] = ("alphabeta", "mtdf")
        for algorithm in algorithms:
            found = best_of(3, Searcher(game, algorithm, table_bits=18), state, deep)
            times.append(f"{algorithm} with table {found.elapsed_s:.3f} s")
        rows.append((f"{game}, time to depth {deep}", ", ".join(times)))
    return rows


def depth_row(label: str, state: State, evaluation: str) -> tuple[str, str]:
    """How deep both algorithms get in MOVE_S, by the wall clock and by the time this thread was given."""
    parts = []
    for algorithm in ("alphabeta", "mtdf"):
        for clock_name, clock in (("wall", time.monotonic), ("cpu", time.thread_time)):
            searcher = Searcher(
                evaluations.game_of(state), algorithm, evaluation=evaluation, table_bits=TABLE_BITS, clock=clock
            )
            searcher.warm_up(state)
            found = searcher.analyse(state, move_s=MOVE_S)
            note = " exact" if found.exact else ""
            parts.append(f"{algorithm} {found.depth}{note} ({clock_name}, {rate(found) / 1e6:.1f} M/s)")
    return f"depth in {MOVE_S:.0f} s: {label}, {evaluation}", ", ".join(parts)


def depths() -> list[tuple[str, str]]:
    """From the start of each game, and along the verification game for desconecta4."""
    rows = [
        depth_row(f"{game}, start", get_game(game).initial_state(), evaluations.default(game).name) for game in KERNELS
    ]
    game, evaluation, depth = VERIFICATION
    state = get_game(game).initial_state()
    plain = Searcher(game, "alphabeta", evaluation=evaluation, plain=True)
    for ply in range(1, 32):
        if ply in (1, 11, 21, 31):
            named = dict.fromkeys((evaluation, evaluations.default(game).name))
            rows.extend(depth_row(f"{game}, ply {ply} of the verification game", state, name) for name in named)
        state = state.apply(plain.analyse(state, depth=depth).action)
    return rows


def under_load() -> list[tuple[str, str]]:
    """Moves of all games with a busy process for every core: how many would have come after the clock."""
    searchers = {game: Searcher(game, "mtdf", table_bits=18) for game in KERNELS}
    states = {game: get_game(game).initial_state() for game in KERNELS}
    for game, searcher in searchers.items():
        searcher.warm_up(states[game])
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    late, longest_s = 0, 0.0
    try:
        for move in range(LOADED_MOVES):
            game = list(KERNELS)[move % len(KERNELS)]
            state = states[game]
            began = time.monotonic()
            found = searchers[game].search(state, LOADED_REMAINING_S)
            took_s = time.monotonic() - began
            late += took_s > LOADED_REMAINING_S
            longest_s = max(longest_s, took_s)
            after = state.apply(found.action)
            states[game] = get_game(game).initial_state() if after.returns() is not None else after
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return [
        (
            f"{LOADED_MOVES:,} moves of {1000 * LOADED_REMAINING_S:.0f} ms, a busy process for every core",
            f"{late} late, the longest took {1000 * longest_s:.0f} ms",
        )
    ]


def run() -> list[tuple[str, str]]:
    """All rows."""
    return [*verification(), *speeds(), *depths(), *under_load()]
