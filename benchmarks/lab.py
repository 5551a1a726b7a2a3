"""The node study of the 8 x 8 report on its own game, minimax included: 137 million nodes, too many for a test."""

from __future__ import annotations

import time

from palestra_bots.lab.study_upc import COLUMNS, measure


def run() -> list[tuple[str, str]]:
    """Rows of (search, leaves and nodes and how fast). AssertionError if a count isn't the published one."""
    rows = []
    for column in COLUMNS:
        started = time.perf_counter()
        leaves, nodes = measure(column)
        took_s = time.perf_counter() - started
        if (leaves, nodes) != (column.leaves, column.nodes):
            raise AssertionError(f"{column.name}: {leaves} leaves and {nodes} nodes are not the report's")
        rows.append(
            (
                f"report's study, {column.name}",
                f"{leaves:,} leaves, {nodes:,} nodes, as published; {took_s:.1f} s, {nodes / took_s / 1e6:.1f} M nodes/s",
            )
        )
    return rows
