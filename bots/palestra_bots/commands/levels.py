"""`palestra-bots levels` and `palestra-bots calibrate`: how strong the levels are, and how they are fitted."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich import box
from rich.table import Table

from palestra_bots import levels
from palestra_bots.terminal import one_sentence, printer
from palestra_games import get_game

PAGE: Final = """\
# The levels

`level1` to `level8` are a ladder for students: "beat level 4 to pass". A level looks a number of plies ahead that need
not be whole (3.4 plies are 4 in two moves of five and 3 in the others), so that its mistakes are a person's: it
overlooks what lies a ply too deep. Level 8 is `mtdf` at full strength. Level 1 loses to a careful beginner: the bot
`careful` weighs each of its turns against every reply, and looks no farther.

How far each looks was fitted so that the one above scores 60 to 70 % against it, and measured on openings that the
first fit had not seen, each played with both seats. Intervals are of 95 % and count openings, not games; those of Elo
add up from level 1. No clock was read: level 8 searched a number of nodes for a move (below), so that a busy machine
changes no figure. With the 2 s it has in a match it searches far more, and is stronger where a game is not solved.

`palestra-bots calibrate GAME` plays the games; `palestra-bots levels --markdown > bots/LEVELS.md` writes this page.
"""
HEADINGS: Final = (
    "level",
    "looks ahead (plies)",
    "scores against the one below (level1: random)",
    "games",
    "Elo above level1",
)


def rows(ladder: levels.Ladder) -> list[tuple[str, ...]]:
    """A game's levels as text, level 8 first, under HEADINGS."""
    return [
        (
            f"level{number}",
            "mtdf, 2 s" if level.plies is None else f"{level.plies:.2f}",
            f"{level.score:.1%} ± {level.score_error:.1%}",
            f"{level.games}",
            f"{level.elo:.0f} ± {level.elo_error:.0f}" if number > 1 else "0",
        )
        for number, level in reversed(list(enumerate(ladder.levels, start=1)))
    ]


def ends(ladder: levels.Ladder) -> str:
    """The notes below a game's table."""
    return (
        f"`careful` scores {ladder.careful:.1%} ± {ladder.careful_error:.1%} against level1 ({ladder.careful_games} "
        f"games). level8 was measured with {ladder.nodes:,} nodes a move."
    )


def show_levels(markdown: Annotated[bool, typer.Option("--markdown", help="The page bots/LEVELS.md.")] = False) -> None:
    """How strong each level is in each game, with 95 % intervals."""
    if markdown:
        typer.echo(PAGE, nl=False)
    for game, ladder in levels.table().items():
        if markdown:
            typer.echo(f"\n## {game}\n\n| {' | '.join(HEADINGS)} |\n|{' --- |' * len(HEADINGS)}")
            typer.echo("".join(f"| {' | '.join(row)} |\n" for row in rows(ladder)) + f"\n{ends(ladder)}")
            continue
        table = Table(
            *HEADINGS, title=game, box=box.SIMPLE, title_justify="left", caption=ends(ladder).replace("`", "")
        )
        for row in rows(ladder):
            table.add_row(*row)
        printer().print(table)


def calibrate_levels(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game.")],
    games: Annotated[int, typer.Option(min=8, help="Games between neighbours that measure a level.")] = 400,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes a move for level 8.")] = 1_000_000,
    target: Annotated[float, typer.Option(min=0.61, max=0.69, help="Score aimed at against the level below.")] = 0.66,
    seed: Annotated[int, typer.Option(help="Seed of the games.")] = 1,
) -> None:
    """Fit the levels of a game that do not score 60 to 70 %, measure all, store them; takes minutes to an hour."""
    with one_sentence():
        from palestra_bots.ladder.calibrate import Calibration
        from palestra_games.shipped_openings import shipped_openings

        openings = shipped_openings(game)
        if not openings:
            raise ValueError(f"{game} has no balanced openings; make some: palestra-bots openings {game} --out FILE.")
        calibration = Calibration(
            get_game(game),
            openings,
            games // 2 * 2,
            seed=seed,
            nodes=nodes,
            target=target,
            report=typer.echo,
        )
        known = range(1, levels.COUNT) if game in levels.table() else ()
        levels.write(game, calibration.run({number: levels.plies(game, number) for number in known}))
