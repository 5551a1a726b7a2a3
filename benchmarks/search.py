"""The searches: nodes per second and time to depth, reference and fast; the cost of masks; depth in 2 s."""

from __future__ import annotations

import time

from palestra_bots import evaluations
from palestra_bots.analysis_types import Analysis
from palestra_bots.kernels.load import KERNELS
from palestra_bots.search import reference
from palestra_bots.search.fast.searcher import Algorithm, Searcher
from palestra_bots.timeman import Limit
from palestra_games import State, get_game

MOVE_S = 2.0
TABLE_BITS = 21
"""A table of 32 MB."""
REFERENCE_DEPTH = {"connect4": 6, "connect4-8x8": 5, "desconecta4": 6, "mancala": 7}
DEEP = {"connect4": 10, "connect4-8x8": 9, "desconecta4": 10, "mancala": 11}
VERIFICATION = ("desconecta4", "valoracion_test", 8)
MASKED = "connect4-masked"
TURNS = 7


def best_of(runs: int, searcher: Searcher, state: State, depth: int) -> Analysis:
    """Repeat a search, each time with an empty table, and return the fastest."""
    found = []
    for _ in range(runs):
        searcher.table[:] = 0
        found.append(searcher.analyse(state, Limit(depth=depth)))
    return min(found, key=lambda one: one.elapsed_s)


def rate(found: Analysis) -> float:
    """Nodes per second."""
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
    """Plain alpha-beta, the same nodes in Python and compiled, and time to greater depths."""
    rows = []
    for game in KERNELS:
        state = get_game(game).initial_state()
        depth, deep = REFERENCE_DEPTH[game], DEEP[game]
        slow = reference.analyse(state, "alphabeta", Limit(depth=depth))
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
    """Depth reached by both algorithms in MOVE_S, in wall-clock time and in CPU time of this thread."""
    parts = []
    for algorithm in ("alphabeta", "mtdf"):
        for clock_name, clock in (("wall", time.monotonic), ("cpu", time.thread_time)):
            searcher = Searcher(
                evaluations.game_of(state), algorithm, evaluation=evaluation, table_bits=TABLE_BITS, clock=clock
            )
            searcher.warm_up(state)
            found = searcher.analyse(state, Limit(move_s=MOVE_S))
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
        state = state.apply(plain.analyse(state, Limit(depth=depth)).action)
    return rows


def two_words() -> list[tuple[str, str]]:
    """The cost of 8 x 8 having no room for guard bits in its word: 6 x 7 searched both ways.

    The masked form is exactly that of 8 x 8: a mask after every shift, landing cells column by column, and a hash of
    two words instead of one.
    """
    KERNELS[MASKED] = ("palestra_bots.kernels.connect4", "6x7-masked")
    state = get_game("connect4").initial_state()
    rows = []
    for what, plain, depth in (("plain alpha-beta", True, 9), ("with table and order", False, 14)):
        rates = {"connect4": 0.0, MASKED: 0.0}
        values = set()
        # Alternate, and keep the best of each, so that other work on the machine affects both.
        for _ in range(TURNS):
            for name in rates:
                evaluation = evaluations.default("connect4").name
                searcher = Searcher(name, "alphabeta", evaluation=evaluation, plain=plain, clock=time.thread_time)
                searcher.warm_up(state)
                found = searcher.analyse(state, Limit(depth=depth))
                values.add(found.value)
                rates[name] = max(rates[name], rate(found))
        if len(values) != 1:
            raise AssertionError(f"the two forms of 6 x 7 found {values}")
        guarded, masked = rates.values()
        figure = (
            f"{guarded / 1e6:.1f} -> {masked / 1e6:.1f} M nodes/s: {guarded / masked:.2f} times the time for a node"
        )
        rows.append((f"6x7 without guard bits, as 8x8 must be: {what}, depth {depth}", figure))
    del KERNELS[MASKED]
    return rows


def run() -> list[tuple[str, str]]:
    return [*verification(), *speeds(), *two_words(), *depths()]
