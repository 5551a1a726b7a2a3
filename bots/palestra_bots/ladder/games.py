"""The games of the ladder: the very bots that `palestra join palestra_bots:level4` lets play, in one process."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from palestra_bots.bots import SearchBot
from palestra_bots.registry import Factory
from palestra_bots.timeman import Limit
from palestra_client import Bot, Match, Turn
from palestra_client.arena.openings import drawn
from palestra_games import Game, Seat, State, positions
from palestra_protocol.limits import PLY_LIMIT
from palestra_tournament.davidson import Floats, Games

CLOCK_S: Final = 60.0  # on the clock for a move: more than any level wants, so that each is as strong as its name says
# Random plies before the levels play, or those without chance in them would play one game again and again.
OPENING_PLIES: Final = 4


Chooser = Callable[[State], int]  # a player: the action for a position in play
Score = float  # 1 for a win, 1/2 for a draw, 0 for a loss


def play(
    game: Game, players: tuple[Chooser, Chooser], opening: Sequence[int], ply_limit: int = PLY_LIMIT
) -> tuple[Score, tuple[int, ...]]:
    """Plays one game on from `opening`; `players[0]` has seat 0. Its score for seat 0, and all actions.

    After `ply_limit` plies, those of the opening included, it is a draw.
    """
    state, actions = positions(game, opening)[-1], list(opening)
    while (result := state.returns()) is None and len(actions) < ply_limit:
        actions.append(players[state.to_move](state))
        state = state.apply(actions[-1])
    first, second = result or (0.0, 0.0)
    return 0.5 + 0.5 * ((first > second) - (first < second)), tuple(actions)


def seated(bot: Bot, game: Game, seat: Seat, names: tuple[str, str], match_id: str = "ladder") -> Chooser:
    """A bot as a player of `play`: warmed up, and told of its match like in a real one."""
    match = Match(
        id=match_id, game=game.name, seat=seat, players=names, move_s=CLOCK_S, grace_s=0.0, ready_s=CLOCK_S, away_s=0.0
    )
    bot.warm_up(game)
    bot.on_start(match)

    def choose(state: State) -> int:
        return operator.index(bot.choose(Turn.now(match, state, 0)))

    return choose


def scaled(make: Factory, move_scale: float) -> Bot:
    """A bot for one game; one that plays by the clock takes `move_scale` times as long as usual for a move."""
    bot = make()
    if isinstance(bot, SearchBot) and bot.limit.move_s is not None:
        bot.limit = Limit(bot.limit.depth, bot.limit.move_s * move_scale)
    return bot


def pairings(levels: int, span: int) -> list[tuple[int, int]]:
    """Who meets whom: all whose ranks are at most `span` apart."""
    return [(low, high) for low, high in combinations(range(levels), 2) if high - low <= span]


def meet(
    game: Game,
    bots: tuple[Factory, Factory],
    starts: Sequence[Sequence[int]],
    *,
    seed: str,
    move_scale: float = 1.0,
    step: Callable[[], None] = lambda: None,
) -> Floats:
    """The scores of `bots[0]` where it has seat 0 and where it has seat 1: an array of (starts, 2), each 0, 1/2 or 1.

    Each opening is played twice, with the seats swapped; `step` is called after each game. Bots that draw lots do it as
    `seed` says; those that play by the clock aren't repeatable.
    """
    scores = np.zeros((len(starts), 2))
    for number, opening in enumerate(starts):
        for swapped in (0, 1):
            first, second = bots[swapped], bots[1 - swapped]
            dice = f"{seed} {game.name} {first.__name__} {second.__name__} {number} {swapped}"
            random.seed(dice)
            names = (first.__name__, second.__name__)
            seats = (scaled(first, move_scale), scaled(second, move_scale))
            players = (seated(seats[0], game, 0, names, dice), seated(seats[1], game, 1, names, dice))
            score, _ = play(game, players, opening, PLY_LIMIT)
            scores[number, swapped] = 1 - score if swapped else score
            step()
    return scores


def tournament(
    game: Game,
    levels: Sequence[Factory],
    games: int,
    *,
    span: int,
    move_scale: float,
    seed: int,
    step: Callable[[], None] = lambda: None,
) -> Games:
    """The games of the levels, by their index: `games` (an even number) for each of the `pairings`.

    Each opening is played twice, with the seats swapped. `step` is called after each game. The levels that
    draw lots do it as `seed` says; those that play by the clock aren't repeatable.
    """
    if games < 2 or games % 2:
        raise ValueError(f"Games come in pairs, with the seats swapped: play 2 or any other even number, not {games}.")
    rows: list[tuple[int, int, int, float, int]] = []
    for low, high in pairings(len(levels), span):
        openings = drawn(game, games // 2, OPENING_PLIES, seed + 1000 * low + high)
        starts = [openings[number % len(openings)] for number in range(games // 2)]
        scores = meet(game, (levels[low], levels[high]), starts, seed=str(seed), move_scale=move_scale, step=step)
        for first, second in scores.tolist():
            pair = len(rows) // 2
            rows += (low, high, 0, first, pair), (high, low, 0, 1 - second, pair)
    return Games.of(rows)
