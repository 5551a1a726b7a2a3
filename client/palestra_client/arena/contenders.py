"""The arena's contenders: parsing their specifications from the command line, and running their processes."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import IO

from palestra_client.arena.local_server import Gone, Guest, House
from palestra_client.bridge import DIALECTS, CannotStart, check_command, program_bots
from palestra_client.factories import BotFactory, NoBot
from palestra_client.loading import bot_of, file_in
from palestra_client.tied import Tied
from palestra_protocol.harmless import ForPeople
from palestra_protocol.reference_bots import REFERENCE_BOTS

START_S = 90.0  # time for a process to start and connect. Generous: the machine may be busy, and imports may be slow.
OUTPUT_KEPT = 4000  # how many trailing characters of a bot's output are shown when something goes wrong


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
            files = [path.name for path in Path(place).absolute().parent.glob("*.py")]
            near = get_close_matches(Path(place).name, files, n=1)
            raise NoContender(f"There is no file {place}." + (f" Did you mean {near[0]}?" if near else ""))
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


class Runner:
    """Runs a contender's process, which plays one match after another."""

    def __init__(self, contender: Contender, house: House) -> None:
        self.contender = contender
        self._house = house
        # Append mode, so that seeking to read doesn't move the process's write position.
        self._log: IO[bytes] = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - it lives as long as the runner
        self._process: asyncio.subprocess.Process | None = None
        self._tied: Tied | None = None
        self._watch: asyncio.Task[None] | None = None
        self.guest: Guest = house.admit(contender.name)

    async def ready(self) -> Guest:
        """The connected guest; starts the process if needed. Raises NoContender if it doesn't connect."""
        if self._process is None:
            await self._start()
        assert self._watch is not None
        joined = asyncio.ensure_future(self.guest.ready_to_play.wait())
        await asyncio.wait((joined, self._watch), timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
        if not joined.done():
            joined.cancel()
            said = self.output() or "It printed nothing."
            what = f"did not connect within {START_S:.0f} s" if self.running else "ended before it connected"
            await self.stop()
            raise NoContender(f"{self.contender.name} {what}:\n{said}")
        return self.guest

    def output(self) -> str:
        """The tail of what the process printed."""
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - OUTPUT_KEPT))
        return self._log.read().decode(errors="replace").strip()

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert self._tied is not None
        await asyncio.to_thread(self._tied.kill, process.pid)
        if self._watch is not None:
            await self._watch
        self._house.dismiss(self.guest)
        self.guest = self._house.admit(self.contender.name)

    async def close(self) -> None:
        await self.stop()
        self._log.close()

    async def _start(self) -> None:
        command = self.contender.command(self._house.url, self.guest.token)
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        low = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
        self._tied = Tied()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                # Our own child processes exit when this pipe is closed.
                stdin=asyncio.subprocess.DEVNULL if self.contender.kind == "wire" else asyncio.subprocess.PIPE,
                stdout=self._log,
                stderr=self._log,
                env=environment,
                creationflags=low,
                process_group=self._tied.group,
            )
        except OSError as error:
            self._tied.kill()
            raise NoContender(f"{self.contender.name} can't be started: {error.strerror or error}.") from None
        self._watch = asyncio.create_task(self._until_gone(self._process, self.guest))

    async def _until_gone(self, process: asyncio.subprocess.Process, guest: Guest) -> None:
        await process.wait()
        guest.hear(Gone())
