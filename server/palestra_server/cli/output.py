"""What commands say: on standard output for people or as JSON, and one red sentence when something is wrong."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console

from palestra_server.settings import Settings


class Out(Console):
    """Standard output. Once it cannot be written (`serve | head`), output is lost, and the referee goes on."""

    def on_broken_pipe(self) -> None:
        with contextlib.suppress(SystemExit):
            super().on_broken_pipe()  # is quiet from now on, and then ends the program

    def print(self, *objects: Any, **how: Any) -> None:
        try:
            super().print(*objects, **how)
        except OSError:  # a file on a full disk
            self.on_broken_pipe()


# People's names are printed as they are: no emoji codes.
out = Out(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)

Data = Annotated[Path | None, typer.Option(help="Folder for the records and the roster.", show_default="palestra-data")]
Database = Annotated[
    str | None,
    typer.Option(help="postgresql://USER:PASSWORD@HOST/NAME, where there is one.", show_default="a file in --data"),
]
ServerUrl = Annotated[
    str | None, typer.Option("--server", help="Page address of a server elsewhere, http://HOST:PORT; needs --key.")
]
Key = Annotated[
    str | None, typer.Option("--key", help="Teacher's key for --server (or PALESTRA_ADMIN_KEY).", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def fail(sentence: str, code: int = 1) -> NoReturn:
    """Ends the command with one sentence and this exit code."""
    err.print(sentence, style="red", markup=False)
    raise typer.Exit(code)


def print_json(value: Any) -> None:
    """One JSON value, as it is: without markup or line wrapping."""
    out.print(json.dumps(value, ensure_ascii=False, indent=2), markup=False, highlight=False, emoji=False)


def settings_from(**options: Any) -> Settings:
    """Settings from the given options, then `PALESTRA_*` variables, then the defaults."""
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        shown = "what was given" if name == "admin_key" else repr(first["input"])
        fail(f"--{name.replace('_', '-')} (or PALESTRA_{name.upper()}) cannot be {shown}: {first['msg']}.")
