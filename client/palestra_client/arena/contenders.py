"""The arena's contenders, as the command line names them."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from palestra_client.bridge import DIALECTS, CannotStart, check_command, program_bots
from palestra_client.factories import BotFactory, NoBot
from palestra_client.loading import bot_of, file_in, no_file
from palestra_protocol.harmless import ForPeople
from palestra_protocol.reference_bots import REFERENCE_BOTS


class NoContender(ForPeople):
    """A contender is invalid or failed to connect. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A bot that plays in the arena.

    `kind` says what `words` are: for "python", a target of `palestra join` followed by its options; for "lines" and
    "course-mancala", the command of a program run through the bridge; for "wire", the command of a program that
    connects by itself, with placeholders {url} and {token}, or {name} for one that can only join as a guest.
    """

    name: str
    kind: str
    words: tuple[str, ...]

    @property
    def is_program(self) -> bool:
        return self.kind in DIALECTS

    def command(self, url: str, token: str) -> list[str]:
        """The command line that connects this bot to `url`."""
        if self.kind == "wire":
            given = {"{url}": url, "{token}": token, "{name}": token}
            return [re.sub(r"\{(url|token|name)\}", lambda found: given[found[0]], word) for word in self.words]
        # -P: a student's random.py in the working directory must not shadow the standard library.
        return [sys.executable, "-P", "-m", "palestra_client.arena.child", url, token, self.kind, *self.words]


def contenders(named: Sequence[str]) -> list[Contender]:
    """Parse the command line's contenders, numbering those that share a name. Raises NoContender."""
    found: list[Contender] = []
    for text in named:
        contender = _contender(text)
        same = sum(each.name.partition("#")[0] == contender.name for each in found)
        found.append(replace(contender, name=f"{contender.name}#{same + 1}") if same else contender)
    return found


def factory_of(contender: Contender) -> BotFactory:
    """Its bots in this process. Raises NoBot and BadOption, and NoContender for a program that connects by itself."""
    if contender.kind == "wire":
        raise NoContender(f"{contender.name} connects by itself, and can only be asked in whole matches.")
    if contender.is_program:
        return program_bots(contender.words, DIALECTS[contender.kind], errors=None)
    return bot_of(*contender.words)


def _contender(text: str) -> Contender:
    words = _words(text)
    if not words:
        raise NoContender("A bot needs a name: a file, a module:Class, a level such as level3, or a command.")
    first, options = words[0], words[1:]
    ours = _bots_by_name()
    if first in ours:
        return Contender(text, "python", (f"palestra_bots:{first}", *options))
    kind, mark, rest = text.partition(":")
    if mark and kind in DIALECTS:
        return _program(rest, kind)
    if any("{url}" in word for word in words):
        return Contender(Path(first).name, "wire", tuple(words))
    try:
        first = words[0] = file_in(first)
    except NoBot as error:
        raise NoContender(str(error)) from None
    place = first.rpartition(":")[0] or first
    if place.endswith(".py"):
        if not Path(place).is_file():
            raise NoContender(no_file(Path(place)))
        return Contender(_short(text, place), "python", tuple(words))
    if _is_module(place):
        return Contender(text, "python", tuple(words))
    if "/" in first or os.sep in first or shutil.which(first):
        return _program(text, "lines")
    if Path(first).is_file():
        raise NoContender(f"{first} does not end in .py: name a Python file, or a program as ./{first}.")
    near = get_close_matches(first, ours, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    have = "" if ours else " (random, level3 and the like need palestra-bots: install it as you did palestra-client.)"
    raise NoContender(f"'{text}' is not a file, module, level or command here.{hint}{have}")


def _program(command: str, kind: str) -> Contender:
    words = _words(command)
    try:
        check_command(words)
    except CannotStart as error:
        raise NoContender(str(error)) from None
    return Contender(_short(command, words[0]), kind, tuple(words))


def _words(text: str) -> list[str]:
    """What the shell would make of it; but the name of a file, or FILE:CLASS, is one word, whatever is in it."""
    place, _, name = text.rpartition(":")
    if Path(text).is_file() or (name.isidentifier() and Path(place).is_file()):
        return [text]
    try:
        return shlex.split(text, posix=os.name != "nt")
    except ValueError:
        raise NoContender(f"{text}: a quotation mark is not closed.") from None


def _short(text: str, path: str) -> str:
    return text.replace(path, Path(path).name, 1)


def _bots_by_name() -> tuple[str, ...]:
    """Empty unless palestra-bots is installed."""
    return () if importlib.util.find_spec("palestra_bots") is None else REFERENCE_BOTS


def _is_module(name: str) -> bool:
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    if name in sys.stdlib_module_names and not Path(f"{name}.py").is_file():
        return False  # a standard module such as `random` isn't a bot
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
