"""`palestra-bots lab nodes --study upc`: the 8 x 8 report's table counted again, and what better searches gain."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from palestra_bots.lab.chart import Series, log_chart, short_number
from palestra_bots.lab.svg import Drawing
from palestra_bots.lab.terminal import printer, progress
from palestra_bots.reports import study, study_beyond


@dataclass(frozen=True, slots=True)
class Line:
    """A search over all turns of blue: what was counted, and what the report says (None for what it didn't try)."""

    name: str
    turns: tuple[tuple[int, int, int], ...]  # (ply, leaves, nodes) of each turn
    seconds: float
    report: tuple[int, int] | None  # (leaves, nodes) as published

    @property
    def leaves(self) -> int:
        return sum(leaves for _, leaves, _ in self.turns)

    @property
    def nodes(self) -> int:
        return sum(nodes for _, _, nodes in self.turns)


def run(csv_file: Path | None) -> Drawing:
    """Counts, prints the table, and writes the CSV if asked. Returns the chart of the nodes over the game."""
    lines = count()
    _print(lines)
    if csv_file is not None:
        _write_csv(lines, csv_file)
    series = [
        Series(line.name, f"{short_number(line.nodes)} nodes", [(ply, nodes) for ply, _, nodes in line.turns])
        for line in lines
    ]
    return log_chart("The game of the 8x8 report: blue's turns, depth 8", "ply", "nodes", series)


def count() -> list[Line]:
    """The report's columns and the refinements, one after the other, with a progress bar."""
    lines = []
    turns = len(study.GAME) // 2
    with progress("the study of the 8x8 report", turns * (len(study.COLUMNS) + len(study_beyond.REFINEMENTS))) as step:
        for column in study.COLUMNS:
            recorder = _Recorder(step)
            study.measure(column, recorder)
            lines.append(recorder.line(column.name, (column.leaves, column.nodes)))
        for refinement in study_beyond.REFINEMENTS:
            recorder = _Recorder(step)
            study_beyond.measure(refinement, recorder)
            lines.append(recorder.line(refinement.name, None))
    return lines


class _Recorder:
    """Records each turn, and how long they took together."""

    def __init__(self, step: Callable[[], None]) -> None:
        self.step = step
        self.began = time.perf_counter()
        self.turns: list[tuple[int, int, int]] = []

    def __call__(self, turn: study.Turn | study_beyond.Valued) -> None:
        self.turns.append((turn.ply, turn.leaves, turn.nodes))
        self.step()

    def line(self, name: str, report: tuple[int, int] | None) -> Line:
        return Line(name, tuple(self.turns), time.perf_counter() - self.began, report)


def _print(lines: list[Line]) -> None:
    table = Table(title="All 30 turns of blue, depth 8")
    for heading in ("search", "leaves", "in the report", "nodes", "in the report", "", "of minimax", "seconds"):
        table.add_column(heading, justify="left" if heading in ("search", "") else "right")
    for line in lines:
        published = [f"{number:,}" for number in line.report] if line.report else ["", ""]
        equal = "" if line.report is None else "equal" if line.report == (line.leaves, line.nodes) else "DIFFERENT"
        table.add_row(
            line.name,
            f"{line.leaves:,}",
            published[0],
            f"{line.nodes:,}",
            published[1],
            equal,
            f"{line.nodes / lines[0].nodes:.3%}",
            f"{line.seconds:.2f}",
            end_section=line.report is not None and line.name == study.COLUMNS[-1].name,
        )
    console = printer()
    console.print(table)
    console.print("The last four find the same values. Evaluations made to order the columns are not counted as nodes.")


def _write_csv(lines: list[Line], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["search", "ply", "leaves", "nodes"])
        writer.writerows([line.name, *turn] for line in lines for turn in line.turns)
