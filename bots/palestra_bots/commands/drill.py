"""`palestra-bots drill`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from palestra_bots.terminal import one_sentence, progress
from palestra_games import get_game
from palestra_protocol.english import plural


def make_drill(
    game: Annotated[str, typer.Argument(metavar="GAME", help="connect4, connect4-8x8, desconecta4 or mancala.")],
    out: Annotated[Path, typer.Option(help="The file to write; palestra_client/drill/ready/GAME.jsonl is used.")],
    count: Annotated[int, typer.Option(min=1, help="Number of positions.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same positions.")] = 1,
) -> None:
    """Find positions in which one action alone keeps the value, graded by the depth that finds it."""
    with one_sentence():
        from palestra_bots.ladder.drills import drills

        get_game(game)
        found = []
        with progress(game, count) as step:
            try:
                for position in islice(drills(game, count, seed), count):
                    found.append(position)
                    step()
            except KeyError:
                raise ValueError(f"{game} has no compiled search, so there is nobody to judge its positions.") from None
    found.sort(key=lambda position: (position.depth, position.actions))
    lines = (position.model_dump_json(exclude_defaults=True) for position in found)
    out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    typer.echo(f"{plural(len(found), 'position')} in {out}")
