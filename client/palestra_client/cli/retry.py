"""`palestra retry`: play a lost match again from one of its positions."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from palestra_client.arena import replaying
from palestra_client.arena.contenders import Contender, contenders
from palestra_client.arena.fixtures import Fixture, Result, Settings
from palestra_client.arena.replaying import Played
from palestra_client.arena.report import faults
from palestra_client.arena.running import Arena
from palestra_client.cli.common import AskedServer, FileOrMatch, TokenOption, give_up
from palestra_client.cli.replay import find
from palestra_protocol.english import plural
from palestra_protocol.reference_bots import REFERENCE_BOTS


def retry(
    what: FileOrMatch,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A file (mybot.py), a module or a program's command.")],
    ply: Annotated[int, typer.Option(help="Play on before this move, as the side that is to move there.", min=0)],
    match: Annotated[str | None, typer.Option(help="Which match of the file.")] = None,
    then: Annotated[str, typer.Option(help="Who plays on when the recorded moves don't fit any more.")] = "level3",
    move_ms: Annotated[int, typer.Option(help="Time for each move, in milliseconds.", min=1)] = 2000,
    server: AskedServer = None,
    token: TokenOption = None,
) -> None:
    """Play on from a position of a match, against the recorded moves as long as they fit, then a level.

    As often as you like: the record stays as it is.
    """
    played = find(what, match, server, token)
    if played is None:
        return
    states = played.states()
    if then not in REFERENCE_BOTS:
        give_up(f"'{then}' is none of the reference bots: {', '.join(REFERENCE_BOTS)}.")
    mine, _ = contenders([bot, then])  # which says it where palestra-bots is not installed
    if ply >= len(states) or states[ply].returns() is not None:
        give_up(f"There is nothing to play before move {ply}: this match has {plural(len(played.actions), 'move')}.")
    seat = states[ply].to_move
    result = _play(mine, played, ply, seat, then, move_ms)
    assert result.finished is not None
    again = replaying.from_map(result.finished.entry())
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
    asyncio.run(arena.play([Fixture(1, pair, played.actions[:ply], single=True)]))
    return results[0]
