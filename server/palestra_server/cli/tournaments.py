"""`palestra-server tournament`: from a file to the standings."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, get_args

import typer
from rich.live import Live

from palestra_protocol.english import plural
from palestra_server.cli.counted import Force, Kind, Name, Yes, add_shared, shown
from palestra_server.cli.output import WithHidden, fail, out
from palestra_server.cli.target import Target, target_command
from palestra_server.cli.views import (
    readiness_view,
    results_view,
    rulings_view,
    standings_view,
    status_view,
    struck_view,
    tournaments_view,
    troubles,
    uncounted,
    when,
)
from palestra_tournament import Verdict, example_spec, installed_formats, warm_up_of

app = typer.Typer(
    help="Tournaments: create one from a file, start it, follow it, export its results.",
    no_args_is_help=True,
    add_completion=False,
)

WATCH_S: Final = 1.0  # interval between updates of `status --watch`
PAGE: Final = 1000  # fixtures asked for at a time
TOURNAMENTS: Final = Kind(
    "tournament",
    files=("tournament.toml", "standings.csv", "crosstable.csv", "schedule.csv", "grades.csv"),
    stays="its matches stay in the records",
)
_path = TOURNAMENTS.path

AWAY_SHOWN: Final = 20  # how many missing players are named at the start; --json and 'tournament status' name all

Player = Annotated[str, typer.Argument(metavar="PLAYER", help="Who plays in it.")]
TomlFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A tournament file; 'tournament new' writes one to start from.")
]


def _offline(target: Target) -> tuple[str, ...]:
    note = "No server runs on this data folder: matches are played once 'palestra-server serve' does."
    return () if target.api.live else (note,)


def _comes_first(target: Target, state: Mapping[str, Any], all_of_them: Sequence[Mapping[str, Any]]) -> list[str]:
    """What to say of its warm-up, if that has begun and the tournament has not."""
    name, first = state["name"], warm_up_of(state["name"])
    how = next((each["state"] for each in all_of_them if each["name"] == first), None)
    if state["state"] not in ("draft", "waiting") or how in (None, "draft", "waiting"):
        return []
    if how != "completed":
        return [f"Its warm-up is being played: palestra-server tournament status {first}"]
    found = target.api.get(_path(first, "/readiness"))["readiness"]
    players = {each["player"] for each in found}
    ready = len(players - {each["player"] for each in found if not each["ready"]})
    return [
        f"Ready: {ready} of {len(players)}; the others, and why: palestra-server tournament ready {name}",
        f"It waits for you: palestra-server tournament start {name}",
    ]


def _start(target: Target, name: str) -> dict[str, Any]:
    """Starts a tournament and returns its state, with `warm_up` naming its warm-up if that began, and `away` listing
    the players who are not connected.
    """
    state = target.api.post(_path(name, "/start"))
    comes_first = state["state"] in ("draft", "waiting")
    begun = target.api.get(_path(warm_up_of(name))) if comes_first else state
    players = [each["name"] for each in begun["entrants"] if not each["reference"]]
    away = [player for player in players if player in begun["missing"]]
    return {**state, "warm_up": begun["name"] if comes_first else None, "players": len(players), "away": away}


def _begun(name: str, state: Mapping[str, Any]) -> str:
    """What a tournament does once started: if its file asks for a warm-up, that comes first."""
    if state["warm_up"]:
        waits = state["spec"]["after_warm_up"] == "wait"
        then = "waits for your start after it" if waits else "begins by itself when it is over"
        text = f"The warm-up of {name} has begun; {name} {then}. Who is ready: palestra-server tournament ready {name}"
    else:
        text = f"{name} has begun. Follow it: palestra-server tournament status {name} --watch"
    away = state["away"]
    if away:
        shown = ", ".join(away[:AWAY_SHOWN]) + (f" and {len(away) - AWAY_SHOWN} more" if len(away) > AWAY_SHOWN else "")
        clock, waits = state["spec"]["clock"], state["spec"]["absent"] == "wait" and not state["warm_up"]
        then = (
            "their matches wait for them" if waits else f"each has ready_ms = {clock['ready_ms']} when its match comes"
        )
        verb = "is" if len(away) == 1 else "are"
        text += f"\n{len(away)} of {state['players']} {verb} not connected: {shown}; {then}."
    return text


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it, such as cup.toml.")],
    kind: Annotated[str, typer.Option("--format", help=f"{', '.join(installed_formats())}.")] = next(
        iter(installed_formats())
    ),
    force: Force = False,
) -> None:
    """Write a tournament file with every key explained; change it, then 'tournament create' it.

    The tournament gets the name of the file.
    """
    if kind not in installed_formats():
        fail(f"There is no format {kind}; choose one of {', '.join(installed_formats())}.")
    TOURNAMENTS.write_new(file, force, lambda name: example_spec(installed_formats()[kind], name))


@target_command(app, make=True)
def check(target: Target, file: TomlFile) -> None:
    """Check a tournament file: who would play, and what may be a mistake."""
    target.only_looks = True
    found = target.api.post("/tournaments/check", {"toml": TOURNAMENTS.text_in(file)})
    spec, entrants = found["spec"], found["entrants"]
    bots = [entrant["name"] for entrant in entrants if entrant["reference"]]
    against = f" and {', '.join(bots)} as reference" if bots else ""
    target.answer(
        found,
        f"{spec['title'] or spec['name']}: {spec['format']} in {', '.join(spec['games'])}, "
        f"{plural(len(entrants) - len(bots), 'player')}{against}, {spec['clock']['move_ms']} ms a move.",
        *([] if found["outlook"] is None else [_outlook(found["outlook"])]),
        *(f"Note: {remark['message']}" for remark in found["remarks"]),
    )


def _outlook(found: Mapping[str, Any]) -> str:
    hours = found["hours"]
    length = f"{hours:.1f} hours" if hours >= 1 else plural(math.ceil(60 * hours), "minute")
    return (
        f"{plural(found['matches'], 'match', 'matches')}: {length} if every bot takes all of its time for "
        f"{found['plies']} moves a match, until {when(found['until']).removeprefix('at ').removeprefix('on ')}."
    )


@target_command(app, make=True)
def create(
    target: Target,
    file: TomlFile,
    start_now: Annotated[bool, typer.Option("--start", help="Start it right away.")] = False,
) -> None:
    """Create a tournament from a file."""
    made = target.api.post("/tournaments", {"toml": TOURNAMENTS.text_in(file)})
    name = made["name"]
    if start_now:
        made = _start(target, name)
        text = _begun(name, made)
    elif made["state"] == "waiting":
        text = f"{name} is created; it begins by itself {when(made['scheduled'])}."
    else:
        text = f"{name} is created. Start it: palestra-server tournament start {name}"
    target.answer(made, text, *_offline(target))


@target_command(app, "list")
def list_(target: Target) -> None:
    """List all tournaments and their progress."""
    found = target.api.get("/tournaments")
    target.answer(found["tournaments"], tournaments_view(found["tournaments"]), *troubles(found))


def _command(verb: str, done: str, about: str) -> None:
    def command(target: Target, name: Name) -> None:
        target.answer(target.api.post(_path(name, f"/{verb}")), f"{name} {done}", *_offline(target))

    command.__doc__ = about
    target_command(app, verb)(command)


@target_command(app)
def start(target: Target, name: Name) -> None:
    """Begin a tournament now, or its warm-up, if its file asks for one that hasn't been played."""
    state = _start(target, name)
    target.answer(state, _begun(name, state), *_offline(target))


_command("pause", "is paused; matches in progress are played to the end.", "Start no new matches.")
_command("resume", "goes on.", "End a pause, or take 'finish' back.")
_command("reveal", "shows all its results.", "Lift the embargo on the last results.")


@target_command(app)
def finish(
    target: Target,
    name: Name,
    all_results: Annotated[
        bool, typer.Option("--all-results", help="Count also rounds that aren't complete, in which some played more.")
    ] = False,
    yes: Yes = False,
) -> None:
    """End a tournament early, with the results of the rounds that are complete."""
    if not yes:
        waiting = target.api.get(_path(name, f"/schedule?state=waiting&limit={AWAY_SHOWN + 1}"), hidden="show")[
            "fixtures"
        ]
        for each in waiting[:AWAY_SHOWN]:
            out.print(f"Not played: round {each['round']}, {' - '.join(each['players'])}, {each['game']}", markup=False)
        if len(waiting) > AWAY_SHOWN:
            out.print("... and more: 'palestra-server tournament results' lists all.", markup=False)
        if not typer.confirm(f"End {name} without them, and without what was to be drawn after them?"):
            raise typer.Exit(1)
    state = target.api.post(_path(name, "/finish"), {"counts_all": all_results})
    target.answer(
        state,
        f"{name} ends when the matches in progress are over. To take it back: palestra-server tournament resume {name}",
        *uncounted(state),
        *_offline(target),
    )


@target_command(app)
def add(
    target: Target,
    name: Name,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Who comes late, as on the roster.")],
) -> None:
    """Enrol who comes late: in a round robin, gauntlet, ladder, or a Swiss with rounds to be drawn."""
    state = target.api.post(_path(name, "/add"), {"players": players})
    target.answer(state, f"In {name} from now on: {', '.join(players)}.", *_offline(target))


def _player_command(verb: str, done: str, about: str) -> None:
    def command(target: Target, name: Name, player: Player) -> None:
        state = target.api.post(_path(name, f"/{verb}"), {"player": player})
        target.answer(state, done.format(player=player, name=name))

    command.__doc__ = about
    target_command(app, verb)(command)


_player_command("withdraw", "{player} is out of {name}.", "Take a player out: matches that it hasn't begun are lost.")
_player_command("reinstate", "{player} is in {name} again.", "Let a withdrawn player in from the next round drawn.")


@target_command(app)
def repeat(
    target: Target,
    name: Name,
    match: Annotated[
        str, typer.Argument(metavar="MATCH", help="A match that cannot go on, as 'tournament status' names it.")
    ],
) -> None:
    """Replay a match whose records can no longer be read."""
    target.answer(target.api.post(_path(name, "/repeat"), {"match": match}), f"{match} is played again.")


@target_command(app)
def rule(
    target: Target,
    name: Name,
    match: Annotated[
        str, typer.Argument(metavar="MATCH", help="A match that is over, as 'tournament results' names it.")
    ],
    verdict: Annotated[
        str, typer.Argument(metavar="VERDICT", help="void, win:PLAYER, draw, replay, or stands: its own result again.")
    ],
    why: Annotated[str, typer.Option("--why", help="The reason, in a sentence: both players are told.")],
) -> None:
    """Decide what a match counts as, after an appeal: standings, grades and later pairings follow.

    The match keeps its record, result and receipt. A later ruling on it replaces this one; both stay in the record.
    """
    what, _, winner = verdict.partition(":")
    if what not in get_args(Verdict) or (what == "win") != bool(winner):
        fail(f"A ruling is void, win:PLAYER, draw, replay or stands, not {verdict}.")
    state = target.api.post(_path(name, "/rule"), {"match": match, "verdict": what, "winner": winner, "why": why})
    told = rulings_view([each for each in state["rulings"] if each["match"] == match][-1:])
    target.answer(
        state, *told, *struck_view(state), f"Standings: palestra-server tournament standings {name}", *_offline(target)
    )


@target_command(app)
def status(
    target: Target,
    name: Name,
    watch: Annotated[bool, typer.Option("--watch", help="Keep updating until it is over.")] = False,
) -> None:
    """Show a tournament's progress: what is being played, who is missing, when it will be over."""
    state = target.api.get(_path(name))
    if target.as_json or not (watch and target.api.live):
        listed = target.api.get("/tournaments")
        first = _comes_first(target, state, listed["tournaments"])
        target.answer(state, status_view(state, live=target.api.live), *first, *troubles(listed))
        return
    with Live(status_view(state), console=out, auto_refresh=False) as live:
        while state["state"] not in ("completed", "damaged"):
            time.sleep(WATCH_S)
            state = target.api.get(_path(name))
            live.update(status_view(state), refresh=True)


@target_command(app)
def standings(target: Target, name: Name, with_hidden: WithHidden = False) -> None:
    """Show the current standings."""
    rows = target.api.get(_path(name, "/standings"), hidden=shown(with_hidden))["rows"]
    target.answer(rows, standings_view(rows), *TOURNAMENTS.unseen(target, name, with_hidden))


@target_command(app)
def ready(target: Target, name: Name) -> None:
    """Show who is ready, who is not and why, by the warm-up of a tournament."""
    names = {each["name"] for each in target.api.get("/tournaments")["tournaments"]}
    judged = warm_up_of(name) if warm_up_of(name) in names else name
    if target.api.get(_path(judged))["state"] in ("draft", "waiting"):
        found = _by_own_checks(target, name)
        first = (
            f"The warm-up of {name} has not been played: 'palestra-server tournament start {name}' plays it first."
            if judged != name
            else f"{name} has not begun and has no warm-up: create it with warm_up = true, or have everybody run "
            "'palestra doctor mybot.py --server ADDRESS --token TOKEN'."
        )
        target.answer(found, f"{first} Until then:", readiness_view(found))
        return
    found = target.api.get(_path(judged, "/readiness"))["readiness"]
    target.answer(found, readiness_view(found))


def _by_own_checks(target: Target, name: str) -> list[dict[str, Any]]:
    """The readiness as after a warm-up, but from the players' own checks and who is connected."""
    file = target.api.download(_path(name, "/tournament.toml")).decode()
    checked = target.api.post("/tournaments/check", {"toml": file})
    known = {each["name"]: each for each in target.api.get("/players")["players"]}
    found = []
    for player in (each["name"] for each in checked["entrants"] if not each["reference"]):
        here = "connected" if known[player]["online"] else "not connected"
        for game in checked["spec"]["games"]:
            passed = known[player]["ready"].get(game)
            why = {True: "its own check passed", False: "its own check failed", None: "no check yet"}[passed]
            row = {"player": player, "game": game, "ready": passed, "why": f"{here}, {why}", "played": 0, "faults": {}}
            found.append(row)
    return found


@target_command(app)
def results(
    target: Target,
    name: Name,
    player: Annotated[str | None, typer.Option("--player", help="Theirs alone.", show_default="everybody's")] = None,
    with_hidden: WithHidden = False,
) -> None:
    """List every fixture and its result."""
    fixtures: list[dict[str, Any]] = []
    start: int | None = 0
    hidden = shown(with_hidden)
    while start is not None:
        page = target.api.get(_path(name, "/schedule"), hidden=hidden, player=player, start=start, limit=PAGE)
        fixtures += page["fixtures"]
        start = page["next"]
    target.answer(fixtures, results_view(fixtures), *TOURNAMENTS.unseen(target, name, with_hidden))


add_shared(app, TOURNAMENTS)
