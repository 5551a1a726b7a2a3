"""`palestra why`: where a match was decided, and what that says about the program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from palestra_client.arena import diagnosed, replaying
from palestra_client.arena.replaying import NotReplayable, Played
from palestra_client.cli.common import ServerOption, TokenOption, give_up, server_at
from palestra_client.judges import NO_JUDGE, installed_judge
from palestra_client.page import NoAnswer, ask, find_page
from palestra_protocol.analysis import ANALYSIS, Analysis, to_json


def why(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|MATCH",
            help="An export (from a server or `palestra arena --save`), or the id of a match on --server.",
            show_default=False,
        ),
    ],
    match: Annotated[str | None, typer.Option(help="Only this match of the file.")] = None,
    server: ServerOption = None,
    token: TokenOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Why was this match lost? The move that decided it, a better one, and what is wrong with the program.

    The server's judge has the answer where it runs one; else the match is judged here, which needs palestra-bots.
    Moves count from 0, those of the opening included, as on the page and for --ply. `value` is that of the
    position before the move, for who moved: above 0 it is won, at 0 drawn, below 0 lost; with an `estimate` it is not
    proved. `best` is an action that keeps it.
    """
    try:
        found = list(_from_file(Path(what), match) if _is_file(what) else _from_server(server_at(server), what, token))
    except (NotReplayable, NoAnswer) as error:
        give_up(str(error))
    except ValueError as error:  # the judge's own sentence
        give_up(str(error))
    if as_json:
        typer.echo(b'{"matches":[' + b",".join(_told(analysis) for _, analysis in found) + b"]}")
        return
    for played, analysis in found:
        again = f"{what} --match {played.id}" if _is_file(what) else f"{what} --server {server_at(server)}"
        typer.echo("\n".join((played.headline(), *diagnosed.of_match(played, analysis, again))))
    if len(found) > 1:
        typer.echo("\n".join(("", *diagnosed.of_all(found))))


def _told(analysis: Analysis) -> bytes:
    """With a decisive move that is null where there is none."""
    told = to_json(analysis)
    return told if analysis.decisive is not None else told[:-1] + b',"decisive":null}'


def _is_file(what: str) -> bool:
    if Path(what).exists():
        return True
    if Path(what).suffix or "/" in what:
        raise NotReplayable(f"There is no file {what}.")
    return False


def _from_file(file: Path, match: str | None) -> Iterator[tuple[Played, Analysis]]:
    there = replaying.read(file)
    if match is not None and all(played.id != match for played in there):
        raise NotReplayable(f"{file} has no match {match}; `palestra replay {file}` lists them.")
    judge = installed_judge()
    if judge is None:
        raise NotReplayable(NO_JUDGE)
    for played in there:
        if match in (None, played.id):
            yield played, judge(played.told)


def _from_server(url: str, match: str, token: str | None) -> Iterator[tuple[Played, Analysis]]:
    page = find_page(url)
    address = replaying.match_address(page, match)
    told = ask(address, token)
    played = replaying.from_map(told)
    if played.returns is None:
        raise NotReplayable(f"The match {match} still goes on: ask again when it is over.")
    try:
        yield played, ANALYSIS.validate_python(ask(f"{address}/analysis", token))
        return
    except NoAnswer as error:
        if error.status != 404:
            raise
        judge = installed_judge()
        if judge is None:
            raise NotReplayable(f"{error} {NO_JUDGE} --extra-index-url {page}/simple/") from None
    yield played, judge(told)
