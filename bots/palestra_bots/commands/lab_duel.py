"""`palestra-bots lab duel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from palestra_bots.lab.terminal import one_sentence, printer, progress
from palestra_games import get_game
from palestra_protocol.limits import PLY_LIMIT

if TYPE_CHECKING:
    from palestra_bots.lab.duel import Result

_ABOUT = "alphabeta, mtdf or minimax, with depth, move_s, evaluation, ordering: alphabeta:depth=4,evaluation=runs"


def duel(
    game: Annotated[str, typer.Argument(metavar="GAME", help="connect4, connect4-8x8, desconecta4, mancala, ...")],
    first: Annotated[str, typer.Option(metavar="SEARCH", help=_ABOUT)],
    second: Annotated[str, typer.Option(metavar="SEARCH", help="Its opponent, written the same way.")],
    games: Annotated[int, typer.Option(help="Number of games, even.")] = 100,
    opening_plies: Annotated[int, typer.Option(min=0, max=20, help="Random plies before the searches play.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of the random openings.")] = 1,
    ply_limit: Annotated[int, typer.Option(min=1, help="Plies after which a game is a draw.")] = PLY_LIMIT,
) -> None:
    """Let two searches play each other from paired openings: result, Elo difference and error bar."""
    with one_sentence():
        from palestra_bots.lab import duel as duels

        rules = get_game(game)
        players = (duels.read_player(first, rules), duels.read_player(second, rules))
        with progress(f"{game}, {games} games", games) as step:
            result = duels.fight(
                rules, *players, games, opening_plies=opening_plies, seed=seed, ply_limit=ply_limit, step=step
            )
    _print(first, second, result)


def _print(first: str, second: str, result: Result) -> None:
    from palestra_bots.lab.duel import elo

    low, high = result.interval
    console = printer()
    console.print(f"{first} against {second}, {result.games} games: +{result.wins} ={result.draws} -{result.losses}")
    console.print(f"score {result.score:.1%}, 95% interval {low:.1%} to {high:.1%}")
    console.print(f"Elo difference {_elo(elo(result.score))}, 95% interval {_elo(elo(low))} to {_elo(elo(high))}")
    pairs = ", ".join(f"{k / 2:g}: {count}" for k, count in enumerate(result.pairs))
    console.print(f"pairs of games by points {{{pairs}}}")
    if low <= 0.5 <= high:
        console.print("That doesn't show which is better; more games may.")


def _elo(difference: float) -> str:
    return f"{difference:+.0f}"
