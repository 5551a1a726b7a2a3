"""`palestra-server roster`: the class list, tokens, who may play."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.table import Table

from palestra_server.cli.admin import Admin, admin
from palestra_server.cli.output import AsJson, Data, Database, Key, ServerUrl, err, fail, out, print_json, settings_from
from palestra_server.cli.token_sheet import token_sheet
from palestra_server.text import NotText, decode
from palestra_server.web.keys import write_private

app = typer.Typer(help="Who may play: the class list and the tokens.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A player, as 'roster list' writes the name.")]


def _house(
    data: Path | None, database: str | None, server: str | None, key: str | None, *, make: bool = False
) -> AbstractContextManager[Admin]:
    return admin(settings_from(data=data, database=database), server, key, make=make)


def _path(name: str, tail: str = "") -> str:
    return f"/roster/{quote(name, safe='')}{tail}"


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV: name, e-mail, group, in any order; - for standard input.")],
    check: Annotated[bool, typer.Option("--check", help="Only say what would change.")] = False,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Take a class list in; whoever is not in it stays. The same list again changes nothing."""
    try:
        text = decode(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes())
    except FileNotFoundError:
        fail(f"There is no file {file}; look for a typing error.")
    except OSError as error:
        fail(f"{file} cannot be read ({error.strerror}).")
    except NotText as error:
        fail(f"{file}: {error}")
    with _house(data, database, server, key, make=True) as house:
        result = house.post("/roster/import", {"text": text, "apply": not check})
        problems = result["problems"]
        if as_json:
            print_json(result)
        else:
            for problem in problems:
                err.print(f"line {problem['line']}: {problem['message']}", markup=False)
            for kind in ("added", "changed"):
                if result[kind]:
                    out.print(f"{kind.capitalize()}: {', '.join(result[kind])}", markup=False)
            counts = ", ".join(f"{len(result[kind])} {kind}" for kind in ("added", "changed", "unchanged"))
            out.print(f"{counts}{' (nothing was written)' if check else ''}.")
            if result["added"] and not check:
                out.print("Give out tokens with 'palestra-server roster tokens --out tokens.csv --sheet tokens.html'.")
        if problems:
            raise typer.Exit(1)


@app.command()
def add(
    names: Annotated[list[str], typer.Argument(help="Names; a file with names goes in by 'roster import'.")],
    email: Annotated[str, typer.Option(help="E-mail, for one name.")] = "",
    group: Annotated[str, typer.Option(help="Group.")] = "",
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Add players and print their tokens: name,token. They are shown this once; who has one keeps it."""
    for name in names:
        if Path(name).is_file() or Path(name).suffix.lower() in (".csv", ".txt", ".xlsx", ".ods", ".tsv"):
            fail(f"{name} looks like a file: a list of players goes in by 'palestra-server roster import {name}'.")
    if email and len(names) > 1:
        fail("--email goes with one name; a list goes in by 'palestra-server roster import'.")
    with _house(data, database, server, key, make=True) as house:
        there = {player["name"]: player["has_token"] for player in house.get("/roster")["players"]}
        for name in dict.fromkeys(names):
            if there.get(name):
                err.print(f"{name} has a token already; 'roster reset' makes a new one.", markup=False)
            elif name not in there:
                house.post("/roster", {"name": name, "email": email, "group": group})
        # Those of a call that broke off half-way, too.
        _print_tokens(house.post("/roster/tokens", {"names": names})["tokens"], as_json)


@app.command("list")
def list_(
    data: Data = None, database: Database = None, server: ServerUrl = None, key: Key = None, as_json: AsJson = False
) -> None:
    """Who is on the roster, in which group, who is here, and who is ready."""
    with _house(data, database, server, key) as house:
        players = house.get("/roster")["players"]
        if as_json:
            print_json({"players": players})
            return
        table = Table("name", "group", "e-mail", "token", "here", "ready", box=None, pad_edge=False)
        for player in players:
            ready = ", ".join(game for game, passed in player["ready"].items() if passed)
            token = "banned" if player["banned"] else "yes" if player["has_token"] else "none yet"
            here = "yes" if player["online"] else ("no" if house.live else "")
            table.add_row(*map(_plain, (player["name"], player["group"], player["email"], token, here, ready)))
        out.print(table)
        without = sum(not player["has_token"] for player in players)
        out.print(f"{len(players)} players, {without} without a token.")


@app.command()
def remove(name: Name, data: Data = None, database: Database = None, server: ServerUrl = None, key: Key = None) -> None:
    """Take a player off the roster; what was played stays in the records."""
    with _house(data, database, server, key) as house:
        house.delete(_path(name))
        out.print(f"{name} is off the roster.", markup=False)


@app.command()
def rename(
    name: Name,
    new: Annotated[str, typer.Argument(help="The new name.")],
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
) -> None:
    """Give a player another name; the token stays good, and what was played keeps the old name."""
    with _house(data, database, server, key) as house:
        out.print(f"{name} is {house.patch(_path(name), {'name': new})['name']} now.", markup=False)


@app.command()
def reset(
    name: Name,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Make a new token for a player and print it: name,token. The old one is worth nothing from now on."""
    with _house(data, database, server, key) as house:
        _print_tokens([house.post(_path(name, "/token"))], as_json)


@app.command()
def ban(name: Name, data: Data = None, database: Database = None, server: ServerUrl = None, key: Key = None) -> None:
    """Keep a player out, from this moment on."""
    with _house(data, database, server, key) as house:
        house.patch(_path(name), {"banned": True})
        out.print(f"{name} is kept out; 'palestra-server roster unban' lets in again.", markup=False)


@app.command()
def unban(name: Name, data: Data = None, database: Database = None, server: ServerUrl = None, key: Key = None) -> None:
    """Let a banned player in again, with the token from before."""
    with _house(data, database, server, key) as house:
        house.patch(_path(name), {"banned": False})
        out.print(f"{name} may play again.", markup=False)


@app.command()
def tokens(
    file: Annotated[Path | None, typer.Option("--out", help="CSV for a mail merge: name,email,token.")] = None,
    sheet: Annotated[Path | None, typer.Option(help="HTML to print: one card for each student.")] = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="New ones for everybody: those that were given out end.")
    ] = False,
    page: Annotated[
        str | None, typer.Option(help="Page address for the cards.", show_default="this machine's, port 8000")
    ] = None,
    data: Data = None,
    database: Database = None,
    server: ServerUrl = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Make tokens for all who have none; they are told this once, here or in the files."""
    for path in filter(None, (file, sheet)):
        try:
            # Before any token is made: one that could not be written down would be lost.
            write_private(path, "")
        except OSError as error:
            fail(f"{path} cannot be written ({error.strerror}); name another file.")
    with _house(data, database, server, key) as house:
        issued = house.post("/roster/tokens", {"only_missing": not everybody})["tokens"]
        if file is not None:
            write_private(file, tokens_csv(issued, ("name", "email", "token")))
        if sheet is not None:
            about = house.get("/about")
            write_private(sheet, token_sheet(issued, (page or server or about["page"]).rstrip("/"), about["bots"]))
        if as_json or (file is None and sheet is None):
            _print_tokens(issued, as_json)
        else:
            written = " and ".join(str(path) for path in (file, sheet) if path is not None)
            out.print(f"{len(issued)} new tokens are in {written}; they are shown nowhere else.", markup=False)
        if not issued:
            err.print("Everybody has a token; 'roster reset NAME' makes a new one, '--all' new ones for everybody.")


def tokens_csv(issued: Iterable[dict[str, Any]], columns: Sequence[str]) -> str:
    """A header and a line for each, LF at the end of all."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(issued)
    return text.getvalue()


def _print_tokens(issued: Sequence[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({"tokens": issued})
    else:
        out.print(tokens_csv(issued, ("name", "token")), end="", markup=False, highlight=False, emoji=False)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
