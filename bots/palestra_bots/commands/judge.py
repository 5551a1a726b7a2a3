"""`palestra-bots judge`: a client of a server's API that judges its matches as they end."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Annotated, Final

import typer

from palestra_bots.judge.chances import CURVES
from palestra_bots.judge.live import live_value
from palestra_bots.judge.matches import Unjudgeable, judge
from palestra_bots.terminal import give_up
from palestra_client.others import earlier_of
from palestra_client.page import NoAnswer, ask, match_address
from palestra_protocol.analysis import to_json

NICENESS: Final = 19
PAUSE_S: Final = 2.0  # between two looks for matches that have ended
LIVE_PAUSE_S: Final = 0.3  # for the next move of a match that is judged while it is played
BACK_OFF_S: Final = 60.0  # the longest pause while the server doesn't answer
REFUSED: Final = (401, 403, 404, 405)


def judge_matches(
    server: Annotated[str, typer.Option(help="Address of the server's page: http://HOST:8000.")],
    key: Annotated[str, typer.Option(envvar="PALESTRA_ADMIN_KEY", help="The teacher's key.")],
    once: Annotated[bool, typer.Option("--once", help="End when every match has been judged.")] = False,
) -> None:
    """Judge the matches of a server, the newest first, and go on as matches end; several judges share the work."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    page = server.rstrip("/")
    if not page.startswith(("http://", "https://")):
        give_up(f"--server takes the address of the page, such as http://HOST:8000; {server} is not one.")
    pause = PAUSE_S
    try:
        while True:
            try:
                work = ask(f"{page}/api/v1/judging", key, {"games": sorted(CURVES)})
                if (live := work["live"]) is not None:
                    value = live_value(live["game"], live["actions"]).model_dump(mode="json")
                    ask(f"{match_address(page, live['match'])}/value", key, value, "PUT")
                elif (match := work["match"]) is not None:
                    _judge(page, key, match)
                idle, pause = live is None and match is None, LIVE_PAUSE_S if work["soon"] else PAUSE_S
            except NoAnswer as why:
                if why.status in REFUSED:
                    give_up(str(why))
                typer.echo(str(why), err=True)
                idle, pause = True, min(2 * max(pause, PAUSE_S), BACK_OFF_S)
            if idle:
                if once:
                    return
                time.sleep(pause)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _judge(page: str, key: str, match: str) -> None:
    at = match_address(page, match)
    began = time.process_time()
    try:
        told = ask(f"{at}?hidden=show", key)
        analysis = judge(told, earlier_of(page, told, key))
    except Unjudgeable as why:
        typer.echo(f"{match}: {why}", err=True)  # it is not offered again for a while, and then to another judge
        return
    ask(f"{at}/analysis?hidden=show", key, json.loads(to_json(analysis)), "PUT")
    where = "no decisive move" if analysis.decisive is None else f"decided at move {analysis.decisive.ply}"
    typer.echo(f"{match} {analysis.game}: {where}, {analysis.nodes} nodes, {time.process_time() - began:.2f} s")
    sys.stdout.flush()
