"""`palestra replay`."""

from __future__ import annotations

from typing import Annotated

import typer

from palestra_client import traces
from palestra_client.arena import replaying
from palestra_client.arena.contenders import contenders, factory_of
from palestra_client.arena.replaying import Answer, Played
from palestra_client.cli.common import AskedServer, FileOrMatch, TokenOption, give_up
from palestra_client.page import asked_url, find_page
from palestra_games import IllegalAction, State, get_game
from palestra_protocol.english import plural, sentence


def replay(
    what: FileOrMatch,
    match: Annotated[str | None, typer.Option(help="Which match of the file.")] = None,
    ply: Annotated[
        int | None,
        typer.Option(help="Only the position before this move, as the page numbers them: the first is 0.", min=0),
    ] = None,
    line: Annotated[
        str | None, typer.Option(help="With --ply: step through these actions, such as 3,0,5, in place of the match's.")
    ] = None,
    bot: Annotated[
        str | None, typer.Option(help="With --ply: put this bot there, and see what it chooses and why.")
    ] = None,
    again: Annotated[
        int, typer.Option(help="With --bot: how many times to ask, each time anew: is its answer the same?", min=1)
    ] = 1,
    move_ms: Annotated[int, typer.Option(help="With --bot: its time, in milliseconds.", min=1)] = 2000,
    server: AskedServer = None,
    token: TokenOption = None,
) -> None:
    """Show a match that was played, or put a bot into one of its positions: why did it do that?"""
    played = find(what, match, server, token)
    if played is None:
        return
    states = played.states()
    if ply is not None and ply >= len(states):
        give_up(f"This match has {plural(len(states) - 1, 'move')}: --ply goes from 0 to {len(states) - 1}.")
    if (bot or line) is not None and ply is None:
        give_up("Say with --ply where to put the bot, or where the line begins.")
    if ply is None:
        _show_all(played, states)
        return
    typer.echo(f"{played.headline()}\nbefore move {ply}:\n{states[ply]}")
    if line is not None:
        _show_line(line, played, states[ply], ply)
    elif ply < len(states) - 1:
        typer.echo(f"played was {replaying.move_line(played, ply)}")
    if bot is not None:
        answers = [_ask(bot, played, states, ply, move_ms / 1000) for _ in range(again)]
        if again > 1:
            other = replaying.contradictions(answers)
            typer.echo(sentence("judge", {"code": "unsteady" if other else "steady", "other": other, "asked": again}))


def find(what: str, match: str | None, server: str | None, token: str | None) -> Played | None:
    """The match to show; if the file has several, lists them and returns None."""
    if not replaying.is_file(what):
        return replaying.fetch(find_page(asked_url(server)), what, token)
    there = replaying.read(what, match)
    if len(there) == 1:
        return there[0]
    for played in there:
        typer.echo(played.headline())
    typer.echo(f"Say which: palestra replay {what} --match {there[0].id}" if there else f"{what} has no match.")
    return None


def _show_all(played: Played, states: list[State]) -> None:
    typer.echo(f"{played.headline()}\n{states[0]}")
    for ply, state in enumerate(states[1:]):
        typer.echo(f"\n{replaying.move_line(played, ply)}\n{state}")
    typer.echo(f"\n{played.detail}")


def _show_line(line: str, played: Played, state: State, ply: int) -> None:
    game = get_game(played.game)
    try:
        for number, action in enumerate(map(int, line.split(",")), ply):
            who, state = played.players[state.to_move], state.apply(action)
            typer.echo(f"\nmove {number}: {who} {game.action_name(action)}\n{state}")
    except IllegalAction as error:
        give_up(f"--line: {error}")
    except ValueError:
        give_up("--line takes actions as numbers with commas between them, such as 3,0,5.")
    returns = state.returns()
    if returns is None:
        typer.echo("\nHere the line ends, and the game goes on.")
    elif returns[0] == returns[1]:
        typer.echo("\nHere the game ends in a draw.")
    else:
        typer.echo(f"\nHere {played.players[returns[0] < returns[1]]} wins.")


def _ask(bot: str, played: Played, states: list[State], ply: int, move_s: float) -> Answer:
    legal = states[ply].legal_actions()
    if not legal:
        give_up("The game is over in this position.")
    contender = contenders([bot])[0]
    factory = factory_of(contender)
    try:
        answer = replaying.ask(factory, played, played.actions[:ply], move_s)
    except (Exception, SystemExit) as error:
        give_up(f"{contender.name} raises an exception here:\n{traces.report(error)}")
    game = get_game(played.game)
    if answer.action not in legal:
        shown = ", ".join(f"{action} ({game.action_name(action)})" for action in legal)
        give_up(f"{contender.name} chose {answer.action}, which is not legal; legal are {shown}.")
    said = "" if answer.info is None else replaying.search_words(played.game, answer.info.model_dump())
    chosen = f"{game.action_name(answer.action)} (action {answer.action})"
    typer.echo(f"{contender.name} chooses {chosen} after {answer.took_s:.3f} s{said and '; ' + said}")
    return answer
