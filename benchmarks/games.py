"""How fast the games of `palestra_games` are in plain Python, and that they count right at depth.

Times are CPU seconds of this process, one thread.
"""

from __future__ import annotations

import random
from collections import Counter
from time import process_time

from palestra_games import State, get_game

SECONDS = 1.0
"""CPU time given to the playouts of each game."""

PERFT = {
    "connect4": (8, 5_673_234),
    "connect4-8x8": (8, 16_553_664),
    "desconecta4": (10, 268_208_262),
    "mancala": (9, 2_763_490),
}
"""The deepest published count of each game: (plies, action sequences)."""


def run() -> list[tuple[str, str]]:
    """Rows of (what, figure): random playouts a second, then the deep counts."""
    return [playouts(name) for name in PERFT] + [deep_perft(name) for name in PERFT]


def playouts(name: str) -> tuple[str, str]:
    """Whole games of random legal actions from the initial state; the same games in every run."""
    dice = random.Random(1)
    start = get_game(name).initial_state()
    games = plies = 0
    begun = process_time()
    while (spent := process_time() - begun) < SECONDS:
        state = start
        while legal := state.legal_actions():
            state = state.apply(dice.choice(legal))
            plies += 1
        games += 1
    per_second = f"{games / spent:,.0f}/s ({plies / spent:,.0f} plies/s, {plies / games:.1f} plies a game)"
    return f"{name}: random playouts", per_second


def deep_perft(name: str) -> tuple[str, str]:
    """Counts action sequences with equal states merged at each ply; raises AssertionError for a wrong count."""
    plies, published = PERFT[name]
    begun = process_time()
    level: Counter[State] = Counter({get_game(name).initial_state(): 1})
    for _ in range(plies - 1):
        following: Counter[State] = Counter()
        for state, ways in level.items():
            for action in state.legal_actions():
                following[state.apply(action)] += ways
        level = following
    count = sum(ways * len(state.legal_actions()) for state, ways in level.items())
    if count != published:
        raise AssertionError(f"perft {plies} of {name} is {count:,}, not {published:,}")
    return f"{name}: perft {plies}", f"{count:,}, as published, in {process_time() - begun:.1f} s"


if __name__ == "__main__":
    for what, figure in run():
        print(f"{what:32} {figure}")
