"""`palestra retry`: play a lost match again from one of its positions."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from palestra_client.arena import replaying
from palestra_client.arena.contenders import Contender, NoContender, contenders
from palestra_client.arena.fixtures import Fixture, Result, Settings
from palestra_client.arena.replaying import NotReplayable, Played
from palestra_client.arena.report import faults
from palestra_client.arena.running import Arena
from palestra_client.cli.common import ServerOption, TokenOption, give_up
from palestra_client.cli.replay import find
from palestra_client.joining import INTERRUPTED
from palestra_client.page import NoAnswer
from palestra_games import get_game
from palestra_protocol.reference_bots import REFERENCE_BOTS


def retry(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|MATCH",
            help="An export (from a server or `palestra arena --save`), or the id of a match on --server.",
            show_default=False,
        ),
    ],
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A file (mybot.py), a module or a program's command.")],
    ply: Annotated[int, typer.Option(help="Play on before this move, as the side that is to move there.", min=0)],
    match: Annotated[str | None, typer.Option(help="Which match of the file.")] = None,
    then: Annotated[str, typer.Option(help="Who plays on when the recorded moves don't fit any more.")] = "level3",
    move_ms: Annotated[int, typer.Option(help="Time for each move, in milliseconds.", min=1)] = 2000,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Play on from a position of a match, against the recorded moves as long as they fit, then a level.

    As often as you like: the record stays as it is.
    """
    try:
        played = find(what, match, server, token)
        if played is None:
            return
        states = played.states()
        mine = contenders([bot])[0]
    except (NotReplayable, NoAnswer, NoContender) as error:
        give_up(str(error))
    if ply >= len(states) or states[ply].returns() is not None:
        give_up(f"There is nothing to play before move {ply}: this match has {len(played.actions)} moves.")
    if then not in REFERENCE_BOTS:
        give_up(f"'{then}' is none of the reference bots: {', '.join(REFERENCE_BOTS)}.")
    seat = states[ply].to_move
    result = _play(mine, played, ply, seat, then, move_ms)
    again = _played(result, played)
    typer.echo(f"{played.headline()}\nfrom move {ply} on, as {played.players[seat]}:\n{states[ply]}")
    for number in range(ply, len(again.actions)):
        typer.echo(replaying.move_line(again, number))
    typer.echo(f"{again.states()[-1]}\n{again.detail}")
    for line in faults((mine,), [result._replace(seats=(0, 1) if seat == 0 else (1, 0))]):
        typer.echo(line)
    words = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
    before = "not over" if played.returns is None else words[(1 + played.returns[seat]) / 2]
    typer.echo(f"This time it is {words[(1 + result.returns[seat]) / 2]}; it was {before}.")


def _play(mine: Contender, played: Played, ply: int, seat: int, then: str, move_ms: int) -> Result:
    line = ",".join(map(str, played.actions))
    target = ("palestra_client.arena.recorded:Recorded", "--line", line, "--then", then)
    other = Contender(played.players[1 - seat], "python", target)
    pair = (0, 1) if seat == 0 else (1, 0)
    results: list[Result] = []
    arena = Arena((mine, other), Settings(played.game, move_ms=move_ms), results.append)
    try:
        asyncio.run(arena.play([Fixture(1, pair, played.actions[:ply], single=True)]))
    except NoContender as error:
        give_up(str(error))
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    return results[0]


def _played(result: Result, before: Played) -> Played:
    """The new match, in the form in which others are shown."""
    assert result.finished is not None
    match, game = result.finished.match, get_game(before.game)
    moves = tuple(
        {
            "action": move.action,
            "seat": move.seat,
            "charged_ms": move.charged_ns / 1e6,
            "info": move.info,
            "name": game.action_name(move.action),
        }
        for move in match.moves
    )
    config, outcome = match.config, result.outcome
    return Played(
        before.id, before.game, config.players, config.opening, moves, outcome.returns, outcome.reason, outcome.detail
    )
