"""`palestra doctor`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Annotated

import typer

from palestra_client.address import play_url
from palestra_client.arena.contenders import contenders
from palestra_client.cli.common import give_up
from palestra_client.doctor.examination import CHECKS, SERVER_CHECKS, examine
from palestra_client.doctor.findings import Finding, Report
from palestra_client.doctor.network import Line, measure
from palestra_client.page import NoAnswer, ask, find_page
from palestra_games import game_names, get_game


def doctor(
    bot: Annotated[
        str | None,
        typer.Argument(
            metavar="BOT",
            help="A file (mybot.py), a folder of `palestra new`, module:Class, or a program's command in quotes; with "
            "{url} and {token} in it for one that connects by itself.",
            show_default=False,
        ),
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option(metavar="GAME", help="A game to play; repeat it for more. Default: every game.")
    ] = None,
    move_ms: Annotated[int, typer.Option(help="Time for each move, in milliseconds.", min=50)] = 2000,
    seconds: Annotated[float, typer.Option(help="Time limit of each of the longer checks.", min=1)] = 20.0,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHECK",
            help=f"Run only this check ({', '.join(name for name, _ in (*CHECKS, *SERVER_CHECKS))}). May be repeated.",
        ),
    ] = None,
    server: Annotated[str | None, typer.Option(help="Measure the line to this server, with or without a bot.")] = None,
    token: Annotated[
        str | None, typer.Option(help="With --server: tell it that your bot passed. Default: $PALESTRA_TOKEN.")
    ] = None,
    wire: Annotated[
        bool,
        typer.Option(
            "--wire",
            help="The bot is a program that connects by itself: it is started with the address and a token as its last "
            "words, or where {url} and {token} stand.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON.")] = False,
) -> None:
    """Find out what is wrong with a bot before a match does: put it through everything a server may do to it.

    Exits with 0 if nothing was found that could lose a match.
    """
    if wire and bot is not None and "{url}" not in bot:
        bot += " {url} {token}"
    if bot is None and (wire or server is None):
        give_up("Name your bot, as in `palestra doctor mybot.py`, or a --server.")
    url = None if server is None else play_url(server)
    contender = None if bot is None else contenders([bot])[0]
    for name in game or ():
        get_game(name)
    names = [name for name, _ in (*CHECKS, *SERVER_CHECKS)]
    for name in set(only or ()).difference(names):
        give_up(f"There is no check '{name}' to run alone; there are {', '.join(names)}.")
    line = None if url is None else asyncio.run(measure(url))
    token = token or os.environ.get("PALESTRA_TOKEN")
    page = None
    if url is not None and token and contender is not None and only is None:
        page = find_page(url)
        ask(f"{page}/api/v1/session", token)  # whether it knows the token: the check takes a minute

    on_terminal = sys.stderr.isatty() and not as_json

    def told(finding: Finding) -> None:
        # One line that is overwritten; the report has them all.
        if on_terminal:
            typer.echo(f"\r\x1b[2K  {'FAILED' if finding.failed else 'ok'}  {finding.check}", err=True, nl=False)

    report: Report | None = None
    if contender is not None:
        examination = examine(
            contender,
            game or game_names(),
            move_ms=move_ms,
            seconds=seconds,
            all_games=bool(game),
            only=only,
            told=told,
        )
        try:
            report = asyncio.run(examination)
        finally:
            if on_terminal:
                typer.echo("\r\x1b[2K", err=True, nl=False)
    _show(report, line, move_ms, as_json=as_json)
    if page is not None and token and report is not None and report.passed:
        try:
            ask(f"{page}/api/v1/readiness", token, {"games": report.games, "passed": report.passed})
        except NoAnswer as error:
            give_up(f"The server was not told: {error}")
        typer.echo(f"{page} now knows that you are ready: {', '.join(report.games)}.", err=as_json)
    raise typer.Exit(0 if report is None or report.passed else 1)


def _show(report: Report | None, line: Line | None, move_ms: int, *, as_json: bool) -> None:
    if as_json:
        content = {} if report is None else report.to_json()
        if line is not None:
            content["line"] = {
                "median_ms": line.median_ms,
                "worst_ms": line.worst_ms,
                "jitter_ms": line.jitter_ms,
                "stop_at_s": line.stop_at_s(move_ms),
            }
        typer.echo(json.dumps(content, indent=1))
        return
    for text in (*([] if line is None else line.lines(move_ms)), *([] if report is None else ["", *report.lines()])):
        typer.echo(text)
