"""`palestra-lab nodes --study upc`: the 8 x 8 report's table counted again, and what better searches gain."""

from __future__ import annotations

import csv
import time
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from palestra_bots.terminal import printer, progress
from palestra_lab import refinements, study
from palestra_lab.chart import Series, log_chart, short_number
from palestra_lab.svg import Drawing


@dataclass(frozen=True, slots=True)
class Line:
    """A search over all turns of blue."""

    search: study.Search
    turns: tuple[study.Turn, ...]
    seconds: float

    @property
    def leaves(self) -> int:
        return sum(turn.leaves for turn in self.turns)

    @property
    def nodes(self) -> int:
        return sum(turn.nodes for turn in self.turns)


def run(csv_file: Path | None) -> Drawing:
    """Counts, prints the table, and writes the CSV if asked. Returns the chart of the nodes over the game."""
    searches = (*study.COLUMNS, *refinements.REFINEMENTS)
    lines = []
    with progress("the study of the 8x8 report", len(study.GAME) // 2 * len(searches)) as step:
        for search in searches:
            began = time.perf_counter()
            lines.append(Line(search, study.measure(search, step), time.perf_counter() - began))
    _print(lines)
    if csv_file is not None:
        with csv_file.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["search", "ply", "leaves", "nodes"])
            writer.writerows(
                [line.search.name, turn.ply, turn.leaves, turn.nodes] for line in lines for turn in line.turns
            )
    series = [
        Series(line.search.name, f"{short_number(line.nodes)} nodes", [(turn.ply, turn.nodes) for turn in line.turns])
        for line in lines
    ]
    return log_chart("The game of the 8x8 report: blue's turns, depth 8", "ply", "nodes", series)


def _print(lines: list[Line]) -> None:
    table = Table(title="All 30 turns of blue, depth 8")
    for heading in ("search", "leaves", "in the report", "nodes", "in the report", "", "of minimax", "seconds"):
        table.add_column(heading, justify="left" if heading in ("search", "") else "right")
    for line in lines:
        published = line.search.published
        told = [f"{number:,}" for number in published] if published else ["", ""]
        equal = "" if published is None else "equal" if published == (line.leaves, line.nodes) else "DIFFERENT"
        table.add_row(
            line.search.name,
            f"{line.leaves:,}",
            told[0],
            f"{line.nodes:,}",
            told[1],
            equal,
            f"{line.nodes / lines[0].nodes:.3%}",
            f"{line.seconds:.2f}",
            end_section=line.search is study.COLUMNS[-1],
        )
    console = printer()
    console.print(table)
    console.print("The last four find the same values. Evaluations made to order the columns are not counted as nodes.")
