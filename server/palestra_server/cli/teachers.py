"""`palestra-server teacher`: keys for others who teach or assist, and who did what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import quote

import typer

from palestra_server.cli.target import Target, target_command
from palestra_server.store import Rights

app = typer.Typer(help="Keys for others who teach here, and who did what.", no_args_is_help=True, add_completion=False)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Whose key, such as gomez.")]


@target_command(app, make=True)
def add(
    target: Target,
    name: Name,
    rights: Annotated[Rights, typer.Option(help="run: everything. read: see all, change nothing.")] = "read",
) -> None:
    """Make a key for a colleague or an assistant and print it; it is shown only once."""
    made = target.api.post("/teachers", {"name": name, "rights": rights})
    use = "It logs in on the page under Teacher, and goes with --server URL --key KEY."
    target.answer(made, f"{name} ({rights}): {made['key']}", use)


@target_command(app, "list")
def list_(target: Target) -> None:
    """List the keys that were given out."""
    found = target.api.get("/teachers")
    lines = [f"{one['name']}  {one['rights']}  since {_local(one['created'])}" for one in found["teachers"]]
    target.answer(found, *(lines or ["There is only the data folder's own key; 'teacher add NAME' makes another."]))


@target_command(app)
def remove(target: Target, name: Name) -> None:
    """Take a key back: from now on it opens nothing."""
    target.answer(target.api.delete(f"/teachers/{quote(name, safe='')}"), f"The key of {name} opens nothing any more.")


@target_command(app)
def log(target: Target, limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=1000)] = 50) -> None:
    """Show what was done, by whose key, newest first."""
    found = target.api.get("/acts", limit=limit)
    lines = [
        f"{_local(one['when_ms'])}  {one['who']}  {one['act']}  "
        + ", ".join(f"{name} {_told(value)}" for name, value in one["about"].items())
        for one in found["acts"]
    ]
    target.answer(found, *(lines or ["Nothing has been done yet."]))


def _local(utc_ms: int) -> str:
    return datetime.fromtimestamp(utc_ms / 1000).strftime("%Y-%m-%d %H:%M:%S")


def _told(value: object) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)
