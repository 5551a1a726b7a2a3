"""The exact mancala solver: time to build its tables, and solved values of small and large games.

Takes about two minutes on an idle core. PALESTRA_BENCH_HEAVY=1 adds longer ones: (5, 5), (5, 6), the six opening moves
of (6, 4), and (6, 4) with captures of an empty pit, which Irving, Donkers and Uiterwijk solved (+10).
"""

from __future__ import annotations

import os
import time

from palestra_bots.solvers.mancala.endgame import EndgameTable, build
from palestra_bots.solvers.mancala.solver import Solver
from palestra_games.mancala import Mancala, MancalaState
from palestra_games.sowing import Capture

# 5 and 6 seeds per pit; the smaller games are in the tests.
SOLVED = {(1, 5): 2, (1, 6): 0, (2, 5): 6, (2, 6): 8, (3, 5): 6, (3, 6): -8, (4, 5): 4, (4, 6): 0}
OPENINGS = (4, -8, -2, 8, -10, -14)
SEEDS = 16
BITS = 24


def _table(pits: int, capture: Capture, seeds: int) -> tuple[EndgameTable, float]:
    started = time.monotonic()
    return build(pits, capture, seeds), time.monotonic() - started


def _solved(solver: Solver, name: str, state: MancalaState, expected: int) -> tuple[str, str]:
    """One row: the value for seat 0, nodes and time."""
    started, cpu = time.monotonic(), time.process_time()
    found = solver.solve(state)
    took_s, cpu_s = time.monotonic() - started, time.process_time() - cpu
    value = found.lower if state.to_move == 0 else -found.lower
    verdict = "right" if value == expected else f"NOT {expected}"
    return name, f"{value:+} ({verdict}), {found.nodes:,} nodes, {took_s:.1f} s ({cpu_s:.1f} s of CPU)"


def run() -> list[tuple[str, str]]:
    rows = []
    build(6, "non-empty", 2)  # compiled, or read from the cache, before measuring
    for seeds in (13, 14, SEEDS):
        table, took_s = _table(6, "non-empty", seeds)
        rows.append((f"endgame table, {seeds} seeds", f"{len(table.values):,} bytes in {took_s:.1f} s"))
    for (pits, seeds), value in SOLVED.items():
        solver = Solver(build(pits, "non-empty", 12), 20)
        rows.append(_solved(solver, f"({pits}, {seeds})", Mancala(pits, seeds).initial_state(), value))
    start = Mancala().initial_state()
    solver = Solver(table, BITS)
    rows.append(_solved(solver, f"(6, 4), table of {SEEDS} seeds", start, 8))
    if os.environ.get("PALESTRA_BENCH_HEAVY"):
        for action, value in enumerate(OPENINGS):
            rows.append(_solved(solver, f"(6, 4) after pit {action + 1}", start.apply(action), value))
        for seeds, value in ((5, 2), (6, 2)):
            solver = Solver(build(5, "non-empty", SEEDS), BITS)
            rows.append(_solved(solver, f"(5, {seeds})", Mancala(5, seeds).initial_state(), value))
        solver = Solver(build(6, "any", SEEDS), BITS)
        rows.append(_solved(solver, "(6, 4), any capture", Mancala(6, 4, "any").initial_state(), 10))
    return rows
