"""The two ways to play from Python: `run` in a script, or `await play` if an event loop is running (in a notebook)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palestra_client.factories import BotFactory, being_loaded

if TYPE_CHECKING:
    from palestra_protocol.messages import Seat

# What these two need is imported when they are called, so that a bot's module is imported quickly.


def run(
    bot: BotFactory,
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
    challenge: str | None = None,
    game: str | None = None,
    seat: Seat | None = None,
    games: int | None = None,
    version: str | None = None,
) -> None:
    """Connects this bot to `server` and plays every match it is given, until the server ends it or you press Ctrl-C.

    `bot` is a Bot class, or a function without arguments that returns a bot; it is called once per match. `server` is
    an address such as "ws://192.168.1.20:8765" (default: the environment variable PALESTRA_SERVER, or this machine).
    `token` is the player's token (default: PALESTRA_TOKEN); if guests are allowed, a `name` is enough.

    With `challenge`, the name of a player, it asks for a match of `game` until it gets one, as `seat` (0 moves first)
    if that is given; with `games`, for so many of them, and leaves. `version` says which of your versions plays;
    without it, git does, or a hash of the program.

    Returns once the server has closed the connection normally, or the games are over. Raises SystemExit(1), after a
    sentence on standard error, if there is no point in going on, SystemExit(130) after Ctrl-C, and
    `palestra_client.joining.CannotPlay` in an event loop, where `play` is what to write.
    """
    if being_loaded.get():
        return
    from palestra_client.joining import Options, join, no_loop_yet

    no_loop_yet()
    options = Options(server, token, name, challenge, game, seat, games, version=version, arguments=True)
    ended = join(bot, options)
    if ended.code != 0:
        raise SystemExit(ended.code)


async def play(
    bot: BotFactory,
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
    challenge: str | None = None,
    game: str | None = None,
    seat: Seat | None = None,
    games: int | None = None,
    version: str | None = None,
) -> None:
    """Like `run`, but for notebooks: `await play(MyBot, server=..., token=...)`.

    To leave, interrupt the cell, or cancel the task.

    Raises `palestra_client.joining.CannotPlay`, with a one-sentence message, if there is no point in going on.
    """
    from palestra_client.joining import Options, settings, take_part

    options = Options(server, token, name, challenge, game, seat, games, version=version, arguments=True)
    await take_part(bot, settings(options))
