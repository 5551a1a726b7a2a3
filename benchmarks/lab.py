"""The node counts of the 8 x 8 report on its own game, with plain minimax: 137 million nodes, too many for a test.

Times are CPU seconds of this process, single-threaded.
"""

from __future__ import annotations

from time import process_time

from palestra_bots.reports.study import COLUMNS, measure


def run() -> list[tuple[str, str]]:
    """Rows of (search, its node count and time). AssertionError if a count differs from the published one."""
    rows = []
    for column in COLUMNS:
        started = process_time()
        leaves, nodes = measure(column)
        took_s = process_time() - started
        if (leaves, nodes) != (column.leaves, column.nodes):
            raise AssertionError(f"{column.name}: {leaves} leaves and {nodes} nodes are not the report's")
        figure = f"{leaves:,} leaves, {nodes:,} nodes, as published; {took_s:.1f} s"
        rows.append((f"report's study, {column.name}", figure))
    return rows
