"""`palestra versions`: whether a bot's new version is better than the one before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import typer

from palestra_client.cli.common import AskedServer, TokenOption, give_up
from palestra_client.page import ask, asked_url, find_page
from palestra_protocol.english import plural


def versions(
    player: Annotated[str, typer.Argument(metavar="NAME", help="Whose versions.", show_default=False)],
    older: Annotated[str | None, typer.Option(help="Compare this version ...", show_default="the one before")] = None,
    newer: Annotated[str | None, typer.Option(help="... with this one.", show_default="the newest")] = None,
    server: AskedServer = None,
    token: TokenOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Is the new version of a bot better? All versions with their scores, and two of them compared.

    A version is what `palestra join --version` says, else what git says of the bot's folder, else a hash of the bot.
    """
    asked = urlencode({name: value for name, value in (("older", older), ("newer", newer)) if value is not None})
    found = ask(f"{find_page(asked_url(server))}/api/v1/players/{quote(player, safe='')}/versions?{asked}", token)
    unknown = {older, newer} - {None} - {each["version"] for each in found["versions"]}
    if found["versions"] and unknown:
        known = ", ".join(each["version"] for each in found["versions"])
        give_up(f"No match of {player} has the version {' or '.join(sorted(map(str, unknown)))}: there are {known}.")
    typer.echo(json.dumps(found) if as_json else "\n".join(_lines(player, found)))


def _lines(player: str, found: dict[str, Any]) -> Iterator[str]:
    if not found["versions"]:
        yield f"No match of {player} has a version."
    for each in found["versions"]:
        share = f"{each['score']:4.0%} ({each['low']:.0%} to {each['high']:.0%})"
        yield f"{each['version']:<20} {plural(each['matches'], 'match', 'matches'):>13}  {share}"
    compared = found["compared"]
    if compared is None:
        return
    better = f"{compared['difference']:+.0%} a match ({compared['low']:+.0%} to {compared['high']:+.0%})"
    sure = "more" if compared["low"] > 0 else "less" if compared["high"] < 0 else "perhaps more, perhaps less"
    how = "opening, seat and opponent the same" if compared["paired"] else "all matches, whoever the opponents were"
    yield f"{compared['newer']} scores {sure} than {compared['older']}: {better}; {how}."
    for each in compared["partings"]:
        yield (
            f"{each['game']}: at ply {each['ply']} {compared['older']} plays {each['older']} ({each['older_match']}), "
            f"{compared['newer']} {each['newer']} ({each['newer_match']})."
        )
