"""`palestra why`: where a match was decided, and what that says about the program."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Annotated, Final

import typer
from rich.console import Console

from palestra_client import crashes, traces
from palestra_client.arena import diagnosed, replaying
from palestra_client.arena.agreement import compared
from palestra_client.arena.contenders import contenders, factory_of
from palestra_client.arena.replaying import NotReplayable, Played
from palestra_client.cli.common import AskedServer, FileOrMatch, TokenOption, give_up
from palestra_client.judges import NO_JUDGE, installed_judge
from palestra_client.others import others_of
from palestra_client.page import ask_match, asked_url, find_page
from palestra_protocol.analysis import Analysis, to_json
from palestra_protocol.english import Language, sentence

NEAR: Final = 200  # matches of a file before and after one, among which those of the same programs are looked for
PLACES: Final = 5  # in which a bot is asked whether its values agree

WAIT_S: Final = 60.0  # for a judge that is at work on the server


def why(
    what: FileOrMatch,
    match: Annotated[str | None, typer.Option(help="Only this match of the file.")] = None,
    server: AskedServer = None,
    token: TokenOption = None,
    bot: Annotated[
        str | None,
        typer.Option(
            help="The loser's program: ask it in up to 5 of its positions and after each two moves from there, about "
            "250 questions. Do its values agree? If not, the fault is in its search, whatever its evaluation."
        ),
    ] = None,
    move_ms: Annotated[int, typer.Option(help="With --bot: its time for each question.", min=1)] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    language: Annotated[
        Language | None, typer.Option(help="Of the sentences: en or es. Default: that of $LANG.", show_default=False)
    ] = None,
) -> None:
    """Why was this match lost? The move that decided it, a better one, and what is wrong with the program.

    The server's judge has the answer where it runs one; else the match is judged here, which needs palestra-bots.
    Moves count from 0, those of the opening included, as on the page and for --ply. `value` is that of the
    position before the move, for who moved: above 0 it is won, at 0 drawn, below 0 lost; with an `estimate` it is not
    proved. `best` is an action that keeps it.
    """
    in_file = replaying.is_file(what)
    found = list(_from_file(what, match) if in_file else _from_server(asked_url(server), what, token))
    if bot is not None and (as_json or len(found) != 1):
        give_up("--bot answers in sentences, about one match: name it with --match, and leave --json out.")
    if as_json:
        typer.echo(b'{"matches":[' + b",".join(_told(analysis) for _, analysis in found) + b"]}")
        return
    spoken = language or _language_here()
    for played, analysis in found:
        where = "" if server is None else f" --server {server}"
        again = f"{what} --match {played.id}" if in_file else f"{what}{where}"
        typer.echo("\n".join((played.headline(spoken), *diagnosed.of_match(played, analysis, again, spoken))))
        # The ids of a file may be an arena's, which has the same ones each time.
        if not in_file and (saved := crashes.newest_of(played.id)) is not None:
            told = {"code": "crash", "file": str(saved[0]), "error": saved[1].error}
            typer.echo(sentence("judge", told, spoken))
    if bot is not None:
        typer.echo(_asked(bot, *found[0], move_ms / 1000, spoken))
    if len(found) > 1:
        typer.echo("\n".join(("", *diagnosed.of_all(found, spoken))))


def _asked(bot: str, played: Played, analysis: Analysis, move_s: float, language: Language) -> str:
    """Whether the values of the loser's program agree, in the positions of this match."""
    decisive, returns = analysis.decisive, played.returns or (0, 0)
    if decisive is None and returns[0] == returns[1]:
        give_up("Nobody lost this match: `palestra replay --ply N --bot BOT --again 5` asks about one position.")
    seat = decisive.seat if decisive is not None else int(returns[0] > returns[1])
    own = [move.ply for move in analysis.moves if move.seat == seat and move.class_ != "forced"]
    own.sort(key=lambda ply: decisive is None or ply != decisive.ply)
    contender = contenders([bot])[0]
    factory = factory_of(contender)
    try:
        found = compared(
            lambda actions: replaying.ask(factory, played, actions, move_s).values,
            played.game,
            played.states(),
            played.actions,
            own[:PLACES],
        )
    except (Exception, SystemExit) as error:
        give_up(f"{contender.name} raises an exception here:\n{traces.report(error)}")
    return sentence("agreement", {"player": contender.name, **found._asdict()}, language)


def _language_here() -> Language:
    """As the C library finds it."""
    chosen = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "es" if chosen.startswith("es") else "en"


def _told(analysis: Analysis) -> bytes:
    """With a decisive move that is null where there is none."""
    told = to_json(analysis)
    return told if analysis.decisive is not None else told[:-1] + b',"decisive":null}'


def _from_file(file: str, match: str | None) -> Iterator[tuple[Played, Analysis]]:
    there = replaying.read(file)
    wanted = there if match is None else replaying.only(there, match, file)
    judge = installed_judge()
    if judge is None:
        raise NotReplayable(NO_JUDGE)
    places = {played.id: place for place, played in enumerate(there)}
    for played in wanted:
        at = places[played.id]
        near = (*there[max(0, at - NEAR) : at][::-1], *there[at + 1 : at + NEAR])  # those before it, the last one first
        yield played, judge(played.told, others_of(played.told, [each.told for each in near]))


def _from_server(url: str, match: str, token: str | None) -> Iterator[tuple[Played, Analysis]]:
    page = find_page(url)
    told = ask_match(page, match, token)
    played = replaying.from_map(told)
    if played.returns is None:
        raise NotReplayable(f"The match {match} still goes on: ask again when it is over.")
    with Console(stderr=True).status("Asking the judge ..."):
        yield played, diagnosed.analysis_of(page, told, token, time.monotonic() + WAIT_S)
