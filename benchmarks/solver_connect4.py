"""The exact connect-four solver compared with the plain algorithm of Pascal Pons, on the same positions.

The positions are those of `tests.support.connect4_positions`. Each is solved from an empty table,
without the book, and single-threaded unless noted. Times are CPU seconds of this process. A *node* is a call of the
search function in both; ours follows forced replies without a call, so those are counted as well.
"""

from __future__ import annotations

from time import monotonic, process_time

from tests.support.connect4_positions import CLASSES, samples

from benchmarks._connect4_pons import PonsSolver
from palestra_bots.solvers.connect4.solver import Solver

# Positions per class: fewer where Pons' algorithm needs millions of nodes for each.
COUNTS = dict(zip(CLASSES, (200, 200, 100, 40, 20, 10), strict=True))
SEED = 1


def run() -> list[tuple[str, str]]:
    """Rows of (label, figure): by class, for two threads, for the empty board. AssertionError if the scores differ."""
    return [*(row for name in CLASSES for row in of_class(name)), two_threads(), empty_board()]


def of_class(name: str) -> list[tuple[str, str]]:
    """Ours, Pons' and the ratio on one class."""
    solver, pons = Solver(), PonsSolver()
    chosen = samples(name, COUNTS[name], SEED, solver)
    nodes = forced = 0
    ours_s = pons_s = worst_s = 0.0
    for sample in chosen:
        solver.clear()
        begun = process_time()
        found = solver.solve(*sample.position)
        spent = process_time() - begun
        ours_s, worst_s = ours_s + spent, max(worst_s, spent)
        nodes, forced = nodes + found.nodes, forced + solver.forced
        pons.clear()
        begun = process_time()
        score = pons.score(*sample.position)
        pons_s += process_time() - begun
        if not found.score == sample.score == score:
            raise AssertionError(f"{sample} is worth {found.score} to us and {score} to Pons' algorithm")
    count = len(chosen)
    return [
        (
            f"connect4 solver: {name} ({count})",
            f"{nodes / count:,.0f} nodes + {forced / count:,.0f} forced plies, mean {1e3 * ours_s / count:,.2f} ms, "
            f"worst {1e3 * worst_s:,.1f} ms",
        ),
        (
            f"  Pons' algorithm: {name}",
            f"{pons.nodes / count:,.0f} nodes, mean {1e3 * pons_s / count:,.2f} ms: "
            f"{pons.nodes / max(nodes, 1):.1f} times the nodes, {pons_s / ours_s:.1f} times the time",
        ),
    ]


def two_threads() -> tuple[str, str]:
    """Wall-clock speedup of a second thread on the same position; needs two idle cores."""
    name, solvers = "begin-hard", (Solver(), Solver(threads=2))
    seconds, nodes = [0.0, 0.0], [0, 0]
    for sample in samples(name, COUNTS[name], SEED, solvers[0]):
        for index, solver in enumerate(solvers):
            solver.clear()
            begun = monotonic()
            found = solver.solve(*sample.position)
            seconds[index] += monotonic() - begun
            nodes[index] += found.nodes
            if found.score != sample.score:
                raise AssertionError(f"{sample} is worth {found.score} by {index + 1} threads")
    return (
        f"connect4 solver: two threads, {name} ({COUNTS[name]})",
        f"{seconds[0] / seconds[1]:.2f} times as fast by the wall clock, {nodes[1] / nodes[0]:.2f} times the nodes",
    )


def empty_board() -> tuple[str, str]:
    """Solve the game from the empty board, with a table of 256 MiB."""
    solver = Solver(24)
    begun = process_time()
    found = solver.solve(0, 0)
    spent = process_time() - begun
    if (found.score, found.action) != (1, 3):
        raise AssertionError(f"the empty board is worth {found.score} by column {found.action}, not 1 by column 3")
    return (
        "connect4 solver: the empty board",
        f"+1, {found.nodes:,} nodes, {spent:.1f} s, {found.nodes / spent:,.0f} nodes/s",
    )
