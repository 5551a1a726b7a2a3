"""`palestra-bots openings` and `palestra-bots drill`: positions that a search finds, kept in a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from palestra_bots.terminal import one_sentence, progress
from palestra_games import Game, get_game
from palestra_protocol.english import plural

Found = TypeVar("Found")
Seed = Annotated[int, typer.Option(help="The same seed gives the same ones.")]


def make_openings(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game with a compiled search: connect4, connect4-8x8, ...")
    ],
    out: Annotated[
        Path, typer.Option(help="The file to write; palestra_games/openings/GAME.json is the one that is used.")
    ],
    count: Annotated[int, typer.Option(min=1, help="Number of openings.")] = 300,
    seed: Seed = 1,
) -> None:
    """Find balanced openings: positions after a few plies that the solver or the search finds even."""
    with one_sentence():
        rules = _searched(game, "openings")
        from palestra_bots.ladder.balanced import balanced, judge_of

        judge = judge_of(rules)
        found = _first(game, count, balanced(rules, judge, seed))
        lines = ",\n  ".join(json.dumps(opening, separators=(",", ":")) for opening in found)
        head = json.dumps({"game": game, "judged_by": judge.name, "seed": seed})[1:-1]
        out.write_text(f'{{{head}, "openings": [\n  {lines}\n]}}\n', encoding="utf-8")
    typer.echo(f"{plural(len(found), 'opening')} in {out}")


def make_drill(
    game: Annotated[str, typer.Argument(metavar="GAME", help="connect4, connect4-8x8, desconecta4 or mancala.")],
    out: Annotated[Path, typer.Option(help="The file to write; palestra_client/drill/ready/GAME.jsonl is used.")],
    count: Annotated[int, typer.Option(min=1, help="Number of positions.")] = 100,
    seed: Seed = 1,
) -> None:
    """Find positions in which one action alone keeps the value, graded by the depth that finds it."""
    with one_sentence():
        _searched(game, "positions")
        from palestra_bots.ladder.drills import drills

        found = _first(game, count, drills(game, count, seed))
        found.sort(key=lambda position: (position.depth, position.actions))
        lines = (position.model_dump_json(exclude_defaults=True) for position in found)
        out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    typer.echo(f"{plural(len(found), 'position')} in {out}")


def _searched(name: str, what: str) -> Game:
    from palestra_bots.kernels.load import KERNELS

    game = get_game(name)
    if name not in KERNELS:
        raise ValueError(f"{name} has no compiled search, so there is nobody to judge its {what}.")
    return game


def _first(what: str, count: int, found: Iterable[Found]) -> list[Found]:
    chosen = []
    with progress(what, count) as step:
        for each in islice(found, count):
            chosen.append(each)
            step()
    return chosen
