"""`palestra-server roster`: the class list, tokens, who may play."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.markup import escape
from rich.table import Table

from palestra_protocol.english import plural
from palestra_server.cli.output import InLanguage, err, fail, in_base64, out
from palestra_server.cli.target import Target, target_command
from palestra_server.languages import LANGUAGES
from palestra_server.web.addresses import bots_beside
from palestra_server.web.keys import write_private
from palestra_server.web.token_sheet import token_sheet
from palestra_tournament.csv_tables import csv_text

app = typer.Typer(help="Who may play: the class list and the tokens.", no_args_is_help=True, add_completion=False)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A player's name, as 'roster list' shows it.")]


def _path(name: str, tail: str = "") -> str:
    return f"/roster/{quote(name, safe='')}{tail}"


@target_command(app, "import", make=True)
def import_(
    target: Target,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="As Moodle, Canvas or Blackboard export it, or any CSV or .xlsx with names; - for standard input.",
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
) -> None:
    """Import a class list. Players not in it stay; importing the same list again changes nothing."""
    target.only_looks = dry_run
    body = {"file": in_base64(file), "apply": not dry_run}
    result = target.api.post("/roster/import", body)
    if not target.as_json:
        for word, kind in (("", "problems"), ("note: ", "remarks")):
            for each in result[kind]:
                err.print(f"{word}line {each['line']}: {each['message']}", markup=False)
    names = {kind: result[kind] for kind in ("added", "changed")}
    names["called otherwise in the list (they keep their names)"] = [
        f"{each['name']} ({each['listed']})" for each in result["renamed"]
    ]
    names["not in the list (they stay)"] = result["gone"]
    if result["renamed"]:
        names["to take a name from the list"] = ["palestra-server roster rename NAME NEW"]
    if any(each["code"] == "like_player" for each in result["remarks"]):
        names["to add somebody of nearly the same name nevertheless"] = ["palestra-server roster add NAME"]
    shown = [f"{kind.capitalize()}: {'; '.join(found)}" for kind, found in names.items() if found]
    counts = ", ".join(f"{len(result[kind])} {kind}" for kind in ("added", "changed", "unchanged"))
    written = "nothing would be written before the faults are mended" if result["problems"] else "nothing was written"
    shown.append(f"{counts}{f' ({written})' if dry_run else ''}.")
    shown += [each["message"] for each in result["missed"]]
    if result["added"] and not dry_run:
        shown.append("Give out tokens with 'palestra-server roster tokens --out tokens.csv --sheet tokens.html'.")
    target.answer(result, *shown)
    if result["problems"]:
        raise typer.Exit(1)


@target_command(app, make=True)
def add(
    target: Target,
    names: Annotated[
        list[str], typer.Argument(metavar="NAME", help="Names (for a file of names, use 'roster import').")
    ],
    email: Annotated[str, typer.Option(help="E-mail, for one name.")] = "",
    group: Annotated[str, typer.Option(help="Group.")] = "",
) -> None:
    """Add players and print their tokens (name,token), which are shown only once. Those who have one keep it."""
    for name in names:
        if Path(name).is_file() or Path(name).suffix.lower() in (".csv", ".txt", ".xlsx", ".ods", ".tsv"):
            fail(f"{name} looks like a file: a list of players goes in by 'palestra-server roster import {name}'.")
    if email and len(names) > 1:
        fail("--email goes with one name; a list goes in by 'palestra-server roster import'.")
    there = {player["name"]: player["has_token"] for player in target.api.get("/roster")["players"]}
    for name in dict.fromkeys(names):
        if there.get(name):
            err.print(f"{name} has a token already; 'palestra-server roster reset' makes a new one.", markup=False)
        elif name not in there:
            for remark in target.api.post("/roster", {"name": name, "email": email, "group": group})["remarks"]:
                err.print(remark["message"], markup=False)
    # Including those of a call that was interrupted.
    _print_tokens(target, target.api.post("/roster/tokens", {"names": names})["tokens"])


@target_command(app, "list")
def list_(target: Target) -> None:
    """List the roster: name, group, who is connected, and who is ready."""
    players = target.api.get("/roster")["players"]
    table = Table("name", "group", "e-mail", "token", "here", "ready", box=None, pad_edge=False)
    for player in players:
        ready = ", ".join(game for game, passed in player["ready"].items() if passed)
        token = "banned" if player["banned"] else "yes" if player["has_token"] else "none yet"
        here = "yes" if player["online"] else ("no" if target.api.live else "")
        table.add_row(*map(escape, (player["name"], player["group"], player["email"], token, here, ready)))
    without = sum(not player["has_token"] for player in players)
    target.answer({"players": players}, table, f"{plural(len(players), 'player')}, {without} without a token.")


@target_command(app)
def remove(target: Target, name: Name) -> None:
    """Remove a player from the roster; matches already played stay in the records."""
    removed = target.api.delete(_path(name))
    target.answer(removed, f"{name} is off the roster.", *(each["message"] for each in removed["remarks"]))


@target_command(app)
def rename(
    target: Target, name: Name, new: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")]
) -> None:
    """Rename a player. The token stays valid; matches already played keep the old name."""
    renamed = target.api.patch(_path(name), {"name": new})
    now = renamed["name"]
    played = now != name and target.api.get("/matches", player=name, limit=1)["matches"]
    back = shlex.join(("palestra-server", "roster", "rename", now, name))
    same = f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(now, ensure_ascii=False)}"
    kept = (
        f"What was played stays with the name {name}: marks for Moodle leave {name} out, and a season counts two "
        f"students unless its file says renamed = {{ {same} }}. To take it back: {back}"
    )
    target.answer(renamed, f"{name} is {now} now.", *([kept] if played else []))


@target_command(app)
def reset(target: Target, name: Name) -> None:
    """Make a new token for a player and print it (name,token). The old one stops working at once."""
    _print_tokens(target, [target.api.post(_path(name, "/token"))])


@target_command(app)
def kick(target: Target, name: Name) -> None:
    """Disconnect a player's bot, which may come back."""
    target.answer(target.api.post(_path(name, "/kick")), f"{name} is disconnected.")


@target_command(app)
def ban(target: Target, name: Name) -> None:
    """Ban a player, from now on."""
    banned = target.api.patch(_path(name), {"banned": True})
    kept_out = f"{name} is banned; 'palestra-server roster unban' lifts the ban."
    target.answer(banned, kept_out, *(each["message"] for each in banned["remarks"]))


@target_command(app)
def unban(target: Target, name: Name) -> None:
    """Let a banned player back in, with the same token."""
    target.answer(target.api.patch(_path(name), {"banned": False}), f"{name} may play again.")


@target_command(app)
def tokens(
    target: Target,
    file: Annotated[Path | None, typer.Option("--out", help="CSV for a mail merge: name,email,token.")] = None,
    sheet: Annotated[Path | None, typer.Option(help="HTML to print: one card for each student.")] = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="New tokens for everybody; the old ones stop working.")
    ] = False,
    page: Annotated[
        str | None, typer.Option(help="Page address for the cards.", show_default="this machine's, port 8000")
    ] = None,
    language: InLanguage = None,
) -> None:
    """Make tokens for all who have none. They are shown only once, here or in the files."""
    if page is not None and not page.startswith(("http://", "https://")):
        fail(f"--page takes the address of the page, such as https://bots.school.edu; {page} is not one.")
    for path in filter(None, (file, sheet)):
        if path.exists():
            fail(f"{path} exists already, and its tokens are nowhere else: name another file, or move it away.")
        try:
            # Before any token is made: one that could not be written would be lost.
            write_private(path, "")
            path.unlink()
        except OSError as error:
            fail(f"{path} cannot be written ({error.strerror}); name another file.")
    issued = target.api.post("/roster/tokens", {"only_missing": not everybody})["tokens"]
    if issued and file is not None:
        columns = ("name", "email", "token")
        rows = [[one[column] for column in columns] for one in issued]
        shown = csv_text(columns, rows) if language is None else LANGUAGES[language].csv([columns, *rows])
        write_private(file, shown)
    if issued and sheet is not None:
        about = target.api.get("/about")
        where = (page or target.server or about["page"]).rstrip("/")
        bots = about["bots"] if page is None else bots_beside(where, about["port"])
        write_private(sheet, token_sheet(issued, where, bots, LANGUAGES[language or "en"]))
    if target.as_json or (issued and file is None and sheet is None):
        _print_tokens(target, issued)
    elif issued:
        written = " and ".join(str(path) for path in (file, sheet) if path is not None)
        made = plural(len(issued), "new token is", "new tokens are")
        out.print(f"{made} in {written}, and shown nowhere else.", markup=False)
    if not issued:
        err.print(
            "Everybody has a token, and none can be shown again: 'palestra-server roster reset NAME' makes a new one, "
            "'palestra-server roster tokens --all' new ones for everybody."
        )


def _print_tokens(target: Target, issued: Sequence[dict[str, Any]]) -> None:
    if issued and not target.as_json and sys.stdout.isatty():  # in a file or a pipe it is CSV and nothing else
        out.print("Names and tokens, which are shown only now; each student's bot joins with its own:")
    table = csv_text(("name", "token"), ((one["name"], one["token"]) for one in issued))
    shown = [table.rstrip("\n")] if issued else []
    target.answer({"tokens": issued}, *shown)
