"""`palestra-server demo`: the whole system at work for two minutes.

Writes a tournament file, starts three bots in processes of their own, and runs the file like any tournament.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live

from palestra_protocol.harmless import ForPeople
from palestra_protocol.limits import SEAT_MS_MIN
from palestra_server.cli.hosting import hosting, stop_on_signals
from palestra_server.cli.logs import configure_logs
from palestra_server.cli.output import out
from palestra_server.cli.views import crosstable_view, score, standings_view, status_view
from palestra_server.gateway import new_event_loop
from palestra_server.runtime import House, LiveTournament
from palestra_server.settings import Settings
from palestra_server.web.addresses import address
from palestra_tournament import Result, crosstable, standings

BOTS = ("alphabeta", "mtdf", "random")
GAMES = ("connect4", "connect4-8x8", "desconecta4", "mancala")
CONNECT_S = 60.0  # timeout for all bots to connect
READY_MS = 120_000  # the very first time, a bot compiles its search, perhaps on a slow machine
REDRAW_S = 0.25


def demo(
    exit_: Annotated[
        bool,
        typer.Option(
            "--exit",
            help="Exit after the tournament (the default without a terminal) instead of keeping the page open.",
        ),
    ] = False,
    data: Annotated[
        Path | None, typer.Option(help="Folder for the records.", show_default="a new one in palestra-data")
    ] = None,
    move_ms: Annotated[int, typer.Option(help="Time for one move, in ms.", min=SEAT_MS_MIN, max=60_000)] = 400,
    port: Annotated[int, typer.Option(help="Port for bots.", min=0, max=65535)] = 8765,
    web_port: Annotated[int, typer.Option(help="Port for the page.", min=0, max=65535)] = 8000,
) -> None:
    """Play a demo: a referee, three bots as separate processes, a double round robin in every game."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        finished = runner.run(run_demo(out, data, move_ms, port, web_port, leave=exit_ or not out.is_terminal))
    if not finished:
        raise typer.Exit(130)


def demo_file(name: str, move_ms: int) -> str:
    games = ", ".join(f'"{game}"' for game in GAMES)
    players = ", ".join(f'"{bot}"' for bot in BOTS)
    return f"""\
name = "{name}"
title = "The demo"
format = "round-robin"
games = [{games}]
who = {{ players = [{players}] }}
per_bot = 2
withdraw_after = 0

[clock]
move_ms = {move_ms}
ready_ms = {READY_MS}
"""


async def run_demo(out: Console, data: Path | None, move_ms: int, port: int, web_port: int, *, leave: bool) -> bool:
    """Returns True if the tournament was finished, False if a signal stopped it.

    `leave`: return after the standings instead of keeping the page open. Raises ForPeople.
    """
    stop = stop_on_signals()
    folder = data or Path("palestra-data") / time.strftime("demo-%Y%m%d-%H%M%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log_file = (folder / "server.log").open("a", encoding="utf-8")
    except OSError as error:
        raise ForPeople(f"The records cannot be kept in {folder} ({error.strerror}); name another --data.") from error
    settings = Settings(host="127.0.0.1", port=port, web_port=web_port, data=folder, guests=False, bots=BOTS)
    async with AsyncExitStack() as stack:
        configure_logs("json", "info", stack.enter_context(log_file))
        server, web = await stack.enter_async_context(hosting(settings))
        await asyncio.to_thread(server.roster.enrol, BOTS)
        page = address(settings.host, web.port, "http")
        out.print(f"Page at {page}: open it and watch. Records in {folder}.")
        out.print(f"Each move has {move_ms} ms. Bots, each its own process: {', '.join(BOTS)}.")
        missing = server.references.missing()
        if missing is not None:
            raise ForPeople(missing)
        work = asyncio.create_task(_tournament(out, server, folder, move_ms))
        stopped = asyncio.create_task(stop.wait())
        broken = asyncio.shield(server.saving.fault)
        tasks: list[asyncio.Future[Any]] = [work, stopped, broken]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if stopped in done:
            out.print("Stopped; the bots have been ended. The records so far are kept.")
            return False
        if broken in done:
            raise ForPeople(broken.result())
        out.print(*tables(work.result()))
        out.print(f"Records: {folder} (palestra.sqlite3 holds every move, server.log what happened).")
        if not leave:
            out.print(f"The page stays at {page}; end with Ctrl-C.")
            stop.clear()
            await stop.wait()
        return True


async def _tournament(out: Console, server: House, folder: Path, move_ms: int) -> LiveTournament:
    out.print("Waiting for the bots to connect ...")
    try:
        async with asyncio.timeout(CONNECT_S):
            await asyncio.gather(*(server.presence.joined(bot) for bot in BOTS))
    except TimeoutError:
        missing = [bot for bot in BOTS if bot not in server.presence.peers]
        raise ForPeople(
            f"{', '.join(missing)} did not connect within {CONNECT_S:.0f} s; see its log in {folder}."
        ) from None
    name = next(name for name in _names() if name not in server.catalogue)
    file = folder / f"{name}.toml"
    file.write_text(demo_file(name, move_ms), encoding="utf-8")
    out.print(f"The tournament is {file}; any file like it is played the same way.")
    live = await server.director.create(file.read_text(encoding="utf-8"))
    changed = server.bell.ear()
    server.director.start(name)
    if not out.is_terminal:
        shown = 0
        while live.tournament is None or shown < len(live.tournament.results) or live.state != "completed":
            await changed.wait()
            changed.clear()
            results = [] if live.tournament is None else list(live.tournament.results.values())
            for result in results[shown:]:
                shown += 1
                out.print(_line(live, shown, result), markup=False)
        return live
    with Live(_board(live), console=out, auto_refresh=False, transient=True) as board:
        while live.state != "completed":
            await asyncio.sleep(REDRAW_S)
            board.update(_board(live), refresh=True)
    return live


def _names() -> Iterator[str]:
    return chain(("demo",), (f"demo-{number}" for number in count(2)))


def _line(live: LiveTournament, played: int, result: Result) -> str:
    (first, second), why = result.fixture.players, result.reason
    place = f"[{played:2}/{live.summary()['total']}]"
    return f"{place} {result.fixture.game}: {first} - {second}  {score(result.returns, why)}  ({why})"


def _board(live: LiveTournament) -> RenderableType:
    return Group(status_view(live.snapshot()), standings_view(_rows(live, rated=False)))


def _rows(live: LiveTournament, *, rated: bool) -> list[Mapping[str, Any]]:
    assert live.tournament is not None
    return [{**asdict(row), "tiebreaks": dict(row.tiebreaks)} for row in standings(live.tournament, rated=rated)]


def tables(live: LiveTournament) -> tuple[RenderableType, ...]:
    assert live.tournament is not None
    cross = crosstable(live.tournament)
    return standings_view(_rows(live, rated=True)), crosstable_view(cross.players, cross.cells)
