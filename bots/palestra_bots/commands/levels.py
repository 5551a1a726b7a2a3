"""`palestra-bots levels` and `palestra-bots calibrate`: what the levels are worth, and how they came to be."""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.table import Table

from palestra_bots import levels
from palestra_bots.lab.terminal import one_sentence, printer
from palestra_games import get_game

HEADINGS = (
    "level",
    "looks ahead (plies)",
    "scores against the one below (level1: random)",
    "games",
    "Elo above level1",
)


def rows(game: str) -> list[tuple[str, ...]]:
    """A game's levels as text, level 8 first, under HEADINGS."""
    return [
        (
            f"level{number}",
            "mtdf, 2 s" if level.plies is None else f"{level.plies:.2f}",
            f"{level.score:.1%} ± {level.score_error:.1%}",
            f"{level.games}",
            f"{level.elo:.0f} ± {level.elo_error:.0f}" if number > 1 else "0",
        )
        for number, level in reversed(list(enumerate(levels.table()[game], start=1)))
    ]


def show_levels(
    markdown: Annotated[bool, typer.Option("--markdown", help="As bots/LEVELS.md has it.")] = False,
) -> None:
    """How strong each level is in each game, with errors of 95 %."""
    for game in levels.table():
        if markdown:
            typer.echo(f"## {game}\n\n| {' | '.join(HEADINGS)} |\n|{' --- |' * len(HEADINGS)}")
            typer.echo("".join(f"| {' | '.join(row)} |\n" for row in rows(game)))
            continue
        table = Table(*HEADINGS, title=game, box=box.SIMPLE, title_justify="left")
        for row in rows(game):
            table.add_row(*row)
        printer().print(table)


def calibrate_levels(
    game: Annotated[str, typer.Argument(help="The game.")],
    games: Annotated[int, typer.Option(min=8, help="Games between neighbours, to measure them by.")] = 400,
    move_s: Annotated[float, typer.Option(min=0.01, help="Seconds that level 8 takes for a move meanwhile.")] = 0.3,
    seed: Annotated[int, typer.Option(help="Which dice.")] = 1,
) -> None:
    """Fit and measure the levels of a game anew, and keep them in the package; takes an hour or so."""
    with one_sentence():
        from palestra_bots.ladder.calibrate import calibrate
        from palestra_games.openings import shipped_openings

        openings = shipped_openings(game)
        if not openings:
            raise ValueError(f"{game} has no balanced openings; make some: palestra-bots openings {game} --out FILE.")
        found = calibrate(
            get_game(game), openings, games // 4 * 4, seed=seed, move_s=move_s, report=lambda text: typer.echo(text)
        )
        levels.write(game, found)
