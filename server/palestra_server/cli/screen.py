"""`palestra-server screen`: the remote control of the big screen."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import typer

from palestra_server.cli.output import fail
from palestra_server.cli.target import Target, target_command

app = typer.Typer(help="What the big screen (/screen) shows.", add_completion=False)

Scene = Literal["next", "match", "hold", "ceremony", "auto"]
SAID: Final = {
    "next": "The next scene.",
    "match": "Shows {which} until it is over.",
    "hold": "Stays with what it shows. To go on: palestra-server screen auto",
    "auto": "Goes through its programme by itself.",
}


@target_command(app)
def screen(
    target: Target,
    scene: Annotated[
        Scene | None,
        typer.Argument(metavar="[SCENE]", help="next, match, hold, ceremony or auto; without it: where the screen is."),
    ] = None,
    which: Annotated[
        str | None,
        typer.Argument(metavar="[WHICH]", help="A match; or whose ceremony, by default the latest tournament's."),
    ] = None,
    judged: Annotated[
        bool, typer.Option("--judged", help="With what a judge says of the match, each position a move late.")
    ] = False,
) -> None:
    """What the big screen (/screen) shows: 'next' goes on, 'match ID' shows a match, 'hold' stays, 'auto' runs on.

    'ceremony' honours the winners of a tournament that is over: each 'next' uncovers a place, and 'auto' ends it.
    """
    if not target.api.live:
        fail("No server runs on this data folder: there is no big screen. Begin with 'palestra-server serve'.")
    named = {"match": "match", "ceremony": "tournament"}.get(str(scene))
    if which is not None and named is None:
        fail(f"'screen {scene}' is all there is to say: leave out {which}.")
    if judged and scene != "match":
        fail("--judged is said of a match: palestra-server screen match ID --judged")
    if scene is None:
        state = target.api.get("/screen")
        page = target.server or target.api.get("/about")["page"]
        where = [f"The big screen is {page.rstrip('/')}/screen: open it in the browser at the projector."]
    else:
        where = []
        state = target.api.post("/screen", {"show": scene, "judged": judged, **({named: which} if named else {})})
    shown = (
        _ceremony(state) if state["ceremony"] else SAID[scene or state["show"]].format(which=which or state["match"])
    )
    target.answer(state, *where, shown)


def _ceremony(state: dict[str, Any]) -> str:
    seen = f"{', '.join(place['player'] for place in state['podium'][-1])}; " if state["podium"] else ""
    then = "'screen auto' ends it" if state["is_whole"] else "'screen next' uncovers the next place"
    return f"Ceremony of {state['title']}: {seen}{then}."
