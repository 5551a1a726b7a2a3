"""`palestra-bots solve`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from palestra_bots.terminal import one_sentence, read_actions
from palestra_games import get_game


def solve_position(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game: connect4 or mancala.")],
    actions: Annotated[
        str, typer.Option(help="The actions so far, with commas: numbers from 0 as on the wire, or names (PUT 3).")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Solve a position: its exact score for the player to move, and a best action."""
    from palestra_bots.solving import solve

    with one_sentence():
        rules = get_game(game)
        state, _ = read_actions(rules, actions)
        found = solve(state)
    name = rules.action_name(found.action)
    if as_json:
        typer.echo(json.dumps(asdict(found) | {"action_name": name}))
        return
    typer.echo(state)
    typer.echo(f"score {found.score}, {name} (action {found.action})\n{found.nodes} nodes in {found.elapsed_s:.3f} s")
