"""Bot factories (a Bot class, or a function), and the checks that one can make bots."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeAlias

from palestra_client.bot import Bot
from palestra_protocol.harmless import ForPeople

BotFactory: TypeAlias = Callable[[], Bot]  # makes the bot for one match

# True while `palestra join FILE` imports the student's file: a `run` at the end of the file then does nothing, since
# the command line says where to play.
being_loaded: ContextVar[bool] = ContextVar("being_loaded", default=False)


class NoBot(ForPeople):
    """The target can't be played; the text says why and what to do (several lines if it quotes the student's file)."""


def check_factory(factory: object) -> None:
    """Raises NoBot for what can't make bots, as far as can be told without calling it."""
    if isinstance(factory, Bot):
        name = type(factory).__name__
        raise NoBot(f"This is a bot already, and every match needs a new one: give its class, {name} without ().")
    if not callable(factory):
        raise NoBot(f"{factory!r} makes no bots: give a class derived from Bot, or a function that returns a bot.")
    name = getattr(factory, "__name__", repr(factory))
    if isinstance(factory, type) and not issubclass(factory, Bot):
        raise NoBot(f"{name} is not a Bot: write `class {name}(Bot):`.")
    if isinstance(factory, type) and inspect.isabstract(factory):
        raise NoBot(f"{name} has no choose(self, turn): that is the one method a bot must have.")
    choose = getattr(factory, "choose", None)
    if (
        inspect.iscoroutinefunction(factory)
        or inspect.iscoroutinefunction(choose)
        or inspect.isasyncgenfunction(choose)
    ):
        raise NoBot(f"{name}: write `def`, not `async def`; choose may take all the time of its move.")
    if isinstance(factory, type) and inspect.isfunction(inspect.getattr_static(factory, "choose")):
        try:  # some names in annotations are not there when a program runs
            inspect.signature(factory.choose, follow_wrapped=False).bind("self", "turn")
        except TypeError as error:
            raise NoBot(
                f"{name} is asked for a move with one value, the turn ({error}): write `def choose(self, turn):`."
            ) from None
        except NameError:
            pass
