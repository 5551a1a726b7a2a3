"""`palestra-bots lab nodes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from palestra_bots.lab import picture
from palestra_bots.lab.svg import Drawing
from palestra_bots.lab.terminal import evaluation_of, give_up, one_sentence, printer, progress, read_actions
from palestra_games import get_game

if TYPE_CHECKING:
    from palestra_bots.lab.nodes import Study

MAX_DEPTH = 12


def study_nodes(
    game: Annotated[str, typer.Argument(metavar="GAME", help="connect4, desconecta4, mancala, ...")] = "",
    actions: Annotated[str, typer.Option(help="The game to study, as 3,3,4; by default one of self-play.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of the game of self-play.")] = 1,
    plies: Annotated[int, typer.Option(min=1, help="Stop after this many plies of the game.")] = 200,
    depth: Annotated[int, typer.Option(help="Depth of every search, in plies.")] = 5,
    evaluation: Annotated[str | None, typer.Option(help="An evaluation of the game, by name.")] = None,
    study: Annotated[str | None, typer.Option(help="upc: the study of the 8x8 report, on its own game.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Also write the table here.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg|.png", help="Also draw the nodes, ply by ply.")] = None,
) -> None:
    """Count the nodes of minimax, alpha-beta, ordered, with memory and MTD(f), turn by turn over one game."""
    with one_sentence():
        if plot is not None:
            picture.check(plot)
        if study is None:
            if not game:
                raise ValueError("Name a game, as in `palestra-bots lab nodes connect4`, or give --study upc.")
            drawing = _any_game(game, actions, seed, plies, depth, evaluation, csv_file)
        elif study == "upc":
            if game or actions:
                raise ValueError("The study upc has its own game; leave the game and the actions out.")
            from palestra_bots.reports import study_table

            drawing = study_table.run(csv_file)
        else:
            raise ValueError(f"There is no study {study!r}; there is upc.")
        if plot is not None:
            picture.save(drawing, plot)


def _any_game(
    name: str, text: str, seed: int, plies: int, depth: int, evaluation: str | None, csv_file: Path | None
) -> Drawing:
    from palestra_bots.lab import nodes

    game = get_game(name)
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"The depth of the study is 1 to {MAX_DEPTH} plies, not {depth}; minimax sees every position.")
    chosen = evaluation_of(game, evaluation)
    actions = (read_actions(game, text)[1] if text else nodes.self_play(game, seed))[:plies]
    count = len(actions) * len(nodes.searches(game.initial_state(), chosen))
    with progress(f"{name}, depth {depth}", count) as step:
        try:
            found = nodes.measure(game, actions, depth, chosen, step)
        except nodes.Disagreement as wrong:
            give_up(str(wrong))
    _print(found)
    if csv_file is not None:
        nodes.write_csv(found, csv_file)
    return nodes.plot(found)


def _print(study: Study) -> None:
    title = f"{study.game}: nodes to depth {study.depth} by the evaluation {study.evaluation.name}"
    table = Table(title=title, show_footer=True, box=box.SIMPLE, padding=(0, 1, 0, 0))
    totals = study.totals
    table.add_column("ply", "all", justify="right")
    table.add_column("seat", justify="right")
    table.add_column("played", no_wrap=True)
    table.add_column("value", justify="right")
    for search, total in zip(study.searches, totals, strict=True):
        table.add_column(search.name, f"{total:,}\n{total / totals[0]:.1%}", justify="right", overflow="fold")
    for row in study.rows:
        decided = study.evaluation.decides(row.value)
        value = f"{row.value:g}" if not decided else "won" if row.value > 0 else "lost"
        table.add_row(str(row.ply), str(row.seat), row.action, value, *(f"{n:,}" for n in row.nodes))
    console = printer()
    console.print(table)
    for search in study.searches:
        console.print(f"  {search.name}: {search.about}")
    console.print("All searches found the same value at every turn.")
