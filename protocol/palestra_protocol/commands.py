"""Commands that are imported when called: importing all of them takes longer than most of them run.

The one module here that needs typer: `palestra-protocol[commands]`.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command


def group(commands: Mapping[str, tuple[str, str]], **settings: Any) -> typer.Typer:
    """An app of commands: name -> where it is, as "module:function" or "module:app", and its one-line help."""

    class Loading(TyperGroup):
        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            name, command, rest = super().resolve_command(ctx, args)
            return name, command if name is None else _load(name, commands[name][0]), rest

        def invoke(self, ctx: Any) -> Any:
            try:
                return super().invoke(ctx)
            except typer.BadParameter as error:
                cause: Any = error.__cause__
                if hasattr(cause, "errors"):  # pydantic's, by which newer versions of typer read options
                    from palestra_protocol.faults import of_option  # pydantic takes 0.1 s to import

                    error.message = of_option(cause)
                raise

    app = typer.Typer(cls=Loading, **settings)
    for name, (_, text) in commands.items():
        app.command(name, help=text)(_stands_in)
    return app


def _stands_in() -> None:
    # For a command that is only listed.
    ...


def _load(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    # Imports create hardly any garbage; without the collector they take a sixth less time.
    gc.disable()
    try:
        found = getattr(importlib.import_module(module), attribute)
    finally:
        gc.enable()
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(add_completion=False)
        found.command(name)(function)
    return get_command(found)
