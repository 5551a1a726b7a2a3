"""The node study of the 8x8 report: its published counts, to the last node, and what better searches gain."""

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

from palestra_bots.reports import esteve_hawking
from palestra_bots.reports.board import SIZE, free_row
from palestra_lab import refinements, study
from palestra_lab.cli import app


@pytest.mark.parametrize("column", study.COLUMNS[1:], ids=lambda column: column.name)
@pytest.mark.slow
def test_the_study_s_alpha_beta_columns(column):
    turns = study.measure(column)
    assert (sum(turn.leaves for turn in turns), sum(turn.nodes for turn in turns)) == column.published
    assert len(turns) == 30
    assert all(turn.found == turn.played for turn in turns)  # blue was this very player


@pytest.mark.slow
def test_the_refinements_find_the_report_s_values_with_fewer_nodes():
    """On every turn of blue, against the value of the report's own alpha-beta."""
    values, cells = [], np.zeros(SIZE * SIZE, dtype=np.int8)
    for ply, column in enumerate(map(int, study.GAME)):
        mover = 1 if ply % 2 == 0 else -1
        if mover == -1:
            counts = np.zeros(2, dtype=np.int64)
            values.append(
                esteve_hawking.value(cells, 8, mover, mover, esteve_hawking.LOST, esteve_hawking.WON, 1, True, counts)
            )
        cells[free_row(cells, column) * SIZE + column] = mover
    fewest = min(column.published[1] for column in study.COLUMNS)
    for refinement in refinements.REFINEMENTS:
        turns = study.measure(refinement)
        assert [turn.found for turn in turns] == values
        count = sum(turn.nodes for turn in turns)
        assert count < fewest
        fewest = count


@pytest.mark.slow
def test_the_command_repeats_the_report_s_columns(tmp_path, monkeypatch):
    """The quickest column; the others are counted above."""
    column = study.COLUMNS[2]
    monkeypatch.setattr(study, "COLUMNS", (column,))
    monkeypatch.setattr(refinements, "REFINEMENTS", refinements.REFINEMENTS[3:])
    table, plot = tmp_path / "upc.csv", tmp_path / "upc.svg"
    result = CliRunner().invoke(app, ["nodes", "--study", "upc", "--csv", str(table), "--plot", str(plot)])
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stdout.splitlines() if "x = 1" in line]
    assert [word for word in line.split() if "," in word and word[0].isdigit()] == (
        ["1,703,773", "1,703,773", "2,214,529", "2,214,529"]
    )
    assert "equal" in line
    with table.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["search"] == column.name]
    assert (len(rows), sum(int(row["nodes"]) for row in rows)) == (30, 2_214_529)
    assert "alpha-beta, x = 1" in plot.read_text()
