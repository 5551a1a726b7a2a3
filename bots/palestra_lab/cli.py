"""The command `palestra-lab`: experiments with the searches of the reference bots."""

from __future__ import annotations

from typing import Final

from palestra_protocol.commands import group

# The first line of each command's docstring; most import Numba, so a command is imported when it is called.
COMMANDS: Final = {
    "nodes": (
        "palestra_lab.nodes:study_nodes",
        "Count the nodes of minimax, alpha-beta, ordered, with memory and MTD(f), turn by turn over one game.",
    ),
    "tree": (
        "palestra_lab.tree:draw_tree",
        "Draw a small search tree: values, windows, what was cut, and the principal variation.",
    ),
    "duel": (
        "palestra_lab.duel:duel",
        "Let two searches play each other from paired openings: result, Elo difference and error bar.",
    ),
}

app = group(
    COMMANDS,
    name="palestra-lab",
    help="Experiments with the searches of the reference bots: node counts, drawn trees, duels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    app()
