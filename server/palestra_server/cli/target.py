"""What all commands of `roster` and `tournament` share: the options that choose the server, and `--json`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Concatenate, ParamSpec
from urllib.parse import quote

import typer
from rich.console import RenderableType

from palestra_server.cli.admin import Admin, AdminError, reach
from palestra_server.cli.output import (
    AsJson,
    Data,
    Database,
    Key,
    ServerUrl,
    err,
    has_records,
    out,
    print_json,
    settings_from,
)
from palestra_server.names import nearest

P = ParamSpec("P")


class Target:
    """The server or data folder that a command works on, and how the command answers."""

    def __init__(
        self,
        stack: ExitStack,
        make: bool,
        data: Data = None,
        database: Database = None,
        server: ServerUrl = None,
        key: Key = None,
        as_json: AsJson = False,
    ) -> None:
        self._stack = stack
        self._make = make
        self._options = data, database, server, key
        self.server = server
        self.as_json = as_json
        self.only_looks = False  # no records are made, but tried in a temporary folder

    @cached_property
    def api(self) -> Admin:
        # Connected on first use, so that a mistake in the command's own arguments leaves nothing behind.
        data, database, server, key = self._options
        settings = settings_from(data=data, database=database)
        if self.only_looks and not has_records(settings):
            folder = Path(self._stack.enter_context(TemporaryDirectory()))
            settings = settings.model_copy(update={"data": folder})
        return reach(self._stack, settings, server, key, make=self._make)

    def answer(self, value: Any, *shown: RenderableType) -> None:
        """Prints `value` as JSON if requested, otherwise `shown`."""
        if self.as_json:
            print_json(value)
            return
        for each in shown:
            out.print(each, markup=False)


_OPTIONS = tuple(inspect.signature(Target, eval_str=True).parameters.values())[2:]


def target_command(
    app: typer.Typer, name: str | None = None, *, make: bool = False
) -> Callable[[Callable[Concatenate[Target, P], None]], Callable[Concatenate[Target, P], None]]:
    """Registers a function of a `Target` and its own arguments as a command with the options of a target.

    `make` creates a missing data folder. AdminError ends the command with its sentence.
    """

    def register(function: Callable[Concatenate[Target, P], None]) -> Callable[Concatenate[Target, P], None]:
        given = inspect.signature(function, eval_str=True)

        @functools.wraps(function)
        def command(*args: P.args, **kwargs: P.kwargs) -> None:
            options: dict[str, Any] = {option.name: kwargs.pop(option.name) for option in _OPTIONS}
            with ExitStack() as stack:
                target = Target(stack, make, **options)
                try:
                    function(target, *args, **kwargs)
                except AdminError as error:
                    err.print(str(error) + _meant(target, error, **kwargs), style="red", markup=False)
                    for fault in map(_fault, error.details):
                        if fault != str(error):
                            err.print(f"  {fault}", markup=False)
                    raise typer.Exit(1) from None

        own = tuple(given.parameters.values())[1:]
        command.__signature__ = given.replace(parameters=own + _OPTIONS)  # type: ignore[attr-defined]
        app.command(name)(command)
        return function

    return register


def _meant(target: Target, error: AdminError, name: object = None, player: object = None, **_: object) -> str:
    """What the teacher may have meant; here, so that no stranger's request makes the server search."""
    if error.code in ("unknown_tournament", "unknown_season"):
        word = f"{error.code.removeprefix('unknown_')}s"
        known, wrong = [each["name"] for each in target.api.get(f"/{word}")[word]], name
    elif error.code == "does_not_fit" and player is not None and str(player) in str(error):
        known, wrong = [each["name"] for each in target.api.get(f"/tournaments/{quote(str(name))}")["entrants"]], player
    else:
        return ""
    near = nearest(str(wrong), known)
    return "" if near in (None, wrong) else f" Did you mean {near}?"


def _fault(detail: Any) -> str:
    if not isinstance(detail, dict):
        return str(detail)
    place = [f"{name} {detail[name]}" for name in ("line", "column") if detail.get(name) is not None]
    return f"{', '.join(place)}: {detail['message']}" if place else str(detail["message"])
