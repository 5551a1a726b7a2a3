"""Games played in this process: openings to start from, and two players who take turns."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from palestra_games import Game, State
from palestra_protocol.limits import PLY_LIMIT

TRIES: Final = 200  # after this many random openings in a row without a new one, it is assumed that there are no more

Chooser = Callable[[State], int]  # A player: the action for a position in play

Score = float  # 1 for a win, 1/2 for a draw, 0 for a loss


def openings(game: Game, count: int, plies: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """`count` random openings of `plies` legal actions each, none of them over, no two with the same position.

    Two ways to the same position count as one, or the same game would be played twice. The same seed gives the same
    openings. ValueError if there are fewer.
    """
    choose = random.Random(f"{game.name} {plies} {seed}")
    found: dict[State, tuple[int, ...]] = {}
    tries = 0
    while len(found) < count:
        state = game.initial_state()
        actions: list[int] = []
        while len(actions) < plies and state.returns() is None:
            actions.append(choose.choice(state.legal_actions()))
            state = state.apply(actions[-1])
        if state.returns() is None and state not in found:
            found[state], tries = tuple(actions), 0
        tries += 1
        if tries > TRIES:
            raise ValueError(
                f"{game.name} has too few different openings of {plies} plies for {count} pairs of games "
                f"({len(found)} were found); play longer openings or fewer games."
            )
    return tuple(found.values())


def play(
    game: Game, players: tuple[Chooser, Chooser], opening: Sequence[int], ply_limit: int = PLY_LIMIT
) -> tuple[Score, tuple[int, ...]]:
    """Plays one game on from `opening`; `players[0]` has seat 0. Its score for seat 0, and all actions.

    After `ply_limit` plies, those of the opening included, it is a draw.
    """
    state, actions = game.initial_state(), list(opening)
    for action in opening:
        state = state.apply(action)
    while (result := state.returns()) is None and len(actions) < ply_limit:
        actions.append(players[state.to_move](state))
        state = state.apply(actions[-1])
    first, second = result or (0.0, 0.0)
    return 0.5 + 0.5 * ((first > second) - (first < second)), tuple(actions)
