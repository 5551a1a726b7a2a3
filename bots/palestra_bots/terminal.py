"""What the commands of the bots and of the lab share: arguments, a progress bar, one sentence for bad input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from palestra_games import UnknownGame

SHOWN_AFTER_S: Final = 1.0  # anything quicker needs no bar
FILE_COLUMNS: Final = 120


def printer() -> Console:
    """Where tables go: as wide as the terminal, and wide enough for any table in a file or a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=FILE_COLUMNS)


def give_up(sentence: str) -> NoReturn:
    """Ends the command with one sentence on standard error, and exit code 2."""
    typer.echo(sentence, err=True)
    raise typer.Exit(2)


@contextmanager
def one_sentence() -> Iterator[None]:
    """Bad input, reported by the library as ValueError or `UnknownGame`, ends the command with its sentence; so does a
    file that can't be written.
    """
    try:
        yield
    except (ValueError, UnknownGame) as error:
        give_up(str(error))
    except OSError as error:
        give_up(f"{error.filename or 'The file'} can't be written: {error.strerror or error}.")


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on standard error, advanced by the function it yields; none where that isn't a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total, visible=False)

        def step() -> None:
            shown = (bar.tasks[task].elapsed or 0) > SHOWN_AFTER_S
            bar.update(task, advance=1, visible=shown)

        yield step
