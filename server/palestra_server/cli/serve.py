"""`palestra-server serve`: the referee, until it is told to stop."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palestra_games import game_names
from palestra_protocol import limits
from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server import VERSION
from palestra_server.cli.cluster import take_turns
from palestra_server.cli.hosting import hosting, stop_on_signals
from palestra_server.cli.logs import configure_logs
from palestra_server.cli.output import Data, Database, fail, has_records, out, settings_from
from palestra_server.gateway import new_event_loop
from palestra_server.runtime import House
from palestra_server.settings import Settings
from palestra_server.web.addresses import bots_address, install_command, page_address
from palestra_server.web.keys import TEACHER_KEY

if TYPE_CHECKING:
    from palestra_server.web.serving import WebServer

FILES_BESIDE = 128  # open files other than connections: the records, logs, the interpreter's own


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="0.0.0.0, all")] = None,
    port: Annotated[int | None, typer.Option(help="Port for bots.", show_default="8765")] = None,
    web_port: Annotated[int | None, typer.Option(help="Port for the page.", show_default="8000")] = None,
    data: Data = None,
    database: Database = None,
    node: Annotated[
        str | None,
        typer.Option(help="Name of this machine, if several share --database: one referees, the others stand by."),
    ] = None,
    advertise: Annotated[
        str | None, typer.Option(help="With --node: where bots find this machine, ws://HOST:PORT or wss://HOST.")
    ] = None,
    guests: Annotated[
        bool | None,
        typer.Option("--guests/--no-guests", help="Admit bots without a token, under a name of their choice."),
    ] = None,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            metavar="BOT",
            help="Run this reference bot as a sparring partner (random, level1, ...); repeat it for more.",
        ),
    ] = None,
    judge: Annotated[
        bool | None,
        typer.Option("--judge/--no-judge", help="Have a judge analyse the matches that end (a niced process)."),
    ] = None,
    site: Annotated[str | None, typer.Option(help="Public address of the page behind a proxy: https://HOST.")] = None,
    admin_key: Annotated[
        str | None,
        typer.Option(help="Teacher's key, 16 characters or more.", show_default="made once, in teacher.key of --data"),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(help="Who may read /metrics: all, an address or network, or a key.", show_default="all"),
    ] = None,
    move_ms: Annotated[int | None, typer.Option(help="Time for one move, in ms.", show_default="2000")] = None,
    grace_ms: Annotated[
        int | None, typer.Option(help="Allowance for the network, added to it, in ms.", show_default="100")
    ] = None,
    ready_ms: Annotated[int | None, typer.Option(help="Time to get ready, in ms.", show_default="30000")] = None,
    away_ms: Annotated[
        int | None, typer.Option(help="Bank for lost connections, per match, in ms.", show_default="10000")
    ] = None,
    challenge_ms: Annotated[
        int | None,
        typer.Option(
            help=f"A player may start {limits.CHALLENGE_BURST} casual matches in a burst, then one in this many ms "
            "(matches played to their end do not count); 0: no limit.",
            show_default=str(limits.CHALLENGE_MS),
        ),
    ] = None,
    ply_limit: Annotated[
        int | None, typer.Option(help="A match of this many moves is a draw.", show_default="200")
    ] = None,
    log: Annotated[str | None, typer.Option(help="Log format: console or json.", show_default="console")] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.", show_default="info")] = None,
) -> None:
    """Start the referee, until Ctrl-C or SIGTERM.

    Every option can also be set by a variable: PALESTRA_WEB_PORT for --web-port, and so on.
    """
    # Each parameter is the setting of its name.
    settings = settings_from(**{**locals(), "bots": tuple(bots) if bots else None})
    if unknown := [name for name in settings.bots if name not in REFERENCE_BOTS]:
        where, choice = "--bot" if bots else "The variable PALESTRA_BOTS", ", ".join(REFERENCE_BOTS)
        fail(f"{where}: There is no reference bot {unknown[0]}: choose among {choice}.")
    if settings.judge and importlib.util.find_spec("palestra_bots") is None:
        fail("--judge: the judge is not installed here: install the package palestra-bots.")
    configure_logs(settings.log, settings.log_level)
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(_serve(settings))
    except KeyboardInterrupt:
        fail("Stopped before it was open.")


async def _serve(settings: Settings) -> None:
    stop = stop_on_signals()
    if settings.node is not None:
        await take_turns(settings, stop, _welcome)
        return
    is_new = not has_records(settings)
    async with hosting(settings) as (server, web):
        _welcome(server, web)
        if is_new:
            out.print("These records are new. If yours are in another folder, stop this and name it with --data.")
        await stop.wait()
        out.print("Stopping: matches in progress are kept and go on when the server is started again.")


def _welcome(server: House, web: WebServer) -> None:
    _greet(server, web)
    for warning in warnings(server):
        out.print(f"Warning: {warning}", markup=False, style="yellow")


def _greet(server: House, web: WebServer) -> None:
    settings = server.settings
    page = page_address(settings, web.port)
    roster = server.roster.rows
    out.print(f"Palestra {VERSION} is open.")
    out.print(f"  page        {page}")
    out.print(f"  bots        {bots_address(settings, server.opened.port)}")
    out.print(f"  install     {install_command(page)}", markup=False)
    key = "as given" if settings.admin_key is not None else settings.data.resolve() / TEACHER_KEY
    out.print(f"  your key    {key}", markup=False)
    out.print(f"  games       {', '.join(sorted(game_names()))}")
    out.print(f"  records     {settings.data.resolve()}", markup=False)
    guests = "may" if settings.guests else "may not"
    out.print(f"  players     {len(roster)} on the roster; guests {guests} play")
    if not roster and not settings.guests:
        out.print(
            "Nobody can connect yet: bring your class in with 'palestra-server roster import class.csv' "
            "(it works while this runs), or start with --guests."
        )


def warnings(server: House) -> Iterator[str]:
    """What the teacher should fix, one sentence each."""
    if any(re.search("://[^/@]*:[^/@]*@|[?&](ssl)?password=", word) for word in sys.argv):
        yield (
            "everybody on this machine can see the password in --database: write it into a file that only you can "
            "read, and give --database @FILE, or the variable PALESTRA_DATABASE."
        )
    if any(word.startswith("--admin-key") for word in sys.argv):
        yield "everybody on this machine can see the key in --admin-key: give it by the variable PALESTRA_ADMIN_KEY."
    for path in _readable(server.settings.data):
        yield f"{path} can be read by other users of this machine: 'chmod 600 {path}'."
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    needed = 2 * len(server.roster.names) + FILES_BESIDE
    if 0 <= files < needed:
        yield (
            f"only {files} files may be open here, which is little for {len(server.roster.names)} players and those "
            f"who watch: 'ulimit -n {max(4096, needed)}' before the start."
        )


def _readable(data: Path) -> Iterator[Path]:
    """Files with secrets that other users of the machine can read."""
    for pattern in ("*.key", "server.json", "tokens*", "palestra.sqlite3"):
        for path in data.glob(pattern):
            if path.stat().st_mode & 0o077 and data.stat().st_mode & 0o077:
                yield path
