"""`palestra-lab nodes`: how many positions each search visits, turn by turn, over the same game."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich import box
from rich.table import Table

from palestra_bots import evaluations
from palestra_bots.analysis import analyse
from palestra_bots.analysis_types import Analysis
from palestra_bots.evaluations import Evaluation
from palestra_bots.ladder.games import play
from palestra_bots.search import reference
from palestra_bots.search.fast.loops import has_kernel
from palestra_bots.terminal import one_sentence, printer, progress
from palestra_bots.timeman import Limit
from palestra_client.arena.openings import drawn
from palestra_games import Game, State, get_game, play_text
from palestra_lab.chart import Series, log_chart, short_number
from palestra_lab.svg import Drawing, check, save
from palestra_protocol.limits import PLY_LIMIT

MAX_DEPTH: Final = 12
SELF_PLAY_DEPTH: Final = 4
SELF_PLAY_OPENING: Final = 2  # random plies at the start of a game that `self_play` makes


@dataclass(frozen=True, slots=True)
class Search:
    name: str
    about: str
    run: Callable[[State, int, Evaluation], Analysis]


def _fastest(algorithm: str) -> Callable[[State, int, Evaluation], Analysis]:
    return lambda state, depth, evaluation: analyse(state, algorithm, depth=depth, evaluation=evaluation.name)


def _ordered(algorithm: reference.Algorithm) -> Callable[[State, int, Evaluation], Analysis]:
    """A reference search that tries first what the evaluation likes best."""

    def run(state: State, depth: int, evaluation: Evaluation) -> Analysis:
        ordering = reference.best_first(evaluation)
        return reference.analyse(state, algorithm, Limit(depth=depth), evaluation=evaluation, ordering=ordering)

    return run


# The first two are the textbook node for node, whoever runs them, so the compiled engine may.
SEARCHES: Final = (
    Search("minimax", "every position", _fastest("minimax")),
    Search("alpha-beta", "actions in ascending order", _fastest("alphabeta")),
    Search("ordered", "alpha-beta, best evaluation first", _ordered("alphabeta")),
    Search("memory", "ordered, with a table", _ordered("memory")),
    Search("MTD(f)", "with memory, zero windows only", _ordered("mtdf")),
)
# The bots' own search. It deepens, and its nodes are those of all depths together.
ENGINE: Final = Search("engine", "compiled MTD(f), all depths 1 to d", _fastest("mtdf"))


def searches(state: State, evaluation: Evaluation) -> tuple[Search, ...]:
    """The searches to compare; `ENGINE` is among them if it knows the game and the evaluation."""
    return (*SEARCHES, ENGINE) if has_kernel(state, evaluation.name) else SEARCHES


@dataclass(frozen=True, slots=True)
class Row:
    """One turn: what was played, the value that the searches found for the mover, and the nodes of each search."""

    ply: int
    seat: int
    action: str
    value: float
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Study:
    game: str
    evaluation: Evaluation
    depth: int
    searches: tuple[Search, ...]
    rows: tuple[Row, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """The nodes of each search over all turns."""
        return tuple(sum(row.nodes[column] for row in self.rows) for column in range(len(self.searches)))


def self_play(game: Game, seed: int) -> tuple[int, ...]:
    """A whole game by alpha-beta against itself, SELF_PLAY_DEPTH plies deep, from a random opening."""

    def choose(state: State) -> int:
        return analyse(state, "alphabeta", depth=SELF_PLAY_DEPTH).action

    (opening,) = drawn(game, 1, SELF_PLAY_OPENING, seed)
    return play(game, (choose, choose), opening, PLY_LIMIT)[1]


def measure(
    game: Game,
    actions: Sequence[int],
    depth: int,
    evaluation: Evaluation,
    step: Callable[[], None] = lambda: None,
) -> Study:
    """Searches every position of the game that `actions` play, for whoever is to move, with every search.

    `step` is called after each search: len(actions) times as many as there are searches. Raises ValueError if they
    find different values for a position: one of them is wrong, and the counts would mean nothing.
    """
    state = game.initial_state()
    compared = searches(state, evaluation)
    rows = []
    for ply, action in enumerate(actions):
        found = []
        for search in compared:
            found.append(search.run(state, depth, evaluation))
            step()
        for search, one in zip(compared, found, strict=True):
            if one.value != found[0].value:
                raise ValueError(
                    f"At ply {ply} {compared[0].name} finds {found[0].value} and {search.name} finds {one.value}."
                )
        nodes = tuple(one.nodes for one in found)
        rows.append(Row(ply, state.to_move, game.action_name(action), found[0].value, nodes))
        state = state.apply(action)
    return Study(game.name, evaluation, depth, compared, tuple(rows))


def write_csv(study: Study, path: Path) -> None:
    """One line a turn: ply, seat, action, value, and the nodes under the name of each search."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["ply", "seat", "action", "value", *(search.name for search in study.searches)])
        writer.writerows([row.ply, row.seat, row.action, row.value, *row.nodes] for row in study.rows)


def plot(study: Study) -> Drawing:
    """The nodes of each search over the plies of the game, on a logarithmic axis."""
    series = [
        Series(
            f"{search.name}: {short_number(total)} nodes",
            search.about,
            [(row.ply, row.nodes[column]) for row in study.rows],
        )
        for column, (search, total) in enumerate(zip(study.searches, study.totals, strict=True))
    ]
    return log_chart(f"{study.game}: nodes to depth {study.depth} by {study.evaluation.name}", "ply", "nodes", series)


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
            check(plot)
        if study is None:
            if not game:
                raise ValueError("Name a game, as in `palestra-lab nodes connect4`, or give --study upc.")
            drawing = _any_game(game, actions, seed, plies, depth, evaluation, csv_file)
        elif study == "upc":
            if game or actions:
                raise ValueError("The study upc has its own game; leave the game and the actions out.")
            from palestra_lab import study_table  # compiles the report's searches

            drawing = study_table.run(csv_file)
        else:
            raise ValueError(f"There is no study {study!r}; there is upc.")
        if plot is not None:
            save(drawing, plot)


def _any_game(
    name: str, text: str, seed: int, plies: int, depth: int, evaluation: str | None, csv_file: Path | None
) -> Drawing:
    game = get_game(name)
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"The depth of the study is 1 to {MAX_DEPTH} plies, not {depth}; minimax sees every position.")
    chosen = evaluations.get(game.name, evaluation)
    actions = (play_text(game, text, "--actions")[1] if text else self_play(game, seed))[:plies]
    count = len(actions) * len(searches(game.initial_state(), chosen))
    with progress(f"{name}, depth {depth}", count) as step:
        found = measure(game, actions, depth, chosen, step)
    _print(found)
    if csv_file is not None:
        write_csv(found, csv_file)
    return plot(found)


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
