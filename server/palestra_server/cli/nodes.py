"""`palestra-server node`: the machines that share a database, and a planned hand-over."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.table import Table

from palestra_server.cli.target import Target, target_command

app = typer.Typer(
    help="Several machines with one database: who referees, who stands by.", no_args_is_help=True, add_completion=False
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A machine's name, as given to 'serve --node'.")]

_STATES = {
    "referee": "referees",
    "draining": "hands over",
    "standby": "stands by",
    "drained": "is kept from refereeing",
    "gone": "does not answer",
}


@target_command(app, "list")
def list_(target: Target) -> None:
    """Show the machines of this server."""
    _show(target, target.api.get("/nodes"))


@target_command(app)
def drain(target: Target, name: Name) -> None:
    """Have a machine hand over, before an update, say; it referees again after 'node resume' or its next start."""
    _show(target, target.api.post(f"/nodes/{quote(name, safe='')}/drain"))


@target_command(app)
def resume(target: Target, name: Name) -> None:
    """Let a machine referee again when it is needed."""
    _show(target, target.api.post(f"/nodes/{quote(name, safe='')}/resume"))


def _show(target: Target, answer: dict[str, Any]) -> None:
    if not answer["nodes"]:
        target.answer(answer, "This server shares its database with nobody: see 'palestra-server serve --node'.")
        return
    table = Table("machine", "", "load", "page", "bots", "version", "")
    for node in answer["nodes"]:
        state = _STATES[node["state"]] + (f" ({node['seen_s']:.0f} s)" if node["state"] == "gone" else "")
        table.add_row(
            node["name"], state, f"{node['load']} %", node["page"], node["bots"], node["version"], node["trouble"]
        )
    target.answer(answer, table)
