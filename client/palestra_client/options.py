"""Command-line options meant for the bot: `palestra join palestra_bots:profe --depth 8`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeAlias

from palestra_client.bot import Bot
from palestra_protocol.harmless import ForPeople

# A Bot class or a function that returns a bot; it may take options as keyword arguments.
Factory: TypeAlias = Callable[..., Bot]

# The options of `palestra join` itself, for the hint after a typo.
OWN = (
    *("--server", "--token", "--name", "--challenge", "--game", "--seat"),
    *("--games", "--opening", "--version", "--no-clock", "--never-resign", "--help"),
)

_KINDS = {"int": int, "float": float, "str": str, "bool": bool}
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class BadOption(ForPeople, ValueError):
    """An option that the bot doesn't take, or a value it can't use; the text is one sentence."""


def read_options(words: Sequence[str]) -> dict[str, str | None]:
    """`--depth 8 --table=64 --quiet` as names and values (None if no value was given). Raises BadOption."""
    options: dict[str, str | None] = {}
    pending: str | None = None
    for word in words:
        if word.startswith("--") and len(word) > 2:
            name, mark, value = word[2:].partition("=")
            pending = None if mark else name
            options[name] = value if mark else None
        elif pending is not None:
            options[pending] = word
            pending = None
        else:
            raise BadOption(f"'{word}' is one word too many: only options follow the bot, such as --depth 8.")
    return options


def bind(factory: Factory, options: Mapping[str, str | None]) -> Callable[[], Bot]:
    """The factory with these options as keyword arguments, converted to the type of their annotation or default.

    Raises BadOption for an option that the factory has no parameter for, a value of the wrong kind, and a
    parameter without a default that is missing.
    """
    parameters = _parameters(factory)
    arguments = {}
    for option, text in options.items():
        name = option.replace("-", "_")
        parameter = parameters.get(name)
        if parameter is None and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            raise BadOption(_unknown(factory, option, parameters))
        arguments[name] = _value(option, text, None if parameter is None else _kind(parameter))
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and _by_name(parameter) and name not in arguments:
            raise BadOption(f"{_name(factory)} needs the option --{name.replace('_', '-')}.")
    return functools.partial(factory, **arguments) if arguments else factory


def _parameters(factory: Factory) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(factory).parameters)
    except (TypeError, ValueError):  # a callable without a signature
        return {}


def _by_name(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


def _kind(parameter: inspect.Parameter) -> type | None:
    """int, float, bool or str if the parameter says so, else None."""
    # The annotation may be a string, and may allow None as well; its first word is enough.
    written = parameter.annotation
    first = written.__name__ if isinstance(written, type) else str(written).split("|")[0].strip()
    if first in _KINDS:
        return _KINDS[first]
    return type(parameter.default) if type(parameter.default) in _KINDS.values() else None


def _value(option: str, text: str | None, kind: type | None) -> object:
    if text is None:
        if kind in (bool, None):
            return True
        raise BadOption(f"--{option} needs a value, as in --{option} {'8' if kind in (int, float) else 'VALUE'}.")
    if kind is str:
        return text
    if kind is bool:
        if text.lower() in _TRUTH:
            return _TRUTH[text.lower()]
        raise BadOption(f"--{option} is yes or no, not '{text}'.")
    for number in (int, float) if kind is None else (kind,):
        try:
            return number(text)
        except ValueError:
            continue
    if kind is None:
        return text
    raise BadOption(f"--{option} must be a {'whole ' if kind is int else ''}number, not '{text}'.")


def _unknown(factory: Factory, option: str, parameters: Mapping[str, inspect.Parameter]) -> str:
    own = [f"--{name.replace('_', '-')}" for name, parameter in parameters.items() if _by_name(parameter)]
    near = get_close_matches(f"--{option}", [*own, *OWN], n=1)
    takes = f"it takes {', '.join(own)}" if own else "it takes none"
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{_name(factory)} takes no option --{option} ({takes}).{hint}"


def _name(factory: Factory) -> str:
    return str(getattr(factory, "__name__", factory))
