"""`palestra-server tournament`: from a file to the standings."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer
from rich.live import Live

from palestra_server.cli.house import House, house_command
from palestra_server.cli.output import HIDDEN_TOO, WithHidden, fail, out
from palestra_server.cli.views import (
    readiness_view,
    results_view,
    standings_view,
    status_view,
    tournaments_view,
    troubles,
    when,
)
from palestra_tournament import example_spec, installed_formats

app = typer.Typer(
    help="Tournaments: create one from a file, start it, follow it, export its results.",
    no_args_is_help=True,
    add_completion=False,
)

WATCH_S: Final = 1.0  # interval between updates of `status --watch`
# What `tournament export` writes.
FILES: Final = ("tournament.toml", "standings.csv", "crosstable.csv", "schedule.csv", "grades.csv")

AWAY_SHOWN: Final = 20  # how many missing players are named at the start; --json and 'tournament status' name all

Name = Annotated[str, typer.Argument(metavar="NAME", help="A tournament's name, as 'tournament list' shows it.")]
TomlFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A tournament file; 'tournament new' writes one to start from.")
]


def _path(name: str, tail: str = "") -> str:
    return f"/tournaments/{quote(name, safe='')}{tail}"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        fail(f"There is no file {file}; 'palestra-server tournament new {file}' writes one to begin with.")
    except OSError as error:
        fail(f"{file} cannot be read ({error.strerror}).")
    except UnicodeDecodeError:
        fail(f"{file} is not text in UTF-8: save it so, or take the file that 'tournament new' writes.")


def _offline(house: House) -> tuple[str, ...]:
    note = "No server runs on this data folder: matches are played once 'palestra-server serve' does."
    return () if house.api.live else (note,)


def _warm_up(name: str) -> str:
    return f"{name[:32]}-warm-up"


def _playing_first(house: House, state: Mapping[str, Any]) -> str | None:
    if state["state"] not in ("draft", "waiting"):
        return None
    name = _warm_up(state["name"])
    under_way = {each["name"] for each in house.api.get("/tournaments")["tournaments"] if each["state"] == "running"}
    return name if name in under_way else None


def _start(house: House, name: str) -> dict[str, Any]:
    """Starts a tournament and returns its state, with `warm_up` naming its warm-up if that began, and `away` listing
    the players who are not connected.
    """
    state = house.api.post(_path(name, "/start"))
    comes_first = state["state"] in ("draft", "waiting")
    begun = house.api.get(_path(_warm_up(name))) if comes_first else state
    players = [each["name"] for each in begun["entrants"] if not each["reference"]]
    away = [player for player in players if player in begun["missing"]]
    return {**state, "warm_up": begun["name"] if comes_first else None, "players": len(players), "away": away}


def _begun(name: str, state: Mapping[str, Any]) -> str:
    """What a tournament does once started: if its file asks for a warm-up, that comes first."""
    if state["warm_up"]:
        text = (
            f"The warm-up of {name} has begun; {name} begins by itself when it is over. "
            f"Who is ready: palestra-server tournament ready {name}"
        )
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
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a tournament file with every key explained; change it, then 'tournament create' it.

    The tournament gets the name of the file.
    """
    if kind not in installed_formats():
        fail(f"There is no format {kind}; choose one of {', '.join(installed_formats())}.")
    if file.exists() and not force:
        fail(f"{file} exists already: choose another name, or give --force.")
    try:
        named = re.sub(r"[^a-z0-9]+", "-", file.stem.casefold()).strip("-")[:40].strip("-") or "our-cup"
        file.write_text(example_spec(installed_formats()[kind], named), encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be written ({error.strerror}).")
    out.print(f"{file} is written. Change it, then: palestra-server tournament create {file}", markup=False)


@house_command(app, make=True)
def check(house: House, file: TomlFile) -> None:
    """Check a tournament file: who would play, and what may be a mistake."""
    found = house.api.post("/tournaments/check", {"toml": _text(file)})
    spec, entrants = found["spec"], found["entrants"]
    bots = sum(entrant["reference"] for entrant in entrants)
    house.answer(
        found,
        f"{spec['title'] or spec['name']}: {spec['format']} in {', '.join(spec['games'])}, "
        f"{len(entrants) - bots} players, {bots} of ours as reference, {spec['clock']['move_ms']} ms a move.",
        *(f"Note: {remark['message']}" for remark in found["remarks"]),
    )


@house_command(app, make=True)
def create(
    house: House,
    file: TomlFile,
    start_now: Annotated[bool, typer.Option("--start", help="Start it right away.")] = False,
) -> None:
    """Create a tournament from a file."""
    made = house.api.post("/tournaments", {"toml": _text(file)})
    name = made["name"]
    if start_now:
        made = _start(house, name)
        text = _begun(name, made)
    elif made["state"] == "waiting":
        text = f"{name} is created; it begins by itself {when(made['scheduled'])}."
    else:
        text = f"{name} is created. Start it: palestra-server tournament start {name}"
    house.answer(made, text, *_offline(house))


@house_command(app, "list")
def list_(house: House) -> None:
    """List all tournaments and their progress."""
    found = house.api.get("/tournaments")
    house.answer(found["tournaments"], tournaments_view(found["tournaments"]), *troubles(found))


def _command(verb: str, done: str, about: str) -> None:
    def command(house: House, name: Name) -> None:
        house.answer(house.api.post(_path(name, f"/{verb}")), f"{name} {done}", *_offline(house))

    command.__doc__ = about
    house_command(app, verb)(command)


@house_command(app)
def start(house: House, name: Name) -> None:
    """Begin a tournament now, or its warm-up, if its file asks for one that hasn't been played."""
    state = _start(house, name)
    house.answer(state, _begun(name, state), *_offline(house))


_command("pause", "is paused; matches in progress are played to the end.", "Start no new matches.")
_command("resume", "goes on.", "End a pause.")
_command("finish", "ends when the matches in progress are over.", "End a tournament early, with the results so far.")
_command("reveal", "shows all its results.", "Lift the embargo on the last results.")


@house_command(app)
def withdraw(
    house: House,
    name: Name,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="Whom to withdraw; matches that it hasn't begun are lost.")
    ],
) -> None:
    """Take a player out of a tournament."""
    house.answer(house.api.post(_path(name, "/withdraw"), {"player": player}), f"{player} is out of {name}.")


@house_command(app)
def reinstate(
    house: House,
    name: Name,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="Whom to let in again, from the next round that is drawn.")
    ],
) -> None:
    """Let a withdrawn player back in."""
    house.answer(house.api.post(_path(name, "/reinstate"), {"player": player}), f"{player} is in {name} again.")


@house_command(app)
def repeat(
    house: House,
    name: Name,
    match: Annotated[
        str, typer.Argument(metavar="MATCH", help="A match that cannot go on, as 'tournament status' names it.")
    ],
) -> None:
    """Replay a match whose records can no longer be read."""
    house.answer(house.api.post(_path(name, "/repeat"), {"match": match}), f"{match} is played again.")


@house_command(app)
def status(
    house: House,
    name: Name,
    watch: Annotated[bool, typer.Option("--watch", help="Keep updating until it is over.")] = False,
) -> None:
    """Show a tournament's progress: what is being played, who is missing, when it will be over."""
    state = house.api.get(_path(name))
    if house.as_json or not watch:
        house.answer(state, status_view(state), *troubles(house.api.get("/tournaments")))
        if not house.as_json and (first := _playing_first(house, state)):
            out.print(
                f"{name} begins by itself after its warm-up: palestra-server tournament status {first}", markup=False
            )
        return
    with Live(status_view(state), console=out, auto_refresh=False) as live:
        while state["state"] not in ("completed", "damaged"):
            time.sleep(WATCH_S)
            state = house.api.get(_path(name))
            live.update(status_view(state), refresh=True)


def _asked(with_hidden: bool) -> str | None:
    return "show" if with_hidden else None


def _unseen(house: House, name: str, with_hidden: bool) -> tuple[str, ...]:
    """What to say if something was left out."""
    left_out = not (with_hidden or house.as_json) and house.api.get(_path(name))["hides"]
    return (f"The hidden round is left out. {HIDDEN_TOO}",) if left_out else ()


@house_command(app)
def standings(house: House, name: Name, with_hidden: WithHidden = False) -> None:
    """Show the current standings."""
    rows = house.api.get(_path(name, "/standings"), hidden=_asked(with_hidden))["rows"]
    house.answer(rows, standings_view(rows), *_unseen(house, name, with_hidden))


@house_command(app)
def ready(house: House, name: Name) -> None:
    """Show who is ready, who is not and why, by the warm-up of a tournament."""
    names = {each["name"] for each in house.api.get("/tournaments")["tournaments"]}
    judged = _warm_up(name) if _warm_up(name) in names else name
    if house.api.get(_path(judged))["state"] in ("draft", "waiting"):
        found = _by_own_checks(house, name)
        first = (
            f"The warm-up of {name} has not been played: 'palestra-server tournament start {name}' plays it first."
            if judged != name
            else f"{name} has not begun and has no warm-up: create it with warm_up = true, or have everybody run "
            "'palestra doctor mybot.py --server ADDRESS --token TOKEN'."
        )
        house.answer(found, f"{first} Until then:", readiness_view(found))
        return
    found = house.api.get(_path(judged, "/readiness"))["readiness"]
    house.answer(found, readiness_view(found))


def _by_own_checks(house: House, name: str) -> list[dict[str, Any]]:
    """The readiness as after a warm-up, but from the players' own checks and who is connected."""
    file = house.api.download(_path(name, "/tournament.toml")).decode()
    checked = house.api.post("/tournaments/check", {"toml": file})
    known = {each["name"]: each for each in house.api.get("/players")["players"]}
    found = []
    for player in (each["name"] for each in checked["entrants"] if not each["reference"]):
        here = "connected" if known[player]["online"] else "not connected"
        for game in checked["spec"]["games"]:
            passed = known[player]["ready"].get(game)
            why = {True: "its own check passed", False: "its own check failed", None: "no check yet"}[passed]
            row = {"player": player, "game": game, "ready": passed, "why": f"{here}, {why}", "played": 0, "faults": {}}
            found.append(row)
    return found


@house_command(app)
def results(house: House, name: Name, with_hidden: WithHidden = False) -> None:
    """List every fixture and its result."""
    fixtures = house.api.get(_path(name, "/schedule"), hidden=_asked(with_hidden))["fixtures"]
    house.answer(fixtures, results_view(fixtures), *_unseen(house, name, with_hidden))


@house_command(app)
def export(
    house: House,
    name: Name,
    folder: Annotated[Path, typer.Option("--out", help="Folder for the files, created if need be.")] = Path(),
    with_hidden: WithHidden = False,
) -> None:
    """Write standings, crosstable, schedule and grades as CSV (with every record: 'palestra-server export')."""
    files = {file: house.api.download(_path(name, f"/{file}"), hidden=_asked(with_hidden)) for file in FILES}
    target = folder / name
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            (target / file).write_bytes(content)
    except OSError as error:
        fail(f"{target} cannot be written ({error.strerror}).")
    house.answer(
        {"folder": str(target), "files": list(files)},
        f"Written to {target}: {', '.join(files)}.",
        *_unseen(house, name, with_hidden),
    )


@house_command(app)
def delete(
    house: House,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a tournament with its schedule and standings; the records of its matches stay."""
    if not yes and not typer.confirm(f"Delete the tournament {name}?"):
        raise typer.Exit(1)
    house.answer(house.api.delete(_path(name)), f"{name} is deleted; its matches stay in the records.")
