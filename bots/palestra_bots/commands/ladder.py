"""`palestra-bots ladder`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from palestra_bots.registry import LEVELS
from palestra_bots.terminal import one_sentence, printer, progress
from palestra_games import game_names, get_game

if TYPE_CHECKING:
    from palestra_tournament.davidson import Games

QUICK_GAMES, QUICK_SPAN, QUICK_SCALE = 4, 2, 0.1
FULL_GAMES = 20


def rate_levels(
    game: Annotated[list[str] | None, typer.Argument(metavar="GAME", help="Without a name: every game.")] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help=f"All pairs of levels, {FULL_GAMES} games each, at their own pace: hours. Without it about a minute: "
            f"{QUICK_GAMES} games of those at most {QUICK_SPAN} ranks apart, with {QUICK_SCALE:g} of their time.",
        ),
    ] = False,
    games: Annotated[int | None, typer.Option(help="Games for each pair of levels, even.")] = None,
    move_scale: Annotated[
        float | None, typer.Option(help="Share of its time that level 8 takes for a move; 1 is full strength.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random openings.")] = 1,
) -> None:
    """Let the levels play each other, and rate them: what "beat level 4 to pass" means."""
    with one_sentence():
        from palestra_bots.ladder.games import pairings, tournament

        rules = [get_game(name) for name in game or game_names()]
        count = games if games is not None else FULL_GAMES if full else QUICK_GAMES
        scale = move_scale if move_scale is not None else 1.0 if full else QUICK_SCALE
        if not 0 < scale <= 10:
            raise ValueError(f"The move scale must be above 0 and at most 10, not {scale:g}.")
        span = len(LEVELS) - 1 if full else QUICK_SPAN
        total = count * len(pairings(len(LEVELS), span))
        for each in rules:
            with progress(each.name, total) as step:
                played = tournament(each, LEVELS, count, span=span, move_scale=scale, seed=seed, step=step)
            _print(each.name, played, scale)


def _print(game: str, games: Games, scale: float) -> None:
    import numpy as np

    from palestra_tournament.davidson import strengths

    count = len(LEVELS)
    found = strengths(games, count, 1)
    points = np.bincount(games.first, games.score, count) + np.bincount(games.second, 1 - games.score, count)
    number = np.bincount(games.first, minlength=count) + np.bincount(games.second, minlength=count)
    table = Table(title=f"{game}, {len(games.score)} games", box=box.SIMPLE, title_justify="left")
    table.add_column("bot")
    table.add_column("plays")
    for heading in ("Elo", "± 95%", "above the one below", "± 95%", "points", "games"):
        table.add_column(heading, justify="right")
    for rank in reversed(range(count)):
        elo, low, high = found.interval(rank, 0)
        step, step_low, step_high = found.interval(rank, rank - 1) if rank else (0.0, 0.0, 0.0)
        table.add_row(
            LEVELS[rank].__name__,
            (inspect.getdoc(LEVELS[rank]) or "").partition(": ")[2].rstrip("."),
            f"{elo:.0f}",
            f"{(high - low) / 2:.0f}" if rank else "",
            f"{step:+.0f}" if rank else "",
            f"{(step_high - step_low) / 2:.0f}" if rank else "",
            f"{points[rank]:g}",
            f"{number[rank]}",
        )
    console = printer()
    console.print(table)
    if scale != 1:
        console.print(f"Level 8 had {scale:g} of its time.")
