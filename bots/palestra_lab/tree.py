"""`palestra-lab tree`: a small search tree as a picture, or in a terminal in plain ASCII."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from palestra_bots import evaluations
from palestra_bots.terminal import one_sentence
from palestra_games import get_game, play_text
from palestra_lab.svg import check, save
from palestra_lab.traced import Node, trace
from palestra_lab.tree_picture import number, tree_picture
from palestra_lab.tree_positions import GamePosition, Position, read_numbers

MAX_LEAVES = 100
MAX_DEPTH = 8
DEFAULT_FILE = Path("tree.svg")
ASCII: Final = {"=": "=", "≤": "<=", "≥": ">="}


def draw_tree(
    game: Annotated[str, typer.Argument(metavar="GAME", help="connect4, desconecta4, mancala, ...")] = "",
    actions: Annotated[str, typer.Option(help="The actions so far, as 3,3,4.")] = "",
    depth: Annotated[int, typer.Option(help="Plies to search.")] = 2,
    evaluation: Annotated[str | None, typer.Option(help="An evaluation of the game, by name.")] = None,
    numbers: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="A tree of numbers instead of a game: [[8,9],[6,3]], with MAX at the root."),
    ] = None,
    algorithm: Annotated[Literal["alphabeta", "minimax"], typer.Option(help="minimax cuts nothing.")] = "alphabeta",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.svg|.png", help=f"The picture to write, by default {DEFAULT_FILE}.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the tree; with --out it is drawn as well.")] = False,
) -> None:
    """Draw a small search tree: values, windows, what was cut, and the principal variation."""
    with one_sentence():
        if out is None and not text:
            out = DEFAULT_FILE
        if out is not None:
            check(out)
        searched = {"alphabeta": "alpha-beta", "minimax": "minimax"}[algorithm]
        if numbers is not None:
            if game or actions:
                raise ValueError("Give a game or --numbers, not both.")
            root: Position = read_numbers(numbers)
            title = f"A tree of numbers, searched by {searched}"
        else:
            root, title = _position(game, actions, depth, evaluation)
            title += f", {depth} plies by {searched}"
        tree = trace(root, prune=algorithm == "alphabeta", max_leaves=MAX_LEAVES)
        if text:
            typer.echo(outline(tree))
        if out is not None:
            save(tree_picture(tree, title), out)
            typer.echo(f"Drawn in {out}.", err=True)


def _position(name: str, actions: str, depth: int, evaluation: str | None) -> tuple[Position, str]:
    """The root of a game's tree, and the words above its picture."""
    if not name:
        raise ValueError("Name a game, as in `palestra-lab tree connect4`, or give --numbers [[8,9],[6,3]].")
    game = get_game(name)
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"A tree that can be drawn is 1 to {MAX_DEPTH} plies deep, not {depth}.")
    state, played = play_text(game, actions, "--actions")
    if state.returns() is not None:
        raise ValueError("The game is over after these actions, so there is nothing to search.")
    chosen = evaluations.get(game.name, evaluation)
    after = f" after {', '.join(game.action_name(action) for action in played)}" if played else ""
    return GamePosition(game, state, depth, state.to_move, chosen), f"{name}{after} ({chosen.name})"


def outline(root: Node) -> str:
    """The tree, one node a line; children stand under their parent."""
    return "\n".join(_lines(root, "", ""))


def _lines(node: Node, first: str, rest: str) -> Iterator[str]:
    yield first + _describe(node)
    for child in node.children:
        last = child is node.children[-1]
        yield from _lines(child, rest + ("`-- " if last else "|-- "), rest + ("    " if last else "|   "))


def _describe(node: Node) -> str:
    words = [node.name] if node.name else []
    if node.value is None:
        shown = f"{number(node.leaf_value)}, " if node.leaf_value is not None else ""
        shown += f"{node.hidden + 1} positions " if node.hidden else ""
        words.append(f"({shown}not visited)")
    elif node.leaf:
        words.append(number(node.value))
    else:
        assert node.window is not None  # it was visited
        alpha, beta = node.window
        words.append(f"{'MAX' if node.maximizing else 'MIN'} {ASCII[node.relation]} {number(node.value)}")
        words.append(f"window ({number(alpha)}, {number(beta)})")
        if node.cut_off:
            words.append(
                f"cut: {number(node.value)} {f'>= {number(beta)}' if node.maximizing else f'<= {number(alpha)}'}"
            )
    if node.principal:
        words.append("*")
    return " ".join(words)
