"""`palestra-bots lab`: the sub-commands together."""

from __future__ import annotations

import typer

from palestra_bots.commands import lab_duel, lab_nodes, lab_tree

app = typer.Typer(
    help="Experiments with the searches: node counts, drawn trees, duels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("nodes")(lab_nodes.study_nodes)
app.command("tree")(lab_tree.draw_tree)
app.command("duel")(lab_duel.duel)
