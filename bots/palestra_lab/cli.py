"""The command `palestra-lab`: experiments with the searches of the reference bots."""

from __future__ import annotations

from typing import Final

from palestra_protocol.command_groups import group

# Most import Numba, so a command is imported when it is called.
COMMANDS: Final = {
    "nodes": "palestra_lab.nodes:study_nodes",
    "chances": "palestra_lab.chances:fit_chances",
    "tree": "palestra_lab.tree:draw_tree",
}

app = group(
    COMMANDS,
    name="palestra-lab",
    help="Experiments with the searches of the reference bots: node counts, drawn trees, fitted chances.",
)


def main() -> None:
    app()
