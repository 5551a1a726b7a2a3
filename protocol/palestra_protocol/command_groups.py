"""Commands that are imported when called: importing all of them takes longer than most of them run.

The one module here that needs typer: `palestra-protocol[commands]`.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import typer
from typer.core import TyperGroup
from typer.main import get_command

from palestra_protocol.harmless import ForPeople, harmless

F = TypeVar("F", bound=Callable[..., None])


def takes_more_options(function: F) -> F:
    """Marks a command that gets the options it does not know in `context.args`."""
    function.context_settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]
    return function


def group(commands: Mapping[str, str], *told: type[Exception], **settings: Any) -> typer.Typer:
    """An app of commands: name -> where it is, as "module:function" or "module:app".

    An exception that is `ForPeople`, or one of `told`, ends a command with 1 and its sentence, as does one
    that a plug-in raises; Ctrl-C ends it with 130.
    """
    sentences: tuple[type[Exception], ...] = (ForPeople, *told)

    class Loading(TyperGroup):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            for name, place in commands.items():
                self.commands[name].help = help_of(place)
            super().format_help(ctx, formatter)

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            name, command, rest = super().resolve_command(ctx, args)
            return name, command if name is None else _load(name, commands[name]), rest

        def invoke(self, ctx: Any) -> Any:
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                raise typer.Exit(130) from None
            except sentences as error:
                typer.secho(harmless(str(error)), err=True, fg="red")
                raise typer.Exit(1) from None
            except typer.BadParameter as error:
                cause: Any = error.__cause__
                if hasattr(cause, "errors"):  # pydantic's, by which newer versions of typer read options
                    from palestra_protocol.frame_faults import of_option  # pydantic takes 0.1 s to import

                    error.message = of_option(cause)
                raise
            except Exception as error:
                if (sentence := _by_a_plugin(error)) is None:
                    raise
                typer.secho(harmless(sentence), err=True, fg="red")
                raise typer.Exit(1) from None

    settings |= {"no_args_is_help": True, "add_completion": False, "pretty_exceptions_enable": False}
    app = typer.Typer(cls=Loading, **settings)
    for name in commands:
        app.command(name)(_stands_in)
    return app


def _by_a_plugin(error: Exception) -> str | None:
    """What to say of an exception in the code of a plug-in; None if it is our own."""
    from importlib.metadata import entry_points  # 40 ms, for what hardly ever happens
    from traceback import walk_tb

    packages = {
        entry.module.partition(".")[0]
        for group in ("palestra.games", "palestra.formats")
        for entry in entry_points(group=group)
        if entry.dist is not None and entry.dist.name != "palestra-protocol"
    }
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__", "").partition(".")[0] in packages:
            raised = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(".: ")
            return (
                f"The plug-in at {frame.f_code.co_filename}, line {line}, failed ({raised}): mend it, or uninstall it."
            )
    return None


def _stands_in() -> None:
    # For a command that is only listed.
    ...


@cache
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
        found.command(name, context_settings=getattr(function, "context_settings", None))(function)
    return get_command(found)


def help_of(place: str) -> str:
    """The first line of a function's docstring, or the `help` of an app; read from the source, without an import."""
    module, _, attribute = place.partition(":")
    spec = importlib.util.find_spec(module)
    for node in ast.parse(Path(str(spec and spec.origin)).read_bytes()).body:
        match node:
            case ast.FunctionDef(name=name) if name == attribute:
                return (ast.get_docstring(node) or "").partition("\n")[0]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(keywords=given)) if name == attribute:
                return next(str(ast.literal_eval(each.value)) for each in given if each.arg == "help")
    raise LookupError(place)
