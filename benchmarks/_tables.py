"""Shows the rows of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table


def show(console: Console, name: str, seconds: float, rows: Iterable[tuple[str, str]]) -> None:
    """Print the rows, and how long the whole benchmark took."""
    table = Table("what", "figure", title=f"{name} ({seconds:.0f} s)", title_justify="left")
    for what, figure in rows:
        table.add_row(what, figure)
    console.print(table)
