"""Shows the rows of a benchmark."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

Rows = list[tuple[str, str]]


def show(console: Console, name: str, seconds: float, rows: Iterable[tuple[str, str]]) -> None:
    """Print the rows, and how long the whole benchmark took."""
    table = Table("what", "figure", title=f"{name} ({seconds:.0f} s)", title_justify="left")
    for what, figure in rows:
        table.add_row(what, figure)
    console.print(table)


def command(run: Callable[..., Rows]) -> None:
    """`python -m benchmarks.NAME`: the parameters of `run` are the options."""

    @functools.wraps(run)
    def shown(**options: object) -> None:
        began = time.monotonic()
        rows = run(**options)
        show(Console(), Path(sys.argv[0]).stem, time.monotonic() - began, rows)

    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(shown)
    app()
