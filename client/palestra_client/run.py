"""The two ways to play from Python: `run` in a script, `await play` where an event loop runs already (a notebook)."""

from __future__ import annotations

from palestra_client.factories import BotFactory, being_loaded

# What these two need is imported when they are called: a bot's module is to be imported quickly.


def run(
    bot: BotFactory,
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
) -> None:
    """Joins `server` with this bot, and plays every match it is given until the server ends it or Ctrl-C.

    `bot` is a Bot class, or a function without arguments that makes a bot; it is called once a match. `server` is an
    address such as "ws://192.168.1.20:8765" (the default: PALESTRA_SERVER in the environment, else this machine).
    `token` is the player's (the default: PALESTRA_TOKEN); where guests are allowed, `name` will do instead.

    Returns when the server ended the connection in good order. SystemExit(1), after one sentence on standard
    error, when it is no use to go on; SystemExit(130) after Ctrl-C.
    """
    if being_loaded.get():
        return
    from palestra_client.joining import join

    ended = join(bot, server=server, token=token, name=name)
    if ended.code != 0:
        raise SystemExit(ended.code)


async def play(
    bot: BotFactory,
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
) -> None:
    """`run`, for a notebook: `await play(MyBot, server=..., token=...)`. Cancel it to leave.

    Raises `palestra_client.joining.CannotPlay` (one sentence) when it is no use to go on.
    """
    from palestra_client.joining import settings, take_part

    await take_part(bot, settings(server=server, token=token, name=name))
