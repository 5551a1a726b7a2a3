"""A duel: two searches play pairs of games, each pair from one opening with the seats swapped.

Whatever advantage an opening gives one side, the pair gives to both, so a pair says more than two unrelated games. The
error bar comes from the pairs too: their scores (0, 1/2, 1, 3/2 or 2 points) are independent, the games are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from palestra_bots.analysis import ALGORITHMS, ORDERINGS, analyse
from palestra_bots.lab.play import Chooser, openings, play
from palestra_bots.lab.terminal import evaluation_of
from palestra_bots.timeman import Limit
from palestra_games import Game, State

Z95: Final = 1.959964  # standard deviations either side that hold 95% of a normal distribution

OPTIONS: Final = ("depth", "move_s", "evaluation", "ordering")
EXAMPLE: Final = "alphabeta:depth=4,evaluation=runs"
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
    evaluation_of(game, evaluation)
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


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a duel, from the first player's view. `pairs[k]` counts the pairs with k/2 points (k = 0 to 4)."""

    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int, int, int]

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game: 1 for all won, 1/2 for equal."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of the score.

        Wilson's interval for as many independent games as would give the variance that the pairs show (the
        effective sample size of surveys: Korn and Graubard 1998). Where the plain bar, 1.96 standard errors of the
        pairs' mean, is sound, this is the same; but it stays between 0 and 1, and does not shrink to nothing when
        all pairs ended alike: for that the variance counts one more pair won and one more lost.
        """
        pairs = sum(self.pairs)
        counts = [self.pairs[0] + 1, *self.pairs[1:4], self.pairs[4] + 1]
        mean = sum(count * k / 4 for k, count in enumerate(counts)) / (pairs + 2)
        variance = sum(count * (k / 4 - mean) ** 2 for k, count in enumerate(counts)) / (pairs + 1)
        effective = pairs * mean * (1 - mean) / variance
        z2 = Z95**2 / effective
        middle = (self.score + z2 / 2) / (1 + z2)
        reach = math.sqrt(z2 * self.score * (1 - self.score) + z2**2 / 4) / (1 + z2)
        return max(0.0, middle - reach), min(1.0, middle + reach)


def elo(score: float) -> float:
    """The difference in Elo points that a score per game shows; infinite for 0 and 1."""
    if not 0 < score < 1:
        return math.inf if score > 0 else -math.inf
    return 400 * math.log10(score / (1 - score))


def result(pair_scores: Sequence[tuple[float, float]]) -> Result:
    """The result of pairs of games, each as the first player's scores (1, 1/2 or 0) in the two games."""
    games = [score for pair in pair_scores for score in pair]
    counts = [0] * 5
    for pair in pair_scores:
        counts[round(2 * sum(pair))] += 1
    lost_all, one_draw, even, three, won_all = counts
    return Result(games.count(1), games.count(0.5), games.count(0), (lost_all, one_draw, even, three, won_all))


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
) -> Result:
    """Plays `games` games (an even number); `step` is called after each. ValueError if there are too few openings."""
    if games < 2 or games % 2:
        raise ValueError(f"Games come in pairs, with the seats swapped: play 2 or any other even number, not {games}.")
    scores = []
    for opening in openings(game, games // 2, opening_plies, seed):
        with_seat_0, _ = play(game, (first, second), opening, ply_limit)
        step()
        with_seat_1, _ = play(game, (second, first), opening, ply_limit)
        step()
        scores.append((with_seat_0, 1 - with_seat_1))
    return result(scores)
