"""`palestra-server demo`: the whole house at work for two minutes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from palestra_games import get_game
from palestra_referee import Voided
from palestra_server.cli.children import Child
from palestra_server.cli.hosting import address, hosting, stop_on_signals
from palestra_server.cli.logs import configure_logs
from palestra_server.runtime import LiveMatch, Server, Settings, play_fixtures
from palestra_tournament.simple import Fixture, Result, crosstable, double_round_robin, standings

BOTS = ("alphabeta", "mtdf", "random")
GAMES = ("connect4", "connect4-8x8", "desconecta4", "mancala")
AT_ONCE = 2
CONNECT_S = 60.0
"""Longest wait until all bots have connected."""
READY_MS = 120_000
"""Longest wait until a bot is ready: the very first time it compiles its search, on a machine that may be slow."""


class DemoError(Exception):
    """The demo cannot go on; the text is one sentence for the user."""


@dataclass
class Board:
    """What the terminal shows: a bar, the matches being played, then the tables."""

    total: int
    results: list[Result] = field(default_factory=list)
    playing: dict[str, tuple[Fixture, LiveMatch]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bar = Progress(TextColumn("matches"), BarColumn(bar_width=40), MofNCompleteColumn(), TimeElapsedColumn())
        self.task = self.bar.add_task("matches", total=self.total)

    def __rich__(self) -> RenderableType:
        running = Table("game", "first", "second", "ply", title="In progress", title_justify="left")
        for fixture, live in self.playing.values():
            running.add_row(fixture.game, *fixture.players, str(live.match.ply))
        return Group(self.bar, running, standings_table(self.results))


def standings_table(results: Sequence[Result]) -> Table:
    """Rank, player, points and the rest, as rich draws it."""
    table = Table("#", "player", "points", "played", "won", "drawn", "lost", title="Standings", title_justify="left")
    for row in standings(BOTS, results):
        counts = (row.played, row.wins, row.draws, row.losses)
        table.add_row(str(row.rank), row.player, f"{row.points:g}", *map(str, counts))
    return table


def crosstable_table(results: Sequence[Result]) -> Table:
    """Who scored what against whom."""
    cross = crosstable(BOTS, results)
    table = Table("", *cross.players, title="Crosstable (points of matches)", title_justify="left")
    for player, cells in zip(cross.players, cross.cells, strict=True):
        table.add_row(player, *("" if cell is None else f"{cell[0]:g} of {cell[1]}" for cell in cells))
    return table


async def run_demo(out: Console, data: Path | None, move_ms: int, port: int, web_port: int, *, leave: bool) -> bool:
    """Plays the tournament; True when it came to its end, False when it was stopped by a signal.

    `leave`: return after the standings instead of keeping the page open.
    Raises DemoError, ChildFailed and `HostingErrors`.
    """
    stop = stop_on_signals()
    folder = data or Path("palestra-data") / time.strftime("demo-%Y%m%d-%H%M%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log_file = (folder / "server.log").open("a", encoding="utf-8")
    except OSError as error:
        raise DemoError(f"The records cannot be kept in {folder} ({error.strerror}); name another --data.") from error
    settings = Settings(
        host="127.0.0.1",
        port=port,
        web_port=web_port,
        data=folder,
        guests=False,
        move_ms=move_ms,
        ready_ms=READY_MS,
    )
    async with AsyncExitStack() as stack:
        configure_logs("json", "info", stack.enter_context(log_file))
        server, web = await stack.enter_async_context(hosting(settings))
        tokens = await asyncio.to_thread(server.roster.enrol, BOTS)
        for live in tuple(server.host.matches.values()):
            live.feed(Voided("The demo that this match belonged to was stopped.", live.now()))
        place = address(settings.host, server.opened.port)
        out.print(f"Referee at {place}, page at {address(settings.host, web.port, 'http')}, records in {folder}.")
        out.print(f"Each move has {move_ms} ms. Bots, each its own process: {', '.join(BOTS)}.")
        children = [
            await stack.enter_async_context(Child(name, place, tokens[name], folder / f"{name}.log")) for name in BOTS
        ]
        work = asyncio.create_task(_tournament(out, server, children))
        stopped = asyncio.create_task(stop.wait())
        broken = asyncio.shield(server.host.storage_fault)
        ended = [asyncio.create_task(child.failure()) for child in children]
        tasks: list[asyncio.Future[Any]] = [work, stopped, broken, *ended]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if stopped in done:
            out.print("Stopped; the bots have been ended. The records so far are kept.")
            return False
        if broken in done:
            raise DemoError(broken.result())
        for task in ended:
            if task in done:
                task.result()  # raises ChildFailed
        results = work.result()
        out.print(standings_table(results), crosstable_table(results))
        out.print(f"Records: {folder} (palestra.sqlite3 holds every move, server.log what happened).")
        if not leave:
            out.print(f"The page stays at {address(settings.host, web.port, 'http')}; end with Ctrl-C.")
            stop.clear()
            await stop.wait()
        return True


async def _tournament(out: Console, server: Server, children: Sequence[Child]) -> list[Result]:
    """Waits for the bots, then plays; the live board only where there is a terminal to draw on."""
    out.print("Waiting for the bots to connect ...")
    try:
        async with asyncio.timeout(CONNECT_S):
            await asyncio.gather(*(server.host.joined(child.name) for child in children))
    except TimeoutError:
        missing = [child.name for child in children if child.name not in server.host.peers]
        raise DemoError(f"{', '.join(missing)} did not connect within {CONNECT_S:.0f} s; see its log.") from None
    fixtures = [fixture for game in GAMES for fixture in double_round_robin(BOTS, get_game(game).name)]
    board = Board(len(fixtures))

    def started(fixture: Fixture, live: LiveMatch) -> None:
        board.playing[live.id] = fixture, live

    def ended(fixture: Fixture, result: Result) -> None:
        board.results.append(result)
        board.playing = {i: (f, live) for i, (f, live) in board.playing.items() if not live.finished.done()}
        board.bar.update(board.task, completed=len(board.results))
        if not out.is_terminal:
            first, second = result.players
            score = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[result.points[0]]
            count = f"[{len(board.results):2}/{board.total}]"
            out.print(f"{count} {fixture.game}: {first} - {second}  {score}  ({result.reason})", markup=False)

    def play() -> asyncio.Task[list[Result]]:
        return asyncio.create_task(
            play_fixtures(server.host, fixtures, tournament="demo", at_once=AT_ONCE, on_start=started, on_result=ended)
        )

    if not out.is_terminal:
        return await play()
    with Live(board, console=out, refresh_per_second=4, transient=True):
        return await play()
