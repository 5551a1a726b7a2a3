"""`palestra-server tournament`: from a file to the standings."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import quote

import typer
from rich.live import Live

from palestra_server.cli.output import HIDDEN_TOO, InLanguage, WithHidden, err, fail, in_base64, out
from palestra_server.cli.target import Target, target_command
from palestra_server.cli.views import (
    readiness_view,
    results_view,
    rulings_view,
    standings_view,
    status_view,
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
# What `tournament export` writes.
PAGE: Final = 1000  # fixtures asked for at a time
FILES: Final = ("tournament.toml", "standings.csv", "crosstable.csv", "schedule.csv", "grades.csv")

AWAY_SHOWN: Final = 20  # how many missing players are named at the start; --json and 'tournament status' name all

Name = Annotated[str, typer.Argument(metavar="NAME", help="A tournament's name, as 'tournament list' shows it.")]
TomlFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A tournament file; 'tournament new' writes one to start from.")
]


System = Annotated[
    Literal["moodle", "canvas", "people"],
    typer.Option("--for", help="A file for Moodle's import, Canvas' own gradebook, or a table to read."),
]
Into = Annotated[
    Path | None,
    typer.Option(help="Canvas: its gradebook (CSV), which is filled. Moodle: its list of participants, for the ids."),
]
OutFile = Annotated[Path | None, typer.Option("--out", help="Where to write it.", show_default="standard output")]
MarksColumn = Annotated[
    str | None, typer.Option("--column", help="What the marks are called there.", show_default="the title")
]


def _path(name: str, tail: str = "") -> str:
    return f"/tournaments/{quote(name, safe='')}{tail}"


def text_in(file: Path, what: str = "tournament") -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        fail(f"There is no file {file}; 'palestra-server {what} new {file}' writes one to begin with.")
    except OSError as error:
        fail(f"{file} cannot be read ({error.strerror}).")
    except UnicodeDecodeError:
        fail(f"{file} is not text in UTF-8: save it so, or take the file that '{what} new' writes.")


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
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a tournament file with every key explained; change it, then 'tournament create' it.

    The tournament gets the name of the file.
    """
    if kind not in installed_formats():
        fail(f"There is no format {kind}; choose one of {', '.join(installed_formats())}.")
    write_new(file, force, "tournament", lambda name: example_spec(installed_formats()[kind], name))


def write_new(file: Path, force: bool, what: str, example: Callable[[str], str]) -> None:
    """Writes an example, which is called like its file."""
    if file.exists() and not force:
        fail(f"{file} exists already: choose another name, or give --force.")
    named = re.sub(r"[^a-z0-9]+", "-", file.stem.casefold()).strip("-")[:40].strip("-") or f"our-{what}"
    try:
        file.write_text(example(named), encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be written ({error.strerror}).")
    out.print(f"{file} is written. Change it, then: palestra-server {what} create {file}", markup=False)


@target_command(app, make=True)
def check(target: Target, file: TomlFile) -> None:
    """Check a tournament file: who would play, and what may be a mistake."""
    found = target.api.post("/tournaments/check", {"toml": text_in(file)})
    spec, entrants = found["spec"], found["entrants"]
    bots = sum(entrant["reference"] for entrant in entrants)
    target.answer(
        found,
        f"{spec['title'] or spec['name']}: {spec['format']} in {', '.join(spec['games'])}, "
        f"{len(entrants) - bots} players, {bots} of ours as reference, {spec['clock']['move_ms']} ms a move.",
        *([] if found["outlook"] is None else [_outlook(found["outlook"])]),
        *(f"Note: {remark['message']}" for remark in found["remarks"]),
    )


def _outlook(found: Mapping[str, Any]) -> str:
    return (
        f"{found['matches']} matches: {found['hours']} hours if every bot takes all of its time for {found['plies']} "
        f"plies a match, until {when(found['until']).removeprefix('at ').removeprefix('on ')}."
    )


@target_command(app, make=True)
def create(
    target: Target,
    file: TomlFile,
    start_now: Annotated[bool, typer.Option("--start", help="Start it right away.")] = False,
) -> None:
    """Create a tournament from a file."""
    made = target.api.post("/tournaments", {"toml": text_in(file)})
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
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
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
def withdraw(
    target: Target,
    name: Name,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="Whom to withdraw; matches that it hasn't begun are lost.")
    ],
) -> None:
    """Take a player out of a tournament."""
    target.answer(target.api.post(_path(name, "/withdraw"), {"player": player}), f"{player} is out of {name}.")


@target_command(app)
def reinstate(
    target: Target,
    name: Name,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="Whom to let in again, from the next round that is drawn.")
    ],
) -> None:
    """Let a withdrawn player back in."""
    target.answer(target.api.post(_path(name, "/reinstate"), {"player": player}), f"{player} is in {name} again.")


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
    target.answer(state, *told, f"Standings: palestra-server tournament standings {name}", *_offline(target))


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


def _asked(with_hidden: bool) -> str | None:
    return "show" if with_hidden else None


def _unseen(target: Target, name: str, with_hidden: bool) -> tuple[str, ...]:
    """What to say if something was left out."""
    left_out = not (with_hidden or target.as_json) and target.api.get(_path(name))["hides"]
    return (f"The hidden round is left out. {HIDDEN_TOO}",) if left_out else ()


@target_command(app)
def standings(target: Target, name: Name, with_hidden: WithHidden = False) -> None:
    """Show the current standings."""
    rows = target.api.get(_path(name, "/standings"), hidden=_asked(with_hidden))["rows"]
    target.answer(rows, standings_view(rows), *_unseen(target, name, with_hidden))


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
def results(target: Target, name: Name, with_hidden: WithHidden = False) -> None:
    """List every fixture and its result."""
    fixtures: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        page = target.api.get(_path(name, "/schedule"), hidden=_asked(with_hidden), start=start, limit=PAGE)
        fixtures += page["fixtures"]
        start = page["next"]
    target.answer(fixtures, results_view(fixtures), *_unseen(target, name, with_hidden))


@target_command(app)
def export(
    target: Target,
    name: Name,
    folder: Annotated[Path, typer.Option("--out", help="Folder for the files, created if need be.")] = Path(),
    with_hidden: WithHidden = False,
) -> None:
    """Write standings, crosstable, schedule and grades as CSV (with every record: 'palestra-server export')."""
    write_tables(target, folder / name, _path(name), FILES, _asked(with_hidden), _unseen(target, name, with_hidden))


def write_tables(
    target: Target, folder: Path, path: str, names: Sequence[str], hidden: str | None, notes: Sequence[str]
) -> None:
    files = {file: target.api.download(f"{path}/{file}", hidden=hidden) for file in names}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            (folder / file).write_bytes(content)
    except OSError as error:
        fail(f"{folder} cannot be written ({error.strerror}).")
    shown = f"Written to {folder}: {', '.join(files)}."
    target.answer({"folder": str(folder), "files": list(files)}, shown, *notes)


@target_command(app)
def grades(
    target: Target,
    name: Name,
    system: System = "people",
    into: Into = None,
    file: OutFile = None,
    language: InLanguage = None,
    column: MarksColumn = None,
    with_hidden: WithHidden = False,
) -> None:
    """Write everybody's mark, each with its explanation, for Moodle, Canvas or people."""
    body = {"system": system, "language": language or "en", "column": column, "into": into and in_base64(into)}
    sheet = target.api.post(_path(name, "/marks"), body, hidden=_asked(with_hidden))
    write_marks(target, sheet, file, _unseen(target, name, with_hidden))


def write_marks(target: Target, sheet: Mapping[str, Any], file: Path | None, notes: Sequence[str]) -> None:
    written = sheet["text"].encode()
    if not target.as_json:
        for each in (*(each["message"] for each in sheet["notes"]), *notes):
            err.print(each, markup=False)
    if file is not None:
        try:
            file.write_bytes(written)
        except OSError as error:
            fail(f"{file} cannot be written ({error.strerror}).")
        target.answer(sheet, f"{sheet['filled']} marks are in {file}.")
    elif target.as_json:
        target.answer(sheet)
    else:
        typer.echo(written, nl=False)


@target_command(app)
def delete(
    target: Target,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a tournament with its schedule and standings; the records of its matches stay."""
    if not yes and not typer.confirm(f"Delete the tournament {name}?"):
        raise typer.Exit(1)
    target.answer(target.api.delete(_path(name)), f"{name} is deleted; its matches stay in the records.")
