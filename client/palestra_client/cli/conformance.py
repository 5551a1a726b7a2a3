"""`palestra conformance`."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Annotated

import typer
from websockets.exceptions import WebSocketException

from palestra_client.address import server_url
from palestra_client.cli.common import ServerOption, give_up
from palestra_client.conformance import Peer, run
from palestra_client.connection import no_connection


def conformance(
    server: ServerOption = None, as_json: Annotated[bool, typer.Option("--json", help="The results as JSON.")] = False
) -> None:
    """Check a server against PROTOCOL.md, rule by rule: for those who write a server or change ours.

    The server must admit guests. Exits with 0 if every rule is kept.
    """
    url = server_url(server)
    results = []
    _reach(url)
    for result in run(url):
        results.append(result)
        if not as_json:
            mark = "ok" if result.fault is None else "BROKEN"
            typer.echo(f"{mark:>8}  {result.rule.chapter}: {result.rule.says}")
            if result.fault is not None:
                typer.echo(f"{'':8}  {result.fault}")
    broken = sum(result.fault is not None for result in results)
    if as_json:
        rows = [{"chapter": r.rule.chapter, "rule": r.rule.says, "fault": r.fault} for r in results]
        typer.echo(json.dumps({"server": url, "passed": broken == 0, "rules": rows}, indent=1))
    else:
        typer.echo(f"{len(results) - broken} of {len(results)} rules are kept.")
    raise typer.Exit(1 if broken else 0)


def _reach(url: str) -> None:
    """Exits if there is no server at all: otherwise every rule would just repeat that."""
    try:
        with suppress(WebSocketException, EOFError):  # the rules say what is wrong with it
            Peer(url).close()
    except OSError as error:
        give_up(no_connection(url, error))
