"""`palestra watch` and `palestra players`: what is happening on a server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Annotated

import typer

from palestra_client.address import watch_url
from palestra_client.cli.common import AskedServer, give_up
from palestra_client.page import asked_url
from palestra_client.watching.feed import LOBBY, CannotWatch, Feed, Lost
from palestra_client.watching.model import Lobby
from palestra_protocol.harmless import harmless


def watch(
    match: Annotated[
        str | None, typer.Argument(metavar="MATCH", help="A match to look at, live or over.", show_default=False)
    ] = None,
    server: AskedServer = None,
) -> None:
    """Watch in the terminal: the matches in progress, and the board and moves of one."""
    url = watch_url(asked_url(server))
    try:
        from palestra_client.watching.app import WatchApp
    except ImportError:
        give_up("`palestra watch` needs one package more: pip install textual.")
    topics = (LOBBY,) if match is None else (LOBBY, f"match:{match}")
    sentence = WatchApp(Feed(url, topics), match).run()
    if sentence is not None:
        give_up(harmless(sentence))


def players(server: AskedServer = None) -> None:
    """List who is connected, and who is free to be challenged."""
    lobby = asyncio.run(_lobby(watch_url(asked_url(server))))
    if not lobby.players:
        typer.echo("Nobody is connected. For somebody to play against, the teacher starts the server with --bot level3")
        typer.echo("or you start one in another terminal: palestra join palestra_bots:level3 --name partner")
    for player in sorted(lobby.players):
        boards = [board for board in lobby.boards.values() if player in board.players]
        what = ", ".join(f"{board.game}: {' - '.join(board.players)}" for board in boards)
        typer.echo(harmless(f"{player:32} {what or 'free'}"))


async def _lobby(url: str) -> Lobby:
    async with aclosing(Feed(url, (LOBBY,)).news()) as news:
        async for one in news:
            if isinstance(one, Lost):
                raise CannotWatch(f"{url}: {one.why}.")
            lobby = Lobby()
            lobby.happened(one.event)
            return lobby
    raise CannotWatch(f"{url} says nothing.")
