"""`palestra-server screen`: the remote control of the big screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from palestra_server.cli.output import fail
from palestra_server.cli.target import Target, target_command

app = typer.Typer(
    help="What the big screen (/screen) shows.",
    no_args_is_help=True,
    add_completion=False,
)


def _show(target: Target, said: str, **order: str | None) -> None:
    if not target.api.live:
        fail("No server runs on this data folder: there is no big screen. Begin with 'palestra-server serve'.")
    state = target.api.post("/screen", order)
    target.answer(state, _ceremony(state) if state["ceremony"] else said)


def _ceremony(state: Mapping[str, Any]) -> str:
    seen = f"{', '.join(place['player'] for place in state['podium'][-1])}; " if state["podium"] else ""
    then = "'screen auto' ends it" if state["is_whole"] else "'screen next' uncovers the next place"
    return f"Ceremony of {state['title']}: {seen}{then}."


@target_command(app, "next")
def next_(target: Target) -> None:
    """Go on to the next scene; in a ceremony, uncover the next place."""
    _show(target, "The next scene.", show="next")


@target_command(app)
def match(
    target: Target,
    match: Annotated[str, typer.Argument(metavar="MATCH", help="A match, as 'palestra-server matches' names it.")],
) -> None:
    """Show this match until it is over."""
    _show(target, f"Shows {match}.", show="match", match=match)


@target_command(app)
def hold(target: Target) -> None:
    """Stay with what is shown; 'auto' goes on."""
    _show(target, "Stays with what it shows. To go on: palestra-server screen auto", show="hold")


@target_command(app)
def ceremony(
    target: Target,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A tournament that is over.", show_default="the latest")
    ] = None,
) -> None:
    """Begin a tournament's ceremony; each 'next' uncovers a place: third, second, first."""
    _show(target, "", show="ceremony", tournament=name)


@target_command(app)
def auto(target: Target) -> None:
    """Go through the programme by itself again; ends a ceremony."""
    _show(target, "Goes on by itself.", show="auto")
