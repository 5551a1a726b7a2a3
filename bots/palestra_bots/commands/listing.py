"""`palestra-bots list`."""

from __future__ import annotations

import inspect

import typer
from rich.console import Console
from rich.table import Table

from palestra_bots.registry import BOTS


def list_bots() -> None:
    """List the bots that can be joined, and their options."""
    table = Table("bot", "options", "what it does", box=None, header_style="bold")
    for name, make in BOTS.items():
        options = [f"--{parameter.replace('_', '-')}" for parameter in inspect.signature(make).parameters]
        about = (inspect.getdoc(make) or "").splitlines()[0]
        table.add_row(name, " ".join(options), about)
    Console().print(table)
    typer.echo("\nTo let one play: palestra join palestra_bots:NAME --server ws://HOST:8765 --name YOURS")
