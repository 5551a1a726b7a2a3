"""`palestra arena`."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from palestra_client.arena import difference, elsewhere, in_process, openings
from palestra_client.arena.contenders import Contender, NoContender, contenders
from palestra_client.arena.fixtures import Fixture, Result, Settings, fixtures
from palestra_client.arena.refereed import save as save_export
from palestra_client.arena.report import lines, tally, units
from palestra_client.arena.running import Arena
from palestra_client.arena.statistics import Sprt
from palestra_client.cli.common import give_up
from palestra_client.factories import NoBot
from palestra_client.joining import INTERRUPTED
from palestra_client.options import BadOption
from palestra_games import get_game
from palestra_protocol.english import plural

MATCHES = 20
MATCHES_MAX = 1_000_000
JOBS_MAX = 1000
MATCHES_OF_A_TEST = 10_000  # the default when a sequential test decides how many are enough


def arena(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT",
            help="Two or more, each a file (mybot.py), module:Class, reference bot (level3), or a program's command "
            '(course-mancala:./mybot for one of the course); options in quotes: "mybot.py --depth 4".',
            show_default=False,
        ),
    ],
    game: Annotated[str, typer.Option(help="The game; `palestra games` lists them.")],
    games: Annotated[
        int | None,
        typer.Option(
            help=f"Matches for each pair; default {MATCHES}, or until --sprt decides.", min=1, max=MATCHES_MAX
        ),
    ] = None,
    move_ms: Annotated[int, typer.Option(help="Time for each move, in milliseconds.", min=1)] = 2000,
    jobs: Annotated[
        int | None,
        typer.Option(help="Simultaneous matches. Default: one fewer than there are processors.", min=1, max=JOBS_MAX),
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the openings: the same seed, the same openings.")] = 1,
    opening: Annotated[
        str | None,
        typer.Option(
            "--openings",
            metavar="PLIES|FILE",
            help="What each pair of matches begins with: random plies (0 for none), or the openings of a file, one a "
            "line. Without it: the balanced openings of tournaments, where the game has them.",
            show_default=False,
        ),
    ] = None,
    sprt: Annotated[
        bool, typer.Option("--sprt", help="Stop once it is clear whether the first is stronger than the second.")
    ] = False,
    elo0: Annotated[
        float, typer.Option(help="H0 of the test (SPRT): a gain in Elo that is too small to matter.")
    ] = 0.0,
    elo1: Annotated[float, typer.Option(help="Its H1: the gain in Elo you hope for.")] = 100.0,
    alpha: Annotated[float, typer.Option(help="Its risk of accepting H1 when H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Its risk of accepting H0 when H1 is true.")] = 0.05,
    save: Annotated[
        Path | None, typer.Option(help="Write the matches to this file, for `palestra replay` and `palestra verify`.")
    ] = None,
    trusted: Annotated[
        bool,
        typer.Option("--in-process", help="No process for each bot, no clock enforced: fast, for bots that you trust."),
    ] = False,
    executor: Annotated[
        str | None,
        typer.Option(
            metavar="dask://HOST:PORT",
            help="As --in-process, on the machines of this Dask scheduler; the bots' files at the same path on each.",
        ),
    ] = None,
) -> None:
    """Play bots against each other at home, without a server: same referee and clock, each bot in its own process.

    Every opening is played twice, with the seats swapped. More than two bots play a round robin.
    """
    try:
        taking_part = contenders(bots)
        test = Sprt(elo0, elo1, alpha, beta)
        count = games or (MATCHES_OF_A_TEST if sprt else MATCHES)
        drawn = _openings(opening, game, -(-count // 2), seed)
    except ValueError as error:  # of the test, or of an opening
        give_up(str(error))
    if len(taking_part) < 2:
        give_up("Name at least two bots, as in `palestra arena mybot.py level2 --game connect4`.")
    if sprt and len(taking_part) != 2:
        give_up("--sprt compares two bots; name two.")
    if executor is not None and jobs is not None:
        give_up("--jobs is for this machine; with --executor its workers say how many matches are played at once.")
    trusted = trusted or executor is not None
    if trusted and (outside := [each.name for each in taking_part if each.kind != "python"]):
        give_up(f"--in-process plays Python bots only, and {outside[0]} is a program of its own.")
    if trusted and save is not None:
        give_up("--save keeps the records of the referee, and --in-process has no referee: leave one of them out.")
    default_jobs = max(1, (os.cpu_count() or 1) - (0 if trusted else 1))
    settings = Settings(game, move_ms=move_ms, jobs=jobs or default_jobs)
    planned = fixtures(len(taking_part), count, drawn)
    table = _Scoreboard(taking_part, test, sprt, sum(len(fixture.seatings) for fixture in planned))
    interrupted, fault = False, None
    try:
        with table.progress:
            if executor is not None:
                with elsewhere.opened(executor) as (pool, workers):
                    table.collect(elsewhere.play(pool, workers, taking_part, settings, planned))
            elif trusted:
                table.collect(in_process.play(taking_part, settings, planned))
            else:
                table.play(settings, planned)
    except (NoContender, NoBot, BadOption) as error:
        fault = str(error)
        if not table.results:
            give_up(fault)
    except KeyboardInterrupt:
        interrupted = True
    for line in lines(taking_part, table.results, test):
        typer.echo(line)
    if len(taking_part) == 2 and not interrupted:
        for line in difference.lines(taking_part, table.results):
            typer.echo(line)
    for index, output in sorted(table.outputs.items()):
        if output:
            typer.echo(f"\n--- {taking_part[index].name} printed last:\n{output}")
    if table.unready:
        names = " and ".join(taking_part[index].name for index in sorted(table.unready))
        fault = f"{names} lost the first match before it was ready to play; its other matches were not played."
    if trusted and table.results:
        typer.echo(f"{len(table.results) / table.seconds:,.0f} matches a second.")
    if save is not None:
        _save(save, table.results)
    if fault is not None:
        give_up(fault)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _openings(asked: str | None, game: str, count: int, seed: int) -> list[tuple[int, ...]]:
    rules = get_game(game)
    if asked is None:
        return openings.balanced(rules, count, seed)
    if asked.isdecimal():
        return openings.drawn(rules, count, int(asked), seed)
    return openings.read(Path(asked), rules)


def _save(file: Path, results: list[Result]) -> None:
    played = [r.finished for r in sorted(results, key=lambda r: r.number) if r.finished is not None]
    try:
        save_export(file, played, time.time_ns() // 1_000_000)
    except OSError as error:
        give_up(f"{file} can't be written: {error.strerror or error}.")
    many = plural(len(played), "match is", "matches are")
    typer.echo(f"{many} in {file}: palestra replay {shlex.quote(str(file))}")


class _Scoreboard:
    """Collects the results and shows the score so far."""

    def __init__(self, contenders: list[Contender], test: Sprt, until: bool, total: int) -> None:
        self.results: list[Result] = []
        self.outputs: dict[int, str] = {}
        self.unready: set[int] = set()
        # Won, drawn and lost by the first of them.
        self._standing = [0, 0, 0]
        self._contenders = contenders
        self._test = test
        self._until_decided = until
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
        )
        self._task: TaskID = self.progress.add_task("", total=total)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self.progress.tasks[0].finished_time or self.progress.tasks[0].elapsed or 0.0

    def play(self, settings: Settings, planned: list[Fixture]) -> None:
        """With a process for each bot."""
        arena = Arena(self._contenders, settings, self._told, self._enough, self.outputs, self.unready)
        asyncio.run(arena.play(planned))

    def collect(self, played: Iterable[list[Result]]) -> None:
        """In processes that bots share."""
        for results in played:
            self._add(results)
            if self._enough():
                return

    def _told(self, result: Result) -> None:
        self._add([result])

    def _add(self, results: list[Result]) -> None:
        self.results += results
        self._standing = [sum(counts) for counts in zip(self._standing, tally(results, 0), strict=True)]
        standing = ""
        if len(self._contenders) == 2:
            standing = "+{} ={} -{}".format(*self._standing)
        if self._until_decided:
            standing += f" LLR {self._test.ratio(units(self.results, 0, 1)):+.2f}"
        self.progress.update(self._task, completed=len(self.results), description=standing)

    def _enough(self) -> bool:
        return self._until_decided and self._test.verdict(units(self.results, 0, 1)) is not None
