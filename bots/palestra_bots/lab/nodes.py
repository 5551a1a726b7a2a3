"""The node study: how many positions each search visits, turn by turn, over the same game."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from palestra_bots.analysis import analyse
from palestra_bots.analysis_types import Analysis
from palestra_bots.evaluations import Evaluation
from palestra_bots.lab.chart import Series, log_chart, short_number
from palestra_bots.lab.play import openings, play
from palestra_bots.lab.svg import Drawing
from palestra_bots.search import reference
from palestra_bots.search.fast.loops import has_kernel
from palestra_bots.timeman import Limit
from palestra_games import Game, State
from palestra_protocol.limits import PLY_LIMIT

SELF_PLAY_DEPTH: Final = 4
SELF_PLAY_OPENING: Final = 2  # random plies at the start of a game that `self_play` makes


@dataclass(frozen=True, slots=True)
class Search:
    name: str
    about: str
    run: Callable[[State, int, Evaluation], Analysis]


def _minimax(state: State, depth: int, evaluation: Evaluation) -> Analysis:
    return analyse(state, "minimax", depth=depth, evaluation=evaluation.name)


def _alphabeta(state: State, depth: int, evaluation: Evaluation) -> Analysis:
    return analyse(state, "alphabeta", depth=depth, evaluation=evaluation.name)


def _ordered(algorithm: reference.Algorithm) -> Callable[[State, int, Evaluation], Analysis]:
    """A reference search that tries first what the evaluation likes best."""

    def run(state: State, depth: int, evaluation: Evaluation) -> Analysis:
        ordering = reference.best_first(evaluation)
        return reference.analyse(state, algorithm, Limit(depth=depth), evaluation=evaluation, ordering=ordering)

    return run


def _engine(state: State, depth: int, evaluation: Evaluation) -> Analysis:
    return analyse(state, "mtdf", depth=depth, evaluation=evaluation.name)


# The first two are the textbook node for node, whoever runs them, so the compiled engine may.
SEARCHES: Final = (
    Search("minimax", "every position", _minimax),
    Search("alpha-beta", "actions in ascending order", _alphabeta),
    Search("ordered", "alpha-beta, best evaluation first", _ordered("alphabeta")),
    Search("memory", "ordered, with a table", _ordered("memory")),
    Search("MTD(f)", "with memory, zero windows only", _ordered("mtdf")),
)
# The bots' own search. It deepens, and its nodes are those of all depths together.
ENGINE: Final = Search("engine", "compiled MTD(f), all depths 1 to d", _engine)


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


class Disagreement(Exception):
    """Two searches gave one position different values: one of them is wrong."""


def self_play(game: Game, seed: int) -> tuple[int, ...]:
    """A whole game by alpha-beta against itself, SELF_PLAY_DEPTH plies deep, from a random opening."""

    def choose(state: State) -> int:
        return analyse(state, "alphabeta", depth=SELF_PLAY_DEPTH).action

    (opening,) = openings(game, 1, SELF_PLAY_OPENING, seed)
    return play(game, (choose, choose), opening, PLY_LIMIT)[1]


def measure(
    game: Game,
    actions: Sequence[int],
    depth: int,
    evaluation: Evaluation,
    step: Callable[[], None] = lambda: None,
) -> Study:
    """Searches every position of the game that `actions` play, for whoever is to move, with every search.

    `step` is called after each search: len(actions) times as many as there are searches. Raises
    `Disagreement` if they find different values for a position: the counts would mean nothing.
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
                raise Disagreement(
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
