"""The first moves that are given: a deterministic bot would otherwise play one game for ever.

An opening is drawn from the seed for each pair of matches and played twice, with the seats swapped. Games have a list
of balanced openings as data, `openings/GAME.json`: {"openings": [[actions], ...]}. For a game without one, random
plies are drawn until nobody has won or can win at once.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from palestra_games import State, get_game
from palestra_tournament import draws
from palestra_tournament.spec import Spec

ATTEMPTS = 1000
"""Openings drawn for a game that has no list, before the match begins from the start after all."""


def draw_opening(spec: Spec, game: str, seed: int, pair: str) -> tuple[int, ...]:
    """The opening of this pair of matches, () for none."""
    if not spec.openings or spec.opening_plies == 0:
        return ()
    label = f"opening|{pair}"
    book = shipped_openings(game)
    if book:
        return book[draws.below(len(book), seed, label)]
    return _random_plies(game, spec.opening_plies, seed, label)


@cache
def shipped_openings(game: str) -> tuple[tuple[int, ...], ...]:
    """The balanced openings that come with the package, () if the game has none."""
    file = resources.files("palestra_tournament") / "openings" / f"{game}.json"
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    return tuple(tuple(actions) for actions in content["openings"])


def _random_plies(game: str, plies: int, seed: int, label: str) -> tuple[int, ...]:
    for attempt in range(ATTEMPTS):
        state = get_game(game).initial_state()
        actions: list[int] = []
        for ply in range(plies):
            legal = state.legal_actions()
            if not legal:
                break
            actions.append(legal[draws.below(len(legal), seed, f"{label}|{attempt}|{ply}")])
            state = state.apply(actions[-1])
        if len(actions) == plies and _is_open(state):
            return tuple(actions)
    return ()


def _is_open(state: State) -> bool:
    """The game is not over, and whoever moves can't end it at once."""
    return state.returns() is None and all(state.apply(action).returns() is None for action in state.legal_actions())
