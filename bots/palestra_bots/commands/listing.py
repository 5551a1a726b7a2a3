"""`palestra-bots list` and `palestra-bots compile`: all bots, and all their searches."""

from __future__ import annotations

import inspect
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import typer
from rich.console import Console
from rich.table import Table

from palestra_bots.registry import BOTS, alphabeta, mtdf
from palestra_games import get_game


def list_bots() -> None:
    """List the bots that can be joined, and their options."""
    table = Table("bot", "options", "what it does", box=None, header_style="bold")
    for name, make in BOTS.items():
        options = [f"--{parameter.replace('_', '-')}" for parameter in inspect.signature(make).parameters]
        about = (inspect.getdoc(make) or "").splitlines()[0]
        table.add_row(name, " ".join(options), about)
    Console().print(table)
    typer.echo("\nTo let one play: palestra join palestra_bots:NAME --server ws://HOST:8765 --name YOURS")


def compile_searches() -> None:
    """Compile every game's search now and keep it, so that no first match waits for it; takes a minute or two."""
    from palestra_bots.kernels.load import KERNELS

    with ProcessPoolExecutor(min(len(KERNELS), os.cpu_count() or 1), get_context("spawn")) as pool:
        for game in pool.map(_compile, KERNELS):
            typer.echo(f"{game}: compiled")


def _compile(game: str) -> str:
    for make in (alphabeta, mtdf):
        make().warm_up(get_game(game))
    return game
