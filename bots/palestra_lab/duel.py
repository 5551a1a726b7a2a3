"""`palestra-lab duel`: two searches play pairs of games, each pair from one opening with the seats swapped.

Whatever advantage an opening gives one side, the pair gives to both, so a pair says more than two unrelated games. The
error bar comes from the pairs too: their scores are independent, the games are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

import typer

from palestra_bots import evaluations
from palestra_bots.analysis import ALGORITHMS, ORDERINGS, analyse
from palestra_bots.ladder.play import Chooser, openings, play
from palestra_bots.terminal import one_sentence, printer, progress
from palestra_bots.timeman import Limit
from palestra_client.arena.statistics import estimate
from palestra_games import Game, State, get_game
from palestra_protocol.limits import PLY_LIMIT

OPTIONS: Final = ("depth", "move_s", "evaluation", "ordering")
EXAMPLE: Final = "alphabeta:depth=4,evaluation=runs"
ABOUT: Final = f"alphabeta, mtdf or minimax, with {', '.join(OPTIONS)}: {EXAMPLE}"
N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Searching:
    """A player of a duel: the arguments of `analyse`, and how they were written."""

    text: str
    algorithm: str
    depth: int | None = None
    move_s: float | None = None
    evaluation: str | None = None
    ordering: str | None = None

    def __call__(self, state: State) -> int:
        return analyse(state, self.algorithm, self.depth, self.move_s, self.evaluation, self.ordering).action


def read_player(text: str, game: Game) -> Searching:
    """The player described by "alphabeta:depth=4,evaluation=runs". ValueError, in one sentence, for anything else."""
    algorithm, _, rest = text.partition(":")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"{text!r} names no algorithm; begin with one of {', '.join(ALGORITHMS)}, as in {EXAMPLE}.")
    given: dict[str, str] = {}
    for option in filter(None, rest.split(",")):
        name, equals, value = map(str.strip, option.partition("="))
        if not equals or name not in OPTIONS:
            raise ValueError(
                f"{option!r} is not an option of a search; there are {', '.join(OPTIONS)}, as in {EXAMPLE}."
            )
        if name in given:
            raise ValueError(f"{text!r} gives {name} twice.")
        given[name] = value
    depth = _number(int, "depth", given, "a whole number of plies")
    move_s = _number(float, "move_s", given, "a number of seconds")
    Limit(depth, move_s)
    evaluation, ordering = given.get("evaluation"), given.get("ordering")
    evaluations.get(game.name, evaluation)
    if ordering is not None and ordering not in ORDERINGS:
        raise ValueError(f"There is no ordering {ordering!r}; choose one of {', '.join(ORDERINGS)}.")
    # One ply settles whether the parts go together, and compiles what has to be.
    analyse(game.initial_state(), algorithm, depth=1, evaluation=evaluation, ordering=ordering)
    return Searching(text, algorithm, depth, move_s, evaluation, ordering)


def _number(kind: Callable[[str], N], name: str, given: Mapping[str, str], what: str) -> N | None:
    if name not in given:
        return None
    try:
        return kind(given[name])
    except ValueError:
        raise ValueError(f"{name} is {what}, not {given[name]!r}.") from None


Pair = tuple[float, float]  # the first player's scores (1, 1/2 or 0) in two games from one opening, seats swapped


def fight(
    game: Game,
    first: Chooser,
    second: Chooser,
    games: int,
    *,
    opening_plies: int,
    seed: int,
    ply_limit: int,
    step: Callable[[], None] = lambda: None,
) -> list[Pair]:
    """Plays `games` games (an even number); `step` is called after each. ValueError if there are too few openings."""
    if games < 2 or games % 2:
        raise ValueError(f"Games come in pairs, with the seats swapped: play 2 or any other even number, not {games}.")
    pairs = []
    for opening in openings(game, games // 2, opening_plies, seed):
        with_seat_0, _ = play(game, (first, second), opening, ply_limit)
        step()
        with_seat_1, _ = play(game, (second, first), opening, ply_limit)
        step()
        pairs.append((with_seat_0, 1 - with_seat_1))
    return pairs


def duel(
    game: Annotated[str, typer.Argument(metavar="GAME", help="connect4, connect4-8x8, desconecta4, mancala, ...")],
    first: Annotated[str, typer.Option(metavar="SEARCH", help=ABOUT)],
    second: Annotated[str, typer.Option(metavar="SEARCH", help="Its opponent, written the same way.")],
    games: Annotated[int, typer.Option(help="Number of games, even.")] = 100,
    opening_plies: Annotated[int, typer.Option(min=0, max=20, help="Random plies before the searches play.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of the random openings.")] = 1,
    ply_limit: Annotated[int, typer.Option(min=1, help="Plies after which a game is a draw.")] = PLY_LIMIT,
) -> None:
    """Let two searches play each other from paired openings: result, Elo difference and error bar."""
    with one_sentence():
        rules = get_game(game)
        players = (read_player(first, rules), read_player(second, rules))
        with progress(f"{game}, {games} games", games) as step:
            pairs = fight(
                rules, *players, games, opening_plies=opening_plies, seed=seed, ply_limit=ply_limit, step=step
            )
    _print(first, second, pairs)


def _print(first: str, second: str, pairs: list[Pair]) -> None:
    found = estimate(sum(pair) / 2 for pair in pairs)
    assert found is not None  # there is a pair
    counts = Counter(score for pair in pairs for score in pair)
    points = Counter(map(sum, pairs))
    elo, low, high = found.elo
    console = printer()
    console.print(f"{first} against {second}, {2 * len(pairs)} games: +{counts[1]} ={counts[0.5]} -{counts[0]}")
    console.print(f"score {found.score:.1%}, 95% interval {found.low:.1%} to {found.high:.1%}")
    console.print(f"Elo difference {elo:+.0f}, 95% interval {low:+.0f} to {high:+.0f}")
    console.print(f"pairs of games by points {{{', '.join(f'{k / 2:g}: {points[k / 2]}' for k in range(5))}}}")
    if found.low <= 0.5 <= found.high:
        console.print("That doesn't show which is better; more games may.")
