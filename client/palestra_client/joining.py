"""Turns the user's settings into a client that plays and reports to the terminal."""

from __future__ import annotations

import asyncio
import inspect
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from palestra_client import receipts
from palestra_client.address import PATH, BadAddress, server_urls
from palestra_client.bot_version import version_of_bot
from palestra_client.client import Client, Player
from palestra_client.console import Console
from palestra_client.debugging import breakpoints
from palestra_client.factories import BotFactory, NoBot, check_factory
from palestra_client.match import Match
from palestra_client.session import Settings
from palestra_games import UnknownGame, get_game, play_text
from palestra_protocol import limits
from palestra_protocol.harmless import ForPeople, harmless
from palestra_protocol.messages import Challenge, Seat

INTERRUPTED = 128 + signal.SIGINT  # exit code of a program ended by Ctrl-C


class CannotPlay(ForPeople):
    """There is no point in going on; the text is one sentence that says why and what to do."""


@dataclass(frozen=True)
class Options:
    """How and as whom to play, as the user says it; what is None has its default."""

    server: str | None = None
    token: str | None = None
    name: str | None = None
    challenge: str | None = None
    game: str | None = None
    seat: Seat | None = None
    games: int | None = None
    opening: str | None = None
    version: str | None = None
    no_clock: bool = False
    never_resign: bool = False
    arguments: bool = False  # they are arguments of a function, and called that in messages

    def called(self, name: str, value: str = "") -> str:
        """How to write an option: `--game NAME` on the command line, `game=NAME` in Python."""
        return f"{name}={value}" if self.arguments else f"--{name} {value}".rstrip()


def settings(options: Options) -> Settings:
    """The validated settings, with defaults from PALESTRA_SERVER and PALESTRA_TOKEN. Raises CannotPlay."""
    token, name, version = options.token, options.name, options.version
    if token is not None and name is not None:
        raise CannotPlay("Give a token or a guest's name, not both: a token already says who you are.")
    if token is None and name is None:
        token = os.environ.get("PALESTRA_TOKEN") or None
    if token is None and name is None:
        raise CannotPlay(
            f"Who is playing? Give the token you got for this competition ({options.called('token')}, or "
            f"PALESTRA_TOKEN), or a {options.called('name')} where guests are allowed."
        )
    token = _text("The token", token or "").strip()
    if token == "TOKEN":
        raise CannotPlay("TOKEN stands for your token, which your teacher gave you: write that in its place.")
    if len(token) > limits.TOKEN_MAX:
        raise CannotPlay(f"A token has {limits.TOKEN_MAX} characters at most; this one has {len(token)}.")
    if name is not None and not 1 <= len(_text("The name", name)) <= limits.NAME_MAX:
        raise CannotPlay(f"A name has 1 to {limits.NAME_MAX} characters, and this one {len(name)}.")
    try:
        urls = server_urls(options.server)
    except BadAddress as error:
        raise CannotPlay(str(error).replace("--token", options.called("token"))) from error
    if version is not None and (len(version) > limits.VERSION_MAX or not (version.isascii() and version.isprintable())):
        takes = f"takes up to {limits.VERSION_MAX} characters without accents, such as 3 or v3.1."
        raise CannotPlay(f"{options.called('version')} {takes}")
    return Settings(urls, token, name, _challenge(options), options.games, version)


def _challenge(options: Options) -> Challenge | None:
    opponent, game, seat = options.challenge, options.game, options.seat
    games, opening = options.games, options.opening
    if opponent is None:
        if options.no_clock or any(option is not None for option in (game, seat, games, opening)):
            there = ("game", "seat", "games") if options.arguments else ("game", "seat", "games", "opening", "no-clock")
            *names, last = map(options.called, there)
            whom = options.called("challenge", "NAME")
            raise CannotPlay(f"{', '.join(names)} and {last} are for a challenge: say whom with {whom}.")
        return None
    if games is not None and games < 1:
        raise CannotPlay(f"{options.called('games')} is how many matches to play, 1 or more, not {games}.")
    _text("The name of the opponent", opponent)
    if game is None:
        give = f"Give {options.called('game', 'NAME')}; `palestra games` lists them."
        raise CannotPlay(f"Which game against {opponent}? {give}")
    if not 1 <= len(opponent) <= limits.NAME_MAX:
        raise CannotPlay(f"The name of an opponent has 1 to {limits.NAME_MAX} characters.")
    try:
        state, actions = play_text(get_game(game), opening or "", "--opening")
    except (UnknownGame, ValueError) as error:
        raise CannotPlay(str(error)) from None
    if state.returns() is not None or len(actions) > limits.OPENING_MAX:
        raise CannotPlay(f"--opening takes {limits.OPENING_MAX} actions at most, which do not end the game.")
    budgets = None
    if options.no_clock:
        seat = seat or 0
        budgets = (limits.SEAT_MS_MAX, None) if seat == 0 else (None, limits.SEAT_MS_MAX)
    return Challenge(
        opponent=opponent,
        game=game,
        seat=seat,
        opening=None if opening is None else actions,
        seat_ms=budgets,
        wait=True,
    )


def _text(what: str, given: str) -> str:
    """`given`, unless it has bytes that the shell couldn't decode (PEP 383)."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise CannotPlay(f"{what} has bytes in it that are not UTF-8: type it again.") from None
    return given


@dataclass(frozen=True, slots=True)
class Ended:
    """How `join` ended: `code` is 0, 1, 130 after Ctrl-C or 143 after SIGTERM; `busy`: a bot's code still runs."""

    code: int
    busy: bool = False


def join(bot: BotFactory, options: Options, *, target: str | None = None, program: bool = False) -> Ended:
    """Plays until it is over; if it ends badly, says why in one line on standard error.

    `target` is the bot's name on the command line, for the command that replays a crash; `program`: the bot is a
    program behind the bridge, and messages call it that.
    """
    client: Client | None = None
    terminated: list[int] = []
    try:
        check_factory(bot)
        wanted = settings(options)
        with _client(bot, wanted, target, options.never_resign, program) as client, _sigterm_interrupts() as terminated:
            asyncio.run(_until_over(client))
    except (CannotPlay, NoBot) as error:
        print(harmless(str(error)), file=sys.stderr)
        return Ended(1, client is not None and client.busy)
    except KeyboardInterrupt:
        code = 128 + signal.SIGTERM if terminated else INTERRUPTED
        for match in () if client is None else client.playing:
            print(harmless(_left_behind(match, guest=wanted.name is not None)), file=sys.stderr)
        return Ended(code, client is not None and client.busy)
    return Ended(0, client.busy)


@contextmanager
def _sigterm_interrupts() -> Iterator[list[int]]:
    """SIGTERM (from a stopping container) acts like Ctrl-C; the list is not empty once it has come."""
    came: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        came.append(number)
        signal.raise_signal(signal.SIGINT)

    if threading.current_thread() is not threading.main_thread():  # only the main one may set handlers
        yield came
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    # A script's background job starts with SIGINT ignored; asyncio would leave it so, and nothing could end the bot.
    before_int = signal.getsignal(signal.SIGINT)
    if before_int is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, before)
        if before_int is signal.SIG_IGN:
            signal.signal(signal.SIGINT, before_int)


def _left_behind(match: Match, *, guest: bool) -> str:
    """What happens to a match abandoned half-way."""
    left = f"You left in the middle of {match.game} against {match.opponent} (match {match.id}):"
    if guest:
        return f"{left} it is lost, since a guest can't come back to it."
    return f"{left} it is lost unless your bot is back soon. Start it again, and it plays on there."


async def take_part(bot: BotFactory, wanted: Settings) -> None:
    """`join` inside a running event loop. Raises CannotPlay and NoBot."""
    check_factory(bot)
    with _client(bot, wanted, None) as client:
        try:
            await _until_over(client)
        except asyncio.CancelledError as left:
            said = [harmless(_left_behind(match, guest=wanted.name is not None)) for match in client.playing]
            # IPython, which cancels a cell that is interrupted, shows this in place of a traceback.
            left._render_traceback_ = lambda: said or ["You left."]  # type: ignore[attr-defined]
            raise


@contextmanager
def _client(
    bot: BotFactory, wanted: Settings, target: str | None, never_resign: bool = False, program: bool = False
) -> Iterator[Client]:
    target = target or _target(bot)

    def replay_command(file: Path) -> str:
        return f"palestra replay-crash {shlex.quote(str(file))} {target}"

    with (
        Console(program=program) as console,
        breakpoints(wanted.urls[0].removesuffix(PATH), target, console.terminal, console.say),
    ):
        player = Player(
            bot,
            console.show,
            receipts=receipts.FILE,
            never_resign=never_resign,
            replay_command=None if target is None else replay_command,
        )
        yield Client(player, wanted if wanted.version is not None else replace(wanted, version=version_of_bot(bot)))


async def _until_over(client: Client) -> None:
    stop = await client.run()
    if stop.failed:
        raise CannotPlay(stop.sentence)


def no_loop_yet() -> None:
    """Raises CannotPlay where an event loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise CannotPlay("An event loop runs here already (a notebook?): write `await play(MyBot, ...)` instead of run().")


def _target(bot: BotFactory) -> str | None:
    """How `palestra join` would name this bot; None if it couldn't (typed into a notebook, made on the fly)."""
    name = getattr(bot, "__qualname__", "")
    try:
        file = inspect.getsourcefile(bot)
    except (TypeError, OSError):  # OSError in a notebook
        file = None
    if file is None or not name.isidentifier() or not Path(file).is_file():
        return None
    path = Path(file).absolute()
    here = Path.cwd()
    return shlex.quote(f"{path.relative_to(here) if path.is_relative_to(here) else path}:{name}")
