"""Output of commands: for people or as JSON on standard output, errors as one red sentence."""

from __future__ import annotations

import contextlib
import json
import sys
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, get_args

import typer
from pydantic import ValidationError
from rich.console import Console

from palestra_server.settings import ADDRESS_FILE, Settings


class Out(Console):
    """Standard output. If it can't be written (`serve | head`), output is lost and the referee keeps running."""

    def on_broken_pipe(self) -> None:
        with contextlib.suppress(SystemExit):
            super().on_broken_pipe()  # stays quiet from now on, then ends the program

    def print(self, *objects: Any, **how: Any) -> None:
        try:
            super().print(*objects, **how)
        except OSError:  # a file on a full disk
            self.on_broken_pipe()


# People's names are printed verbatim: no emoji codes. In a file or a pipe, a row of a table is a line.
out = Out(highlight=False, soft_wrap=True, emoji=False, width=None if sys.stdout.isatty() else 1000)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)

Data = Annotated[Path | None, typer.Option(help="Folder for the records and the roster.", show_default="palestra-data")]
Database = Annotated[
    str | None,
    typer.Option(help="postgresql://USER:PASSWORD@HOST/NAME, or @FILE with it.", show_default="a file in --data"),
]
ServerUrl = Annotated[
    str | None, typer.Option("--server", help="Page address of a server elsewhere, http://HOST:PORT; needs --key.")
]
Key = Annotated[
    str | None, typer.Option("--key", help="Teacher's key for --server (or PALESTRA_ADMIN_KEY).", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
WithHidden = Annotated[bool, typer.Option("--with-hidden", help="Also what is hidden from everybody else.")]
InLanguage = Annotated[
    Literal["en", "es"] | None,
    typer.Option("--language", help="Language of what people read, and of their spreadsheet.", show_default="en"),
]

HIDDEN_TOO = "--with-hidden has it, too; 'palestra-server tournament reveal' lifts the embargo."


def fail(sentence: str, code: int = 1) -> NoReturn:
    """Exits with one sentence and this exit code."""
    err.print(sentence, style="red", markup=False)
    raise typer.Exit(code)


def in_base64(file: Path) -> str:
    """A file, or standard input for "-", as the API takes it."""
    try:
        return b64encode(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()).decode()
    except FileNotFoundError:
        fail(f"There is no file {file}; check its name.")
    except OSError as error:
        fail(f"{file} cannot be read ({error.strerror}).")


def print_json(value: Any) -> None:
    out.print(json.dumps(value, ensure_ascii=False, indent=2), markup=False, highlight=False, emoji=False)


def settings_from(**options: Any) -> Settings:
    """Settings from the given options, then from `PALESTRA_*` variables, then the defaults."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        fail("\n".join(_fault(str(fault["loc"][0]), fault["input"], given) for fault in error.errors()))


def _fault(name: str, value: object, given: Mapping[str, object]) -> str:
    shown = "" if name == "admin_key" else f", not {value!r}"
    if name in given:
        return f"--{name.replace('_', '-')} takes {_wanted(name)}{shown}."
    return f"The variable PALESTRA_{name.upper()} takes {_wanted(name)}{shown}: change it, or unset it."


def _wanted(name: str) -> str:
    """What a setting accepts, in words."""
    if name in _WANTED:
        return _WANTED[name]
    field = Settings.model_fields[name]
    if field.annotation is bool:
        return "true or false"
    if field.annotation is int:
        low = next(bound.ge for bound in field.metadata if hasattr(bound, "ge"))
        high = next((f" to {bound.le}" for bound in field.metadata if hasattr(bound, "le")), " on")
        return f"a whole number from {low}{high}"
    *others, last = get_args(field.annotation)
    return f"{', '.join(others)} or {last}"


_WANTED = {
    "admin_key": "a key of 16 characters or more",
    "database": "an address such as postgresql://USER@HOST/NAME, or @FILE with the name of a file that holds it",
    "node": "a name of letters, digits, dots, dashes and underscores, 64 at most",
    "advertise": "an address such as wss://palestra.school.edu or ws://192.168.1.20:8765",
    "site": "an address without a path, such as https://palestra.school.edu",
}


def has_records(settings: Settings) -> bool:
    """Whether a server has worked on this data folder."""
    if settings.database is not None or (settings.data / ADDRESS_FILE).exists():
        return settings.data.is_dir()
    from palestra_server.store.database import DATABASE  # takes longer to import than a running server to answer

    return (settings.data / DATABASE).exists()
