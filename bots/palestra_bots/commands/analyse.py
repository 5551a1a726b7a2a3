"""`palestra-bots analyse` and `palestra-bots solve`: what a position is worth."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from palestra_bots.terminal import one_sentence
from palestra_games import get_game, play_text

Actions = Annotated[
    str, typer.Option(help="The actions so far, with commas: numbers from 0 as on the wire, or names (PUT 3).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def analyse_position(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="The game: connect4, connect4-8x8, desconecta4, mancala, ...")
    ],
    actions: Actions = "",
    algorithm: Annotated[str, typer.Option(help="alphabeta, mtdf or minimax.")] = "alphabeta",
    depth: Annotated[int | None, typer.Option(help="Plies to search.")] = None,
    move_s: Annotated[float | None, typer.Option(help="Seconds to search.")] = None,
    evaluation: Annotated[str | None, typer.Option(help="An evaluation of the game, by name.")] = None,
    ordering: Annotated[str | None, typer.Option(help="natural or dynamic.")] = None,
    as_json: AsJson = False,
) -> None:
    """Search a position: the best action, its value and the line it leads to."""
    from palestra_bots.analysis import analyse

    with one_sentence():
        rules = get_game(game)
        state, _ = play_text(rules, actions, "--actions")
        found = analyse(state, algorithm, depth, move_s, evaluation, ordering)
    if as_json:
        typer.echo(json.dumps(asdict(found) | {"action_name": rules.action_name(found.action)}))
        return
    typer.echo(state)
    line = ", ".join(rules.action_name(action) for action in found.pv)
    typer.echo(
        f"{rules.action_name(found.action)} (action {found.action}), value {found.value}"
        f"{', which no deeper search can change' if found.exact else ''}\n"
        f"line: {line}\n"
        f"depth {found.depth}, {found.nodes} nodes in {found.elapsed_s:.3f} s"
    )


def solve_position(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game: connect4 or mancala.")],
    actions: Actions = "",
    as_json: AsJson = False,
) -> None:
    """Solve a position: its exact score for the player to move, and a best action."""
    from palestra_bots.solving import solve

    with one_sentence():
        rules = get_game(game)
        state, _ = play_text(rules, actions, "--actions")
        found = solve(state)
    name = rules.action_name(found.action)
    if as_json:
        typer.echo(json.dumps(asdict(found) | {"action_name": name}))
        return
    typer.echo(state)
    typer.echo(f"score {found.score}, {name} (action {found.action})\n{found.nodes} nodes in {found.elapsed_s:.3f} s")
