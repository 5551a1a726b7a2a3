"""Reference bots: separate, niced processes, restarted when they die, that never outlive this server."""

from __future__ import annotations

import asyncio
import errno
import importlib.util
import os
import secrets
import select
import signal
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

import structlog

from palestra_server.helper import niced
from palestra_server.runtime.roster import Roster
from palestra_server.runtime.roster.roster import token_hash
from palestra_server.supervision import Supervisor

log = structlog.get_logger()

ENDING_S: Final = 2.0  # how long a bot may take to exit once told to
# Longest pause before a dead bot is restarted; the first is 1 s and doubles. A bot that lived for longer than this
# starts at 1 s again.
BACK_OFF_S: Final = 60.0


MATCHES: Final = 4  # casual matches that a reference bot plays at the same time


class References:
    """`always`: bots that run even without a tournament. Their output goes to `logs`, one file each."""

    def __init__(self, logs: Path, supervisor: Supervisor, always: Iterable[str] = ()) -> None:
        self._supervisor = supervisor
        self._logs = logs
        self._always = frozenset(always)
        self._address: str | None = None
        self.names = self._always  # the bots that should be running
        self._tokens: dict[str, str] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def player_for(self, token: str) -> str | None:
        """The bot that this token belongs to, or None."""
        return self._tokens.get(token)

    def token_hash(self, player: str) -> str | None:
        """SHA-256 of a bot's token in hex; None for other players."""
        tokens = [token for token, name in self._tokens.items() if name == player]
        return token_hash(tokens[0]) if tokens else None

    def match_limit(self, player: str) -> int:
        """How many matches a player may be in at the same time: several for a reference bot, one for anyone else."""
        return MATCHES if player in self.names else 1

    def missing(self) -> str | None:
        """Why none can be started here; None if they can."""
        if importlib.util.find_spec("palestra_bots") is not None:
            return None
        return "The reference bots are not installed here: install the package palestra-bots."

    def open(self, address: str) -> None:
        """The gateway listens at `address`: the bots wanted so far can be started."""
        self._address = address
        self.want(self.names)

    def want(self, names: frozenset[str]) -> None:
        """Run these bots and those in `always`, and end all others."""
        self.names = self._always | names
        if self._address is None:
            return
        for name in self._running.keys() - self.names:
            self._end(name)
        for name in sorted(self.names - self._running.keys()):
            token = secrets.token_urlsafe(24)
            self._tokens[token] = name
            keep = partial(keep_running, name, self._address, {"PALESTRA_TOKEN": token}, self._logs / f"{name}.log")
            self._running[name] = self._supervisor.keep("reference bot", self._supervisor, keep)

    def _end(self, name: str) -> None:
        task = self._running.pop(name)
        self._tokens = {token: owner for token, owner in self._tokens.items() if owner != name}
        task.cancel()
        self._ending = {task, *(each for each in self._ending if not each.done())}

    async def close(self) -> None:
        """End all of them, within about ENDING_S."""
        self.names, self._address = frozenset(), None
        for name in tuple(self._running):
            self._end(name)
        await asyncio.gather(*self._ending, return_exceptions=True)


async def keep_running(name: str, address: str, secret: Mapping[str, str], log_file: Path) -> None:
    """Run the bot, or the judge, with this in its environment, restarting it when it dies, until cancelled."""
    loop = asyncio.get_running_loop()
    pause = 1.0
    while True:
        began = loop.time()
        try:
            code = await _run(name, address, secret, log_file)
            by_signal = f"was ended by signal {-code} ({signal.strsignal(-code)})"  # not every one has a name
            why = by_signal if code < 0 else f"ended with exit code {code}"
        except OSError as error:
            why = f"could not be started ({error.strerror})"
        pause = 1.0 if loop.time() - began > BACK_OFF_S else pause
        log.warning("reference bot starts again", bot=name, why=why, in_s=pause, said=_last_line(log_file))
        await asyncio.sleep(pause)
        pause = min(2 * pause, BACK_OFF_S)


async def _run(name: str, address: str, secret: Mapping[str, str], log_file: Path) -> int:
    """Run the process once and return its exit code. It ends with this coroutine, for whatever reason."""
    with _opened(log_file) as output:
        process = await niced(
            "palestra_bots.hosted",
            *(name, "--server", address),
            # Nothing is written: its end tells the bot that this server is gone, whatever the cause.
            stdin=asyncio.subprocess.PIPE,
            stdout=output,
            stderr=output,
            # Where its receipts and crash files go.
            cwd=log_file.parent,
            # In a variable, so that the token does not show in the process list.
            env={**_without_secrets(), **secret},
            # Ctrl-C is for the server, which then ends its bots in order.
            start_new_session=True,
        )
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            await _terminate(process)


def _opened(log_file: Path) -> BinaryIO:
    """To append to. Raises OSError, also for a FIFO that nobody reads, which would hold up the server or the bot."""
    try:
        number = os.open(log_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
        full = not select.select([], [number], [], 0)[1]
    except OSError as error:
        raise error if error.errno != errno.ENXIO else _unread(log_file) from None
    if full:
        os.close(number)
        raise _unread(log_file)
    os.set_blocking(number, True)
    return os.fdopen(number, "ab")


def _unread(log_file: Path) -> OSError:
    return OSError(errno.ENXIO, f"nobody reads the FIFO {log_file}: remove it")


def _without_secrets() -> dict[str, str]:
    """The environment without the server's settings: the teacher's key and the database's password are not for bots."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PALESTRA_")}


async def _terminate(process: asyncio.subprocess.Process) -> None:
    process.terminate()
    try:
        async with asyncio.timeout(ENDING_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _last_line(log_file: Path) -> str:
    try:
        # Not from a FIFO, which would have to be waited for.
        text = log_file.read_text(encoding="utf-8", errors="replace") if log_file.is_file() else ""
    except OSError:
        return ""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


class Admitted:
    """Implements `gateway.PlayerRoster`: the players on the roster, and the reference bots that run here."""

    def __init__(self, roster: Roster, references: References) -> None:
        self._roster = roster
        self._references = references

    def player_for(self, token: str) -> str | None:
        return self._references.player_for(token) or self._roster.player_for(token)

    def is_taken_back(self, token: str) -> bool:
        return self._roster.is_taken_back(token)

    def token_hash(self, player: str) -> str | None:
        return self._references.token_hash(player) or self._roster.token_hash(player)

    @property
    def names(self) -> tuple[str, ...]:
        return *self._roster.names, *self._references.names
