"""`palestra-bots openings`."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from palestra_bots.terminal import one_sentence, progress
from palestra_games import get_game
from palestra_protocol.english import plural


def make_openings(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game with a compiled search: connect4, connect4-8x8, ...")
    ],
    out: Annotated[
        Path, typer.Option(help="The file to write; palestra_games/openings/GAME.json is the one that is used.")
    ],
    count: Annotated[int, typer.Option(min=1, help="Number of openings.")] = 300,
    seed: Annotated[int, typer.Option(help="The same seed gives the same openings.")] = 1,
) -> None:
    """Find balanced openings: positions after a few plies that the solver or the search finds even."""
    with one_sentence():
        from palestra_bots.ladder.balanced import balanced, judge_of

        rules = get_game(game)
        try:
            judge = judge_of(rules)
        except KeyError:
            raise ValueError(f"{game} has no compiled search, so there is nobody to judge its openings.") from None
        found = []
        with progress(game, count) as step:
            for opening in islice(balanced(rules, judge, seed), count):
                found.append(opening)
                step()
    lines = ",\n  ".join(json.dumps(opening, separators=(",", ":")) for opening in found)
    head = json.dumps({"game": game, "judged_by": judge.name, "seed": seed})[1:-1]
    out.write_text(f'{{{head}, "openings": [\n  {lines}\n]}}\n', encoding="utf-8")
    typer.echo(f"{plural(len(found), 'opening')} in {out}")
